"""Who may do what, over the five services as processes with TLS on: every cell of the table, and every false caller."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.duration_pb2 import Duration
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.orchestrator.v1 import table_service_pb2 as tables_pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.authority import Authority, Issued, Subject
from shared.kernel.caller import Caller, Role
from shared.rpc.rights import OPEN_RPCS, SUBJECT, About
from tests.support.forged_tokens import Forger, forged
from tests.support.rights_tables import ALWAYS, NEVER, Cell, cells_of_the_page, contracts
from tests.support.secured_suite import (
    OPERATOR,
    SERVICE_OF,
    SecuredSuite,
    answer_of,
    bearer,
    listening,
    request_of,
    secured_suite,
)
from tests.support.tables_opened import open_table_request

pytestmark = pytest.mark.process
CALLERS = {
    Role.PLAYER: Caller(Role.PLAYER, "ann"),
    Role.BACKEND: Caller(Role.BACKEND, "lobby", "lobby-"),
    **{role: Caller(role, "house") for role in (Role.OPERATOR, Role.OBSERVER, Role.AUDITOR)},
}
OWN = {Role.PLAYER: "ann", Role.BACKEND: "lobby-ann"}
REFUSED = {grpc.StatusCode.PERMISSION_DENIED}
UNKNOWN = {grpc.StatusCode.UNAUTHENTICATED}
ANSWERED = {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND}
"""Of requests that ask for nothing: the rights let them pass, and then the contract or the books said no."""
AT_A_TIME = 16
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}
"""127.0.0.1 as Linux writes it, in both of its tables."""
LOCKED_OUT = {grpc.StatusCode.UNAVAILABLE}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredSuite]:
    with secured_suite(tmp_path_factory.mktemp("suite")) as running:
        yield running


@pytest.fixture
async def a_table(suite: SecuredSuite) -> None:
    """So that who watches the lobby hears something at once."""
    pair = suite.caller("house")
    authorization = bearer(suite.token(OPERATOR, pair))
    async with suite.channel("orchestrator", pair) as channel:
        request = open_table_request(f"t{uuid.uuid4().hex}")
        await TableServiceStub(channel).OpenTable(request, metadata=[("authorization", authorization)], timeout=30)


# --- every cell of the table ------------------------------------------------------------------


def subjects(method: MethodDescriptor, role: Role) -> tuple[str | None, ...]:
    """Whom a call of this role can be about: its own player, somebody else's, nobody."""
    if SUBJECT not in method.input_type.fields_by_name:
        return (None,)
    return (OWN.get(role, "ann"), "elsewhere-bob", "")


def names(codes: Counter[grpc.StatusCode]) -> dict[str, int]:
    """The codes as people know them."""
    return {code.name: count for code, count in codes.items()}


def permitted(cell: Cell, subject: str | None) -> bool:
    """What the word of a cell means for a subject."""
    own, nobody = subject == OWN.get(cell.role), subject == ""
    return {
        NEVER: False,
        ALWAYS: subject is None,
        About.ANYBODY: True,
        About.ITSELF: own,
        About.OWN_EYES: own or nobody,
        About.ITS_PLAYERS: own or nobody,
        About.SPECTATOR: nobody,
    }[cell.word]


async def asked_by(suite: SecuredSuite, role: Role) -> tuple[int, list[str]]:
    """How many calls were made, every RPC about everybody, and what was answered otherwise than the table says."""
    pair = suite.service_pair("orchestrator") if role is Role.SERVICE else suite.caller("lobby")
    token = None if role is Role.SERVICE else bearer(suite.token(CALLERS[role], pair))
    cells = [cell for cell in cells_of_the_page() if cell.role is role]
    wrong: list[str] = []
    calls = 0
    room = asyncio.Semaphore(AT_A_TIME)

    async def ask(channel: grpc.aio.Channel, cell: Cell, subject: str | None) -> None:
        async with room:
            code = await answer_of(channel, cell.method, request_of(cell.method, subject), token)
        if code not in (ANSWERED if permitted(cell, subject) else REFUSED):
            wrong.append(f"{cell.method.full_name} about {subject!r}: {code.name}, the table says {cell.word}")

    for service in sorted(set(SERVICE_OF.values())):
        async with suite.channel(service, pair) as channel:
            here = [each for each in cells if SERVICE_OF[each.method.containing_service.name] == service]
            asked = [ask(channel, cell, subject) for cell in here for subject in subjects(cell.method, role)]
            await asyncio.gather(*asked)
            calls += len(asked)
    return calls, wrong


