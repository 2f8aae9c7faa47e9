"""What the ledger refused stays refused: a copy that was late on its way takes no fee and moves no money."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.tournament_ledger.application.changes_made import PER_MINUTE_MAX
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from tests.support.ledger_house import (
    TABLE,
    Ledger,
    announcement,
    card_room_cash,
    euro,
    fresh,
    ledger,
    refusal,
    refused,
)
from tests.support.servers import calling

WEALTH = 100_000
Work = Callable[[Ledger, str], Awaitable[object]]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    """Ann has money and bob has none."""
    async with ledger(tmp_path) as running:
        await running.player("ann", WEALTH)
        yield running


def _register(event: str) -> Any:
    return pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id="ann")


def _unregister(event: str) -> Any:
    return pb.UnregisterRequest(request_id=fresh(), tournament_id=event, player_id="ann")


def _deposit(_: str) -> Any:
    return pb.DepositRequest(request_id=fresh(), player_id="bob", amount=euro(500))


def _withdraw(_: str) -> Any:
    return pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(2 * WEALTH))


async def _ask(house: Ledger, request: Any) -> Any:
    return await getattr(house.backend, type(request).__name__.removesuffix("Request"))(request)


def _doing(make: Callable[[str], Any]) -> Work:
    return lambda house, event: _ask(house, make(event))


async def _announced(house: Ledger, event: str) -> None:
    request = pb.AnnounceTournamentRequest(request_id=fresh(), tournament_id=event, announcement=announcement())
    await house.backend.AnnounceTournament(request)


async def _registered(house: Ledger, event: str) -> None:
    await _announced(house, event)
    await _ask(house, _register(event))


@dataclass(frozen=True)
class Refusal:
    """A request that is refused, and what happens before a copy of it arrives."""

    request: Callable[[str], Any]
    reason: Reason
    meanwhile: Work
    before: Work | None = None


REFUSED = {
    "who is registered, and withdraws": Refusal(_register, Reason.ALREADY_REGISTERED, _doing(_unregister), _registered),
    "who is not registered, and registers": Refusal(_unregister, Reason.NOT_REGISTERED, _doing(_register), _announced),
    "a tournament that is announced later": Refusal(_register, Reason.NOT_FOUND, _announced),
    "a wallet that is opened later": Refusal(_deposit, Reason.NOT_FOUND, lambda house, _: house.player("bob")),
    "more money than there is, until more comes": Refusal(
        _withdraw, Reason.FUNDS_INSUFFICIENT, lambda house, _: house.deposit("ann", 2 * WEALTH)
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_late_copy_of_what_was_refused_takes_no_fee_and_moves_no_money(house: Ledger, case: str) -> None:
    first, event = REFUSED[case], "sunday"
    if first.before is not None:
        await first.before(house, event)
    request = first.request(event)
    said = await refusal(_ask(house, request))
    assert said.reason is first.reason
    await first.meanwhile(house, event)
    there = await house.wallet("ann")
    again = await refusal(_ask(house, request))
    assert (again.reason, again.message, again.metadata) == (said.reason, said.message, said.metadata)
    assert await house.wallet("ann") == there
    request.request_id = fresh()
    await _ask(house, request)  # whoever wants it now asks anew
    await house.sound()


async def test_what_our_services_were_refused_they_may_ask_for_again_in_another_state(house: Ledger) -> None:
    """Their ids follow from what they do: a step that did not follow yet is the same step when it does."""
    event = await house.event(("bob", "cid"))
    sheet = await house.sheet(event, 1)
    results = [pb.HandResult(player_id=each.player_id, before_chips=1, after_chips=1) for each in sheet.seats]
    for each, seat in zip(results, sheet.seats, strict=True):
        each.before_chips = each.after_chips = seat.chips
    request = pb.RecordHandRequest(
        request_id=fresh(), hand_id="early", tournament_id=event, table_id=TABLE, hand_number=2, results=results
    )
    await refused(house.service.RecordHand(request), Reason.OUT_OF_STEP)
    await house.record(event, 1, sheet, {})
    await house.sheet(event, 2)
    await house.service.RecordHand(request)


async def test_a_purchase_of_chips_that_was_refused_is_refused_to_our_services_too(house: Ledger) -> None:
    """They ask for a player, and two of them that finish the same purchase must hear the same."""
    await house.player("bob", WEALTH)
    terms = pb.OpenCashTableRequest(request_id=fresh(), table_id=TABLE, chip_value=euro(1), rules=card_room_cash())
    await house.service.OpenCashTable(terms)
    chips = terms.rules.buy_in_min_chips

    def buying(player_id: str) -> pb.BuyInRequest:
        return pb.BuyInRequest(request_id=fresh(), table_id=TABLE, player_id=player_id, seat=1, chips=chips)

    await house.service.BuyIn(buying("ann"))
    request = buying("bob")
    await refused(house.service.BuyIn(request), Reason.SEAT_TAKEN)
    await house.service.CashOut(pb.CashOutRequest(request_id=fresh(), table_id=TABLE, player_id="ann"))
    await refused(house.service.BuyIn(request), Reason.SEAT_TAKEN)
    await house.service.BuyIn(buying("bob"))


async def test_a_player_who_is_refused_without_end_fills_no_memory(house: Ledger) -> None:
    """Registers again and again for what it is registered for."""
    await _registered(house, "sunday")
    async with calling(house.server.address, Caller(Role.PLAYER, "ann")) as channel:
        ann = TournamentLedgerServiceStub(channel)
        reasons = [(await refusal(ann.Register(_register("sunday")))).reason for _ in range(PER_MINUTE_MAX + 1)]
    assert set(reasons[:PER_MINUTE_MAX]) == {Reason.ALREADY_REGISTERED}
    assert reasons[PER_MINUTE_MAX] is Reason.LIMIT_REACHED
