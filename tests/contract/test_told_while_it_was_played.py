"""What a table told while a hand was played, and what it tells of it afterwards: a proof is of the second alone."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_records import HandRecords
from services.console.domain.fair_check import check
from services.console.domain.fair_deal import Place
from services.orchestrator.application import watching
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.visibility import DownCards, Sight, Viewer, sight_of
from shared.kernel.cards import Card
from shared.kernel.game import Street
from tests.contract.test_sealed_seats import quietly, sealed_for, seat
from tests.support.servers import calling
from tests.support.table_suite import TableSuite


def others(cards: tuple[Card, ...] | bytes) -> tuple[Card, ...]:
    """As many cards, each another one."""
    return tuple(Card(card % 52 + 1) for card in cards)


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def test_a_proof_says_that_it_is_not_of_what_was_told_while_the_hand_was_played(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that was bought has a player act on cards that were never dealt, and tells the truth afterwards."""

    def other_cards(viewer: Viewer, hand: Hand | None, down_cards: DownCards) -> Sight:
        mine = sight_of(viewer, hand, down_cards).down_cards
        return Sight({place: others(cards) for place, cards in mine.items()})

    monkeypatch.setattr(watching, "sight_of", other_cards)
    table = await sealed_for(suite, {}, script=False)
    await table.turn()
    acted_on = {Card(card) for card in seat(await table.view("ann"), 1).down_cards}
    while await quietly(table):
        pass
    await table.hand(1)
    asked = pb.GetHandRequest(hand_id=f"{table.table_id}.1", player_id="ann", own_openings=True)
    hand = await suite.tables.GetHand(asked)
    async with calling(suite.dealer_address) as channel:
        proof = await DealerServiceStub(channel).GetProof(dealer_pb.GetProofRequest(hand_id=hand.hand_id))
    for records in (HandRecords(proof=proof, hand=hand, player_id="ann"), HandRecords(hand=hand)):
        proven = check(records.evidence())
        first = {card for place, card in proven.cards.values() if place == Place(1, Street.THIRD, face_up=False)}
        assert len(first) == len(acted_on) == 2
        assert first != acted_on
        (said,) = [line for line in proven.limits if "while the hand was played" in line]
        assert proof.commitment.deck_root.hex() in said
