"""A bought orchestrator ends a hand at the dealer before the last action: from then on sealed cards are open to it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_pb2

from services.console.adapters.hand_records import HandRecords
from services.console.domain import fair_moments
from services.console.domain.fair_check import check
from services.console.domain.fair_record import Mismatch
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.domain.dealing import SeatHandCards, StreetDeal
from shared.kernel.cards import Card
from shared.kernel.game import Street
from tests.contract.test_sealed_seats import quietly, sealed_for
from tests.fairness import verifier
from tests.support.seat_keys import SeatHolder
from tests.support.servers import calling
from tests.support.table_suite import TableSuite

APART_SECONDS = 0.2


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


class Reader:
    """What a bought orchestrator does: it ends the hand with the river, reads, and compares the hands by itself."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: dict[int, tuple[Card, ...]] = {}
        honest, read = DealerClient.deal_street, self.read

        async def cards(dealer: DealerClient, hand_id: str, seat: int) -> tuple[Card, ...]:
            return tuple(each.card for each in await dealer.get_openings(hand_id, seat) if each.seat == seat)

        async def deal_street(dealer: DealerClient, hand_id: str, street: Street, live: Sequence[int]) -> StreetDeal:
            dealt = await honest(dealer, hand_id, street, live)
            if street is Street.SEVENTH and not read:
                await dealer.close_hand(hand_id)
                read.update({seat: await cards(dealer, hand_id, seat) for seat in live})
            return dealt

        async def reveal(dealer: DealerClient, hand_id: str, seats: Sequence[int]) -> tuple[SeatHandCards, ...]:
            return tuple([SeatHandCards(seat=seat, cards=await cards(dealer, hand_id, seat)) for seat in seats])

        monkeypatch.setattr(DealerClient, "deal_street", deal_street)
        monkeypatch.setattr(DealerClient, "reveal_for_ranking", reveal)


async def read_on_the_river(suite: TableSuite, monkeypatch: pytest.MonkeyPatch, last: str) -> HandRecords:
    """A hand of two sealed seats whose cards were read before the river was bet, and how its betting ended."""
    reader = Reader(monkeypatch)
    table = await sealed_for(suite, {"ann": SeatHolder(), "bob": SeatHolder()}, script=False)
    while not reader.read:
        await quietly(table)
        await table.until(lambda view: view.HasField("turn") or view.state == table_pb2.TABLE_STATE_PAUSED)
    assert [len(cards) for cards in reader.read.values()] == [7, 7]
    await asyncio.sleep(2 * APART_SECONDS)
    if last == "a fold":
        turn = (await table.turn()).seat
        await table.act(turn, "BET", 10)
        await table.act(3 - turn, "FOLD")
    while await quietly(table):
        pass
    hand = await table.hand(1)
    async with calling(suite.dealer_address) as channel:
        proof = await DealerServiceStub(channel).GetProof(dealer_pb.GetProofRequest(hand_id=hand.hand_id))
    return HandRecords(proof=proof, hand=hand)


async def test_hands_that_are_compared_when_the_hand_is_over_for_the_dealer_are_not_proved(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever the clocks say: the dealer compares nothing that is over."""
    records = await read_on_the_river(suite, monkeypatch, "a showdown")
    with pytest.raises(Mismatch, match="never told it for that"):
        check(records.evidence())
    records.write(tmp_path / "hand.json")
    assert verifier.main(str(tmp_path / "hand.json")) == 1


async def test_a_hand_that_the_dealer_ended_before_the_last_action_is_not_proved(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_moments, "CLOCKS_APART_SECONDS", APART_SECONDS)
    records = await read_on_the_river(suite, monkeypatch, "a fold")
    with pytest.raises(Mismatch, match="the dealer ended the hand"):
        check(records.evidence())
