"""Options of a hand that the table itself carries out, every value of each (C20, C28, C29, rule 115)."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sevenstud.common.v1.card_pb2 import CARD_FACE_DOWN
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.errors import Reason
from shared.kernel.rules import AllInExposure, AskToSee, DealerPosition, MuckedInHistory
from tests.support.driven_options import drives, set_options
from tests.support.ledger_house import refused
from tests.support.table_suite import (
    CHECKED_DOWN,
    KINGS_FULL,
    TO_THE_RIVER,
    TableSuite,
    card_room,
    heads_up,
    kinds,
    scripted,
)

LADDER = [f"{2 if to % 10 == 0 else 1} raise {to}" for to in range(10, 100, 5)]
"""Raises by 5 in turn until hardly a chip is left."""


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


def hand(**options: object) -> Callable[[RuleSet], None]:
    return lambda rules: set_options(rules.hand, **options)


@drives("dealer_position", *DealerPosition)
async def test_the_virtual_dealer_stays_or_goes_round(suite: TableSuite, dealer_position: DealerPosition) -> None:
    rules = card_room(dealer=hand(dealer_position=dealer_position))
    table = await heads_up(suite, rules, scripted_hands=[scripted(KINGS_FULL)] * 2, hands_max=2)
    for number in (1, 2):
        await table.until(lambda view, number=number: view.hand_number == number)  # type: ignore[misc]  # bound here
        await table.play("2 bring_in", "1 fold")
    started = [event.hand_started for event in (await table.hand(2)).events if event.HasField("hand_started")]
    first = {DealerPosition.FIXED: 1, DealerPosition.ROTATE: 2}[dealer_position]
    assert started[0].seats[0].seat == first


@drives("all_in_exposure", *AllInExposure)
async def test_hands_lie_open_at_once_or_at_the_showdown(suite: TableSuite, all_in_exposure: AllInExposure) -> None:
    table = await heads_up(suite, card_room(exposure=hand(all_in_exposure=all_in_exposure, raise_cap=0)))
    await table.play("2 bring_in", "1 complete 5", *LADDER, "2 raise 99", "1 call")
    happened = kinds((await table.hand(1)).events)
    last_street = max(at for at, kind in enumerate(happened) if kind == "street_dealt")
    assert (happened.index("hand_shown") < last_street) == (all_in_exposure is AllInExposure.IMMEDIATE)


@drives("ask_to_see", *AskToSee)
async def test_the_winner_asks_to_see_the_beaten_hand(suite: TableSuite, ask_to_see: AskToSee) -> None:
    table = await heads_up(suite, card_room(asking=hand(ask_to_see=ask_to_see)))
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    await table.hand(1)
    ask = pb.AskToSeeRequest(hand_id=f"{table.table_id}.1", player_id="ann", seat=2)
    if ask_to_see is AskToSee.HISTORY:
        assert len((await suite.tables.AskToSee(ask)).cards) == 7
    else:  # nobody may, or only a caller on the river, and nobody bet there
        await refused(suite.tables.AskToSee(ask), Reason.NOT_PERMITTED)


@drives("mucked_in_history", *MuckedInHistory)
async def test_a_mucked_hand_is_in_the_history_of_whom_the_rules_name(
    suite: TableSuite, mucked_in_history: MuckedInHistory
) -> None:
    table = await heads_up(
        suite, card_room(history=hand(mucked_in_history=mucked_in_history, ask_to_see=AskToSee.NONE))
    )
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    found = await table.hand(1, "ann")
    deal = next(event.street_dealt for event in found.events if event.HasField("street_dealt"))
    (beaten,) = (each.down_cards for each in deal.seats if each.seat == 2)
    assert (CARD_FACE_DOWN in beaten) == (mucked_in_history is MuckedInHistory.OWNER_ONLY)
