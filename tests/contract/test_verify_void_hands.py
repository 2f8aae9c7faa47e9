"""Void hands are proved as far as they went, and what a table tells of a street is the whole of it, told once."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_records import HandRecords
from services.console.domain.fair_check import check
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.adapters.evaluator_client import EvaluatorClient
from services.orchestrator.domain.dealing import StreetDeal
from services.orchestrator.domain.ranking import BoardOrder
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from tests.contract.test_verify_what_happens import (
    QUIET,
    Json,
    played,
    proved,
    refused_by_both,
    shown_in,
    voided_when_hands_lie_open,
)
from tests.support.table_suite import TableSuite, card_room, heads_up, kinds, open_table


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


@pytest.mark.parametrize("street", [Street.FOURTH, Street.SEVENTH])
async def test_a_player_proves_the_own_cards_of_a_street_that_the_table_never_told_without_the_dealers_record(
    suite: TableSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, street: Street
) -> None:
    """The dealer dealt it, and nobody could order the boards: the hand is void, and the house was honest."""
    honest = EvaluatorClient.order_boards

    async def order_boards(evaluator: EvaluatorClient, boards: Sequence[Any], *asked: Any) -> BoardOrder:
        if len(boards[0].up_cards) == (2 if street is Street.FOURTH else 4):
            raise DomainError(Reason.CARDS_INVALID, "these boards cannot be ordered")
        return await honest(evaluator, boards, *asked)

    async def deal_street(dealer: DealerClient, hand_id: str, due: Street, live: Sequence[int]) -> StreetDeal:
        dealt = await honest_deal(dealer, hand_id, due, live)
        if due is street:
            raise DomainError(Reason.NOT_FOUND, "the answer makes no sense")
        return dealt

    honest_deal = DealerClient.deal_street
    if street is Street.FOURTH:
        monkeypatch.setattr(EvaluatorClient, "order_boards", order_boards)
    else:
        monkeypatch.setattr(DealerClient, "deal_street", deal_street)
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit(*(f"player{number}" for number in range(8)))
    await table.resume()
    hand = await played(table, QUIET)
    assert "hand_voided" in kinds(hand.events)
    for player_id in list(table.players.values())[:3]:
        request = pb.GetHandRequest(hand_id=hand.hand_id, player_id=player_id, own_openings=True)
        mine = await suite.tables.GetHand(request)
        proven = check(HandRecords(hand=mine, player_id=player_id).evidence())
        assert len(proven.cards) == len(mine.own_openings)
        assert "one more street was dealt" in " ".join(proven.limits)
        await proved(suite, mine, tmp_path)


def third_street_of(content: Json) -> Json:
    """What the table tells of the first seat on third street."""
    dealt: Json = next(event["street_dealt"] for event in content["hand"]["events"] if "street_dealt" in event)
    first: Json = dealt["seats"][0]
    return first


def without_an_up_card(content: Json) -> None:
    """The first up card of a street that was told."""
    third_street_of(content)["up_cards"].clear()


def an_up_card_twice(content: Json) -> None:
    """The same card, shown two times."""
    third_street_of(content)["up_cards"] *= 2


def a_down_card_more(content: Json) -> None:
    """A seat with three down cards on third street."""
    third_street_of(content)["down_cards"].append("CARD_FACE_DOWN")


def no_down_cards(content: Json) -> None:
    """A seat with none."""
    third_street_of(content)["down_cards"].clear()


def a_card_that_plays_twice(content: Json) -> None:
    """A pair of one card."""
    shown = shown_in(content)
    shown["best_five"] = [shown["cards"][0], *shown["cards"][:4]]


def four_that_play(content: Json) -> None:
    """One of the five is left out."""
    shown = shown_in(content)
    shown["best_five"] = shown["cards"][:4]


WRONG_COUNTS = (
    without_an_up_card,
    an_up_card_twice,
    a_down_card_more,
    no_down_cards,
    a_card_that_plays_twice,
    four_that_play,
)


@pytest.mark.parametrize("void", [False, True])
async def test_each_card_that_the_table_tells_is_told_once_and_none_is_left_out(
    suite: TableSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, void: bool
) -> None:
    """Of a void hand too: what was told of a street is the whole of it."""
    if void:
        hand = await voided_when_hands_lie_open(suite, monkeypatch)
    else:
        hand = await played(await heads_up(suite, scripted_hands=[]), QUIET)
    await proved(suite, hand, tmp_path)
    file = tmp_path / "hand.json"
    whole = file.read_text()
    for change in WRONG_COUNTS:
        content = json.loads(whole)
        change(content)
        file.write_text(json.dumps(content))
        assert refused_by_both(file), change.__name__