@pytest.mark.usefixtures("a_table")
@pytest.mark.parametrize("role", list(Role))
async def test_every_rpc_answers_a_role_as_the_table_of_rights_says(suite: SecuredSuite, role: Role) -> None:
    calls, wrong = await asked_by(suite, role)
    assert calls > len({cell.method.full_name for cell in cells_of_the_page()})
    assert not wrong


@pytest.mark.attack
@pytest.mark.usefixtures("a_table")
async def test_every_cell_of_the_table_is_tried_with_certificates_and_tokens_on(suite: SecuredSuite) -> None:
    tried = {role: await asked_by(suite, role) for role in Role}
    calls, cells = sum(count for count, _ in tried.values()), len(list(cells_of_the_page()))
    wrong = [fault for _, faults in tried.values() for fault in faults]
    print(f"\nfigure: {cells} cells tried by {calls} calls, {len(wrong)} answered otherwise than the table says")
    assert not wrong


@pytest.mark.parametrize(
    ("who", "codes"), [("a caller without a token", UNKNOWN), ("another service of ours", REFUSED)]
)
async def test_nothing_but_the_service_info_is_open_without_a_token(
    suite: SecuredSuite, who: str, codes: set[grpc.StatusCode]
) -> None:
    pair = suite.caller("lobby") if who.startswith("a caller") else suite.service_pair("betting")
    wrong: list[str] = []
    for contract in contracts():
        async with suite.channel(SERVICE_OF[contract.name], pair) as channel:
            for method in contract.methods:
                code = await answer_of(channel, method, request_of(method, None), None)
                wanted = {grpc.StatusCode.OK} if method.name in OPEN_RPCS and codes == UNKNOWN else codes
                if code not in wanted:
                    wrong.append(f"{method.full_name}: {code.name}")
    assert not wrong


async def test_a_back_end_resolves_holds_of_its_own_players_alone(suite: SecuredSuite) -> None:
    pair = suite.caller("wallets")
    lobby, other = (bearer(suite.token(Caller(Role.BACKEND, name, f"{name}-"), pair)) for name in ("hall", "other"))
    amount = Money(amount_minor=100, currency="EUR")
    async with suite.channel("tournament_ledger", pair) as channel:
        ledger = TournamentLedgerServiceStub(channel)

        async def asked(request: Any, token: str) -> Any:
            call = getattr(ledger, request.DESCRIPTOR.name.removesuffix("Request"))
            request.request_id = str(uuid.uuid4())
            return await call(request, metadata=[("authorization", token)], timeout=30)

        await asked(ledger_pb.OpenAccountRequest(player_id="hall-ann", currency="EUR"), lobby)
        await asked(ledger_pb.DepositRequest(player_id="hall-ann", amount=amount), lobby)
        hold = ledger_pb.PlaceHoldRequest(player_id="hall-ann", amount=amount, lasts=Duration(seconds=600))
        hold_id = (await asked(hold, lobby)).hold_id
        for kind in (ledger_pb.PostHoldRequest, ledger_pb.VoidHoldRequest):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await asked(kind(hold_id=hold_id), other)
            assert refused.value.code() is grpc.StatusCode.NOT_FOUND
        assert (await asked(ledger_pb.VoidHoldRequest(hold_id=hold_id), lobby)).balance.available == amount


