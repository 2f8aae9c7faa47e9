"""A sheet from which no hand is dealt is taken back: purchases count in the next one, and a deal may be proposed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import AddOnTerms
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, fresh, ledger, refused, tournament_rules

PLAYERS = ("ann", "bob", "cid")
STACK = 1000


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


def taking_back(event: str, version: int, hand_number: int = 1, table_id: str = TABLE) -> pb.WithdrawSheetRequest:
    return pb.WithdrawSheetRequest(
        request_id=fresh(),
        tournament_id=event,
        table_id=table_id,
        hand_number=hand_number,
        expected_version=version,
    )


async def withdrawn(house: Ledger, event: str, hand_number: int = 1, table_id: str = TABLE) -> None:
    version = (await house.tournament(event)).version
    await house.service.WithdrawSheet(taking_back(event, version, hand_number, table_id))


def proposal(event: str) -> pb.ProposeDealRequest:
    return pb.ProposeDealRequest(request_id=fresh(), tournament_id=event, player_id="ann")


async def test_a_deal_is_proposed_once_the_sheet_is_taken_back(house: Ledger) -> None:
    rules = tournament_rules(deal=option.DEAL_KIND_CHIP_COUNT, top_prize_above_fee=False, starting_stack_chips=STACK)
    event = await house.event(PLAYERS, rules)
    await house.sheet(event, 1)
    cause = await refused(house.backend.ProposeDeal(proposal(event)), Reason.DEAL_NOT_ALLOWED)
    assert "a hand is being played" in cause["cause"]
    await withdrawn(house, event)
    deal = (await house.backend.ProposeDeal(proposal(event))).deal
    assert (await house.tournament(event)).deal == deal
    await house.hand(event, {"ann": 10, "bob": -10})  # played on: what was proposed is void
    assert not (await house.tournament(event)).HasField("deal")
    await house.sound()


async def test_what_is_bought_after_the_sheet_was_taken_back_is_in_the_next_one(house: Ledger) -> None:
    add_on = AddOnTerms(offered=True, price_max_minor=1000, last_level=2)
    event = await house.event(PLAYERS, tournament_rules(add_on=add_on, starting_stack_chips=STACK))
    before = {seat.player_id: seat.chips for seat in (await house.sheet(event, 1)).seats}
    await withdrawn(house, event)
    await house.add_on(event, "bob", 1000)
    after = {seat.player_id: seat.chips for seat in (await house.sheet(event, 1)).seats}
    assert after["bob"] > before["bob"]
    assert (after["ann"], after["cid"]) == (before["ann"], before["cid"])
    await house.sound()


async def test_no_hand_is_booked_on_a_sheet_that_was_taken_back(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    sheet = await house.sheet(event, 1)
    await withdrawn(house, event)
    await refused(house.record(event, 1, sheet, {"ann": 10, "bob": -10}), Reason.OUT_OF_STEP)
    await house.record(event, 1, await house.sheet(event, 1), {"ann": 10, "bob": -10})


async def test_taking_back_what_is_not_open_writes_nothing(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    version = (await house.tournament(event)).version
    await withdrawn(house, event)
    await withdrawn(house, event, table_id="nowhere")
    assert (await house.tournament(event)).version == version
    await house.hand(event, {"ann": 10, "bob": -10})
    await house.sheet(event, 2)
    version = (await house.tournament(event)).version
    await withdrawn(house, event, 1)  # that hand was played
    assert (await house.tournament(event)).version == version
    await house.cancel(event)
    await withdrawn(house, event, 2)


async def test_a_request_that_was_late_on_its_way_takes_back_no_sheet_of_a_hand_that_is_played(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    late = taking_back(event, (await house.tournament(event)).version)
    sheet = await house.sheet(event, 1)
    await refused(house.service.WithdrawSheet(late), Reason.VERSION_CONFLICT)
    await house.record(event, 1, sheet, {"ann": 10, "bob": -10})
