"""A sheet of a cash table that is asked for again: frozen for a hand that may be under way, anew where none can be."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.rule_options_pb2 import BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, card_room_cash, euro, fresh, ledger, refused

PLAYERS = ("ann", "bob")
AS_BEFORE, WITH_WHAT_WAS_BOUGHT = {"ann": 100, "bob": 100}, {"ann": 130, "bob": 100}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        rules = card_room_cash()
        rules.buy_in, rules.cash_add = BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
        rules.buy_in_min_chips, rules.buy_in_max_chips = 10, 400
        request = pb.OpenCashTableRequest(request_id=fresh(), table_id=TABLE, chip_value=euro(1), rules=rules)
        await running.service.OpenCashTable(request)
        for player_id in PLAYERS:
            await running.player(player_id, 10_000)
            await bought(running, player_id, 100)
        yield running


async def bought(house: Ledger, player_id: str, chips: int) -> None:
    seat = PLAYERS.index(player_id) + 1
    request = pb.BuyInRequest(request_id=fresh(), table_id=TABLE, player_id=player_id, chips=chips, seat=seat)
    await house.service.BuyIn(request)


async def sheet(house: Ledger, table_version: int, hand_number: int = 1) -> dict[str, int]:
    asked = pb.OpenSheetRequest(
        request_id=fresh(), table_id=TABLE, hand_number=hand_number, table_version=table_version
    )
    return {seat.player_id: seat.chips for seat in (await house.service.OpenSheet(asked)).seats}


def result(before: dict[str, int], moved: int) -> pb.RecordHandRequest:
    """Of the first hand: ann wins so many chips of bob."""
    after = {"ann": before["ann"] + moved, "bob": before["bob"] - moved}
    results = [pb.HandResult(player_id=each, before_chips=before[each], after_chips=after[each]) for each in PLAYERS]
    return pb.RecordHandRequest(
        request_id=fresh(), hand_id=f"{TABLE}.1", table_id=TABLE, hand_number=1, results=results
    )


@pytest.mark.parametrize(
    ("asked_with", "chips"),
    [
        ((5, 6), WITH_WHAT_WAS_BOUGHT),  # nobody can begin a hand with the first one any more
        ((5, 5), AS_BEFORE),  # a hand may be under way
        ((5, 4), AS_BEFORE),  # by who does not know yet where the table is
        ((5, 0), AS_BEFORE),  # by an orchestrator of an earlier release
        ((0, 6), AS_BEFORE),
        ((5, 0, 6), AS_BEFORE),
        ((0, 5, 6), AS_BEFORE),
        ((5, 7, 6), WITH_WHAT_WAS_BOUGHT),
    ],
)
async def test_what_was_bought_since_is_in_a_sheet_from_which_no_hand_can_have_begun(
    house: Ledger, asked_with: tuple[int, ...], chips: dict[str, int]
) -> None:
    first, *others = asked_with
    assert await sheet(house, first) == AS_BEFORE
    await bought(house, "ann", 30)
    assert [await sheet(house, each) for each in others][-1] == chips
    await refused(house.service.RecordHand(result({"ann": 999, "bob": 100}, 10)), Reason.OUT_OF_STEP)
    await house.service.RecordHand(result(chips, 10))
    assert await sheet(house, 9, hand_number=2) == {"ann": 140, "bob": 90}
    await house.sound()


async def test_a_request_that_was_late_on_its_way_changes_nothing_under_a_hand(house: Ledger) -> None:
    """The hand began with a sheet that says what the one before said, asked for at a later version."""
    await sheet(house, 5)
    assert await sheet(house, 8) == AS_BEFORE
    await bought(house, "ann", 30)  # begun before the hand, and late as well
    for late in (6, 7, 8):
        assert await sheet(house, late) == AS_BEFORE
    await house.service.RecordHand(result(AS_BEFORE, 10))
    await house.sound()