# --- who gets no connection -------------------------------------------------------------------


def stolen_names(suite: SecuredSuite) -> dict[str, Issued | None]:
    """Pairs that no service may shake hands with."""
    foreign = Authority.fresh("sevenstud development")  # of the same name as ours
    now, day = datetime.now(UTC), timedelta(days=1)
    uri = "spiffe://sevenstud.internal/service/orchestrator"
    return {
        "none": None,
        "of another authority": foreign.issue(Subject(name="lobby")),
        "of another authority, named as the orchestrator": foreign.issue(Subject(name="orchestrator", uri=uri)),
        "expired": suite.authority.issue(Subject(name="lobby", uri=uri, begins=now - 2 * day, lasts=day)),
        "not valid yet": suite.authority.issue(Subject(name="lobby", uri=uri, begins=now + day, lasts=day)),
    }


async def test_without_a_valid_certificate_of_our_authority_no_service_shakes_hands(suite: SecuredSuite) -> None:
    answered: dict[tuple[str, str], grpc.StatusCode] = {}
    for name, pair in stolen_names(suite).items():
        for contract in contracts():
            service, method = SERVICE_OF[contract.name], contract.methods_by_name.get("GetServiceInfo")
            if method is not None:
                async with suite.channel(service, pair) as channel:
                    answered[name, service] = await answer_of(channel, method, request_of(method, None), None)
    assert len(answered) == 5 * 5
    assert set(answered.values()) == LOCKED_OUT


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("orchestrator", None),
        ("orchestrator", "spiffe://sevenstud.internal/caller/orchestrator"),
        ("orchestrator", "spiffe://elsewhere.internal/service/orchestrator"),
        ("orchestrator", "https://sevenstud.internal/service/orchestrator"),
        ("orchestrator", "spiffe://sevenstud.internal/service/orchestrator/x"),
        ("orchestrator", "spiffe://sevenstud.internal/service/"),
    ],
)
async def test_a_certificate_with_another_name_makes_no_service(
    suite: SecuredSuite, name: str, uri: str | None
) -> None:
    pair = suite.authority.issue(Subject(name=name, uri=uri, hosts=("orchestrator.sevenstud.internal",)))
    method = next(each for each in contracts() if each.name == "DealerService").methods_by_name["RevealForRanking"]
    async with suite.channel("dealer", pair) as channel:
        assert {await answer_of(channel, method, request_of(method, None), None)} == UNKNOWN


# --- whose token is not believed --------------------------------------------------------------


async def test_a_token_that_is_not_wholly_right_is_not_believed(suite: SecuredSuite) -> None:
    pair = suite.caller("lobby")
    forgeries = forged(Forger(suite.signer, pair, suite.caller("somebody-else")))
    method = next(each for each in contracts() if each.name == "TableService").methods_by_name["ListTables"]
    async with suite.channel("orchestrator", pair) as channel:
        codes = {
            name: await answer_of(channel, method, request_of(method, None), said) for name, said in forgeries.items()
        }
        good = bearer(Forger(suite.signer, pair, pair).signed())
        assert await answer_of(channel, method, request_of(method, None), good) is grpc.StatusCode.OK
    assert len(codes) > 50
    assert {name for name, code in codes.items() if code not in UNKNOWN} == set()


@pytest.mark.attack
async def test_no_rpc_of_any_service_believes_a_token_that_is_not_wholly_right(suite: SecuredSuite) -> None:
    pair = suite.caller("lobby")
    codes: Counter[grpc.StatusCode] = Counter()
    for contract in contracts():
        async with suite.channel(SERVICE_OF[contract.name], pair) as channel:
            for method in contract.methods:
                said = forged(Forger(suite.signer, pair, suite.caller("somebody-else"))).values()
                codes.update([await answer_of(channel, method, request_of(method, None), each) for each in said])
    print(f"\nfigure: {codes.total()} calls with forged tokens, every RPC with each: {names(codes)}")
    assert codes.total() > 4000
    assert set(codes) == UNKNOWN


