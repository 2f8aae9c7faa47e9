"""How much one player or organiser may fill, and ids that would be taken for others: over gRPC, row S13 and S15."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.tournament_ledger.application.changes_made import PER_MINUTE_MAX
from services.tournament_ledger.application.quotas import Quotas
from services.tournament_ledger.domain.look_alikes import likeness
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.support.ledger_house import Ledger, announcement, euro, fresh, ledger, refusal, refused
from tests.support.servers import calling

IDS = st.text("abimnrlI1O0oLMN._-", min_size=1, max_size=12)
Asking = TypeVar("Asking", pb.RegisterRequest, pb.UnregisterRequest)
FEW = Quotas(wallets_per_player_max=3, holds_per_wallet_max=2, tournaments_open_max=2)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path, quotas=FEW) as running:
        yield running


def opening(player_id: str, currency: str = "EUR") -> pb.OpenAccountRequest:
    return pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency=currency)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("bill", "biII"),
        ("anna", "Anna"),
        ("ANNA", "anna"),
        ("corn", "com"),
        ("player-10", "player-lO"),
        ("OO7", "007"),
        ("l33t", "I33t"),
        ("modern", "modem"),
        ("bob", "b0b"),
        ("admin", "ADM1N"),
        ("BORN", "b0m"),
    ],
)
async def test_a_player_who_could_be_taken_for_another_is_not_let_in(house: Ledger, first: str, other: str) -> None:
    await house.backend.OpenAccount(opening(first))
    error = await refusal(house.backend.OpenAccount(opening(other)))
    assert (error.code, error.reason) == (grpc.StatusCode.ALREADY_EXISTS, Reason.ALREADY_EXISTS)
    assert error.metadata == {"kind": "player", "id": first}
    await refused(
        house.backend.Deposit(pb.DepositRequest(request_id=fresh(), player_id=other, amount=euro(1))), Reason.NOT_FOUND
    )
    await house.backend.OpenAccount(opening(first, "USD"))
    await house.sound()


@pytest.mark.parametrize("other", ["p11", "player-2", "ann.b", "bob"])
async def test_others_are_let_in_however_alike_their_names(house: Ledger, other: str) -> None:
    for player_id in ("p1", "player-1", "ann-b"):
        await house.backend.OpenAccount(opening(player_id))
    assert (await house.backend.OpenAccount(opening(other))).balance.player_id == other


async def test_of_two_look_alikes_at_the_same_moment_one_gets_in(house: Ledger) -> None:
    names = ("Il1", "lIl", "1I1", "ll1", "III")
    found = await asyncio.gather(*(house.backend.OpenAccount(opening(each)) for each in names), return_exceptions=True)
    refusals = [each for each in found if isinstance(each, grpc.aio.AioRpcError)]
    assert len(refusals) == len(names) - 1
    assert {unpack_error(each).reason for each in refusals} == {Reason.ALREADY_EXISTS}


async def test_a_house_may_allow_look_alikes(tmp_path: Path) -> None:
    async with ledger(tmp_path, quotas=Quotas(look_alikes_refused=False)) as house:
        for player_id in ("bill", "biII", "Bill"):
            await house.backend.OpenAccount(opening(player_id))


@given(IDS)
def test_the_database_sees_the_same_look_as_the_code(player_id: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        sql = "SELECT replace(replace(replace(replace(lower(?1), 'm', 'rn'), '0', 'o'), '1', 'l'), 'i', 'l')"
        assert connection.execute(sql, (player_id,)).fetchone() == (likeness(player_id),)
    connection.close()


async def test_one_player_has_so_many_wallets_and_no_more(house: Ledger) -> None:
    for currency in ("EUR", "USD", "GBP", "EUR"):
        await house.backend.OpenAccount(opening("ann", currency))
    found = await asyncio.gather(
        *(house.backend.OpenAccount(opening("bob", f"A{letter}A")) for letter in "ABCDEFGH"), return_exceptions=True
    )
    assert sum(isinstance(each, grpc.aio.AioRpcError) for each in found) == 5
    assert await refused(house.backend.OpenAccount(opening("ann", "CHF")), Reason.LIMIT_REACHED) == {
        "limit": "wallets_per_player_max"
    }


async def test_one_wallet_has_so_many_open_holds_and_no_more(house: Ledger) -> None:
    await house.player("ann", 100)
    await house.player("bob", 100)

    def hold(player_id: str) -> pb.PlaceHoldRequest:
        request = pb.PlaceHoldRequest(request_id=fresh(), player_id=player_id, amount=euro(1))
        request.lasts.FromSeconds(60)
        return request

    first = await house.backend.PlaceHold(hold("ann"))
    await house.backend.PlaceHold(hold("ann"))
    assert await refused(house.backend.PlaceHold(hold("ann")), Reason.LIMIT_REACHED) == {
        "limit": "holds_per_wallet_max"
    }
    await house.backend.PlaceHold(hold("bob"))
    await house.backend.VoidHold(pb.VoidHoldRequest(request_id=fresh(), hold_id=first.hold_id))
    await house.backend.PlaceHold(hold("ann"))
    await house.sound()


async def test_a_player_changes_tournaments_so_often_in_a_minute_and_no_more(house: Ledger) -> None:
    """Entering and leaving costs nothing and is an entry of the journal each time; a back end speaks for many."""
    await house.player("ann", 1000)
    tournament_id = (await house.announce()).tournament_id

    def asking(kind: type[Asking]) -> Asking:
        return kind(request_id=fresh(), tournament_id=tournament_id, player_id="ann")

    async with calling(house.server.address, Caller(Role.PLAYER, "ann")) as channel:
        ann = TournamentLedgerServiceStub(channel)
        first = asking(pb.RegisterRequest)
        entered = await ann.Register(first)
        for _ in range(PER_MINUTE_MAX // 2 - 1):
            await ann.Unregister(asking(pb.UnregisterRequest))
            await ann.Register(asking(pb.RegisterRequest))
        await ann.Unregister(asking(pb.UnregisterRequest))
        metadata = await refused(ann.Register(asking(pb.RegisterRequest)), Reason.LIMIT_REACHED)
        assert metadata == {"limit": "changes_per_minute_max"}
        assert await ann.Register(first) == entered
        for _ in range(3):
            await house.backend.Register(asking(pb.RegisterRequest))
            await house.backend.Unregister(asking(pb.UnregisterRequest))
        house.clock.pass_seconds(61)
        await ann.Register(asking(pb.RegisterRequest))
    await house.sound()


async def test_so_many_tournaments_are_open_and_no_more(house: Ledger) -> None:
    def announcing() -> pb.AnnounceTournamentRequest:
        return pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement())

    calls = (house.backend.AnnounceTournament(announcing()) for _ in range(5))
    found = await asyncio.gather(*calls, return_exceptions=True)
    announced = [each for each in found if isinstance(each, pb.AnnounceTournamentResponse)]
    assert len(announced) == 2
    metadata = await refused(house.backend.AnnounceTournament(announcing()), Reason.LIMIT_REACHED)
    assert metadata == {"limit": "tournaments_open_max"}
    first = announced[0].tournament
    cancel = pb.CancelTournamentRequest(
        request_id=fresh(), tournament_id=first.tournament_id, expected_version=first.version, cause="rain"
    )
    await house.operator.CancelTournament(cancel)
    await house.backend.AnnounceTournament(announcing())
