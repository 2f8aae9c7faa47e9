"""The battery of attacks at a size for every change; ``make attack`` is the full one."""

import io
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pytest
import structlog
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent

from services.tournament_ledger.domain.look_alikes import likeness
from shared.kernel.caller import Role
from shared.observability.logging import configure_logging
from tests.batteries.attack import f16_disclosures, s08_fuzz
from tests.batteries.attack.corpus import listen
from tests.batteries.attack.f14_timing import cropped, welch_t
from tests.batteries.attack.fuzzer import Fuzzer, Outcome
from tests.batteries.attack.generator import CANARY, Generator, Known
from tests.batteries.attack.planted import PLANTED
from tests.batteries.attack.s14_edges import good_request, numbers_of, with_number
from tests.batteries.attack.s15_names import names_are_what_they_seem
from tests.batteries.attack.s17_secrets import KEY, TOKEN, Searched
from tests.batteries.report import Verdict
from tests.support.contract import methods
from tests.support.table_suite import TableSuite

INPUTS_A_METHOD = 8
EDGES_OF_ALL = 25


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The attacks are noisy; what they log is looked at where it matters."""
    configure_logging("suite", "critical", io.StringIO())
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="module")
def known() -> Known:
    return Known()


@pytest.fixture
async def overheard(known: Known) -> Known:
    if not known.requests:
        await listen(known)
        known.add_name("player_id", "ann")
    return known


# --- hostile messages -------------------------------------------------------------------------


async def test_the_fuzzer_finds_every_planted_fault() -> None:
    assert set(await s08_fuzz.bite(s08_fuzz.PLANTED_INPUTS_MAX)) == set(PLANTED)


@pytest.fixture
async def channels(tmp_path: Path) -> AsyncIterator[dict[str, grpc.aio.Channel]]:
    """The five services in this loop, each by a channel that adds nothing to a call."""
    async with AsyncExitStack() as stack:
        suite = await stack.enter_async_context(TableSuite(tmp_path))
        targets = {name.removeprefix("SEVENSTUD_ORCHESTRATOR_"): value for name, value in suite._environ.items()}
        addresses = {name.removesuffix("_TARGET").lower(): value for name, value in targets.items()}
        addresses["orchestrator"] = suite.address
        yield {
            name: await stack.enter_async_context(grpc.aio.insecure_channel(address))
            for name, address in addresses.items()
        }


def holding_the_canary(folder: Path) -> list[Path]:
    """Files that hold what came in an unknown field."""
    return [file for file in folder.glob("*.sqlite*") if CANARY in file.read_bytes()]


async def test_no_request_of_any_kind_breaks_a_service(
    channels: dict[str, grpc.aio.Channel], overheard: Known, tmp_path: Path
) -> None:
    outcome = Outcome()
    fuzzer = Fuzzer(Generator(overheard, "ci"), outcome, "ci")
    for method in methods():
        process, roles = s08_fuzz.target_of(method)
        await fuzzer.attack(channels[process], method, roles, INPUTS_A_METHOD)
    assert outcome.faults == []
    assert len(outcome.by_method) == len(list(methods()))
    assert outcome.answered
    assert outcome.refused
    assert holding_the_canary(tmp_path) == []


async def test_edge_numbers_are_answered_or_refused_with_a_reason(
    channels: dict[str, grpc.aio.Channel], overheard: Known
) -> None:
    outcome, generator = Outcome(), Generator(overheard, "edges")
    fuzzer = Fuzzer(generator, outcome, "edges")
    places = [(method, *each) for method in methods() for each in numbers_of(method.input_type)]
    assert len(places) > 300
    for method, path, number in places[:: len(places) // EDGES_OF_ALL]:
        process, roles = s08_fuzz.target_of(method)
        for edge in (-1, 0, 2**31 - 1) if number.cpp_type == number.CPPTYPE_INT32 else (0, 2**31 - 1):
            request = with_number(good_request(overheard, generator, method), path, edge)
            await fuzzer.send(channels[process], method, fuzzer._caller(roles), request.SerializeToString())
    assert outcome.faults == []
    assert outcome.refused


def test_generated_requests_are_the_same_for_the_same_seed() -> None:
    first, second = (Generator(Known(), "seed") for _ in range(2))
    for method in methods():
        assert first.request(method) == second.request(method)


def test_every_rpc_has_a_process_and_roles() -> None:
    for method in methods():
        process, roles = s08_fuzz.target_of(method)
        assert process in {"dealer", "betting", "evaluator", "tournament_ledger", "orchestrator"}
        assert set(roles) <= set(Role)
        assert roles


# --- what is given away -----------------------------------------------------------------------


def test_the_dealer_logs_what_the_rules_give_and_nothing_else() -> None:
    counts, wrong = f16_disclosures.check_portion(range(1, 16))
    assert wrong == []
    assert counts["hands"] == 15
    assert counts["reveal_for_ranking"] > 0


def test_one_disclosure_too_many_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = f16_disclosures.DealtGame.events

    async def fewer(game: f16_disclosures.DealtGame) -> list[TableEvent]:
        return [each for each in await real(game) if each.WhichOneof("event") != "hand_shown"]

    monkeypatch.setattr(f16_disclosures.DealtGame, "events", fewer)
    assert any("opened: " in each for each in f16_disclosures.check_portion(range(1, 16))[1])


@pytest.mark.parametrize(
    "leak",
    [
        '{"event": "dealt", "down": "As Kd"}',
        '{"event": "dealt", "seat": "CARD_ACE_OF_SPADES"}',
        "hand A\u2660 K\u2666",
        '{"cards": [52, 48]}',
        f"Bearer {TOKEN}",
        KEY.hex(),
        '{"seed": "abcd"}',
    ],
)
def test_a_secret_in_a_log_is_found(leak: str) -> None:
    searched = Searched()
    searched.log("a log", leak)
    assert searched.faults


@pytest.mark.parametrize(
    "line",
    [
        '{"request_id": "b11786a6-1607-5c8c-89a3-fd98ae81dbe7", "event": "rpc"}',
        '{"cards": "(hidden)", "caller": "player:ann"}',
        '{"hand_id": "room-1.7", "milliseconds": 5.2}',
    ],
)
def test_a_line_without_a_secret_is_no_finding(line: str) -> None:
    searched = Searched()
    searched.log("a log", line)
    assert searched.faults == []


def test_a_difference_in_time_is_seen() -> None:
    same = [1.0 + 0.01 * (number % 7) for number in range(2000)]
    slower = [each + 0.005 for each in same]
    assert abs(welch_t(same, list(reversed(same)))) < 4.5
    assert abs(welch_t(same, slower)) > 4.5
    assert sum(map(len, cropped(same, slower))) < 4000


# --- names ------------------------------------------------------------------------------------


def test_names_are_refused_or_kept_in_the_form_that_shows() -> None:
    (row,) = names_are_what_they_seem(3_000)
    assert row.verdict is Verdict.PASSED, row


def test_a_name_in_disguise_looks_like_the_name() -> None:
    assert likeness("mI01") == "rnlol"