@pytest.mark.attack
async def test_no_service_shakes_hands_with_a_false_certificate_however_often(suite: SecuredSuite) -> None:
    method = next(each for each in contracts() if each.name == "DealerService").methods_by_name["GetServiceInfo"]
    codes: Counter[grpc.StatusCode] = Counter()
    for _ in range(100):
        for pair in stolen_names(suite).values():
            for service in sorted(set(SERVICE_OF.values())):
                async with suite.channel(service, pair) as channel:
                    codes[await answer_of(channel, method, request_of(method, None), None)] += 1
    print(f"\nfigure: {codes.total()} connections with false certificates: {names(codes)}")
    assert set(codes) == LOCKED_OUT


async def test_a_call_that_says_twice_who_calls_is_not_believed(suite: SecuredSuite) -> None:
    pair = suite.caller("lobby")
    good = ("authorization", bearer(suite.token(OPERATOR, pair)))
    async with suite.channel("orchestrator", pair) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await TableServiceStub(channel).ListTables(tables_pb.ListTablesRequest(), metadata=[good, good], timeout=30)
    assert {refused.value.code()} == UNKNOWN


async def test_a_token_is_worth_nothing_over_the_connection_of_another(suite: SecuredSuite) -> None:
    owner, thief = suite.caller("lobby"), suite.caller("thief")
    token = bearer(suite.token(OPERATOR, owner))
    method = next(each for each in contracts() if each.name == "TableService").methods_by_name["ListTables"]
    for pair, codes in ((owner, {grpc.StatusCode.OK}), (thief, UNKNOWN), (suite.service_pair("betting"), UNKNOWN)):
        async with suite.channel("orchestrator", pair) as channel:
            assert {await answer_of(channel, method, request_of(method, None), token)} == codes


async def test_a_token_that_was_believed_ends_with_its_last_second_and_so_does_its_stream(suite: SecuredSuite) -> None:
    pair = suite.caller("lobby")
    eye = Caller(Role.OBSERVER, "eye")
    method = next(each for each in contracts() if each.name == "TableService").methods_by_name["ListTables"]
    async with suite.channel("orchestrator", pair) as channel:
        code, token, seconds = grpc.StatusCode.UNAUTHENTICATED, "", 1
        while code is not grpc.StatusCode.OK and seconds < 200:  # a busy machine needs a longer life to make one call
            seconds *= 3
            token = bearer(suite.token(eye, pair, seconds))
            code = await answer_of(channel, method, request_of(method, None), token)
        assert code is grpc.StatusCode.OK
        stub, metadata = TableServiceStub(channel), [("authorization", token)]
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            async for _ in stub.WatchLobby(tables_pb.WatchLobbyRequest(), metadata=metadata, timeout=250):
                pass
        assert {ended.value.code()} == UNKNOWN
        assert {await answer_of(channel, method, request_of(method, None), token)} == UNKNOWN


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux says which ports a process listens on")
def test_a_service_listens_for_calls_and_for_figures_on_loopback_and_nowhere_else(suite: SecuredSuite) -> None:
    for service, pid in suite.pids.items():
        addresses = (suite.addresses[service], urlsplit(suite.metrics[service]).netloc)
        found = listening(pid)
        assert {port for _, port in found} == {int(address.rpartition(":")[2]) for address in addresses}
        assert {address for address, _ in found} <= LOOPBACK


async def test_no_port_for_calls_speaks_plain_text(suite: SecuredSuite) -> None:
    for contract in contracts():
        method = contract.methods_by_name.get("GetServiceInfo")
        if method is not None:
            address = suite.addresses[SERVICE_OF[contract.name]]
            async with grpc.aio.insecure_channel(address, options=[("grpc.enable_retries", 0)]) as channel:
                assert {
                    await answer_of(channel, method, request_of(method, None), "Bearer dev:operator:me")
                } == LOCKED_OUT
