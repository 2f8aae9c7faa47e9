"""Each seat its own openings: all of its own cards, street by street, and never one of another seat."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.console.domain.fair_check import check
from services.console.domain.fair_record import DealerRecord, Evidence, OwnOpenings
from shared.kernel.errors import Reason
from shared.rpc.mirror import from_proto
from tests.support.dealer_calls import PlayedHand, Table, dealer, refused
from tests.support.seat_keys import SeatHolder
from tests.support.servers import calling


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with dealer(tmp_path) as server, calling(server.address) as channel:
        yield Table(DealerServiceStub(channel))


async def own(hand: PlayedHand, seat: int) -> pb.GetOpeningsResponse:
    """A seat's own openings."""
    return await hand.stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=seat))


async def prove(hand: PlayedHand, seat: int) -> int:
    """How many cards of a seat are proved by its own openings against the public record."""
    record = from_proto(await hand.proof(), DealerRecord)
    openings = from_proto(await own(hand, seat), OwnOpenings)
    proven = check(Evidence(record=record, own=openings))
    return sum(place.seat in {seat, 0} for place, _ in proven.cards.values())


async def test_openings_grow_with_the_streets_and_stay_after_the_end(table: Table) -> None:
    hand = await table.open(4)
    for street, count in enumerate((3, 4, 5, 6, 7)):
        live = 4 if street < 2 else 3
        await hand.deal(live)
        openings = (await own(hand, 2)).openings
        assert sorted(each.card for each in openings) == sorted(hand.cards(2))
        assert len(openings) == await prove(hand, 2) == count
        assert len((await own(hand, 4)).openings) == min(count, 4)
    before = await own(hand, 2)
    await hand.close()
    assert await own(hand, 2) == before


async def test_no_card_is_opened_to_two_seats_but_the_common_one(table: Table) -> None:
    hand = await table.open(8)
    river = await hand.deal_all(8, 8, 8, 8)
    by_seat = {seat: {each.position for each in (await own(hand, seat)).openings} for seat in range(1, 9)}
    common = set.intersection(*by_seat.values())
    assert len(common) == 1
    assert {each.card for each in (await own(hand, 1)).openings if each.seat == 0} == {river.common_card}
    assert sum(len(each - common) for each in by_seat.values()) == len(set.union(*by_seat.values()) - common) == 48
    await hand.close()
    assert await prove(hand, 5) == 7


async def test_own_openings_after_a_reshuffle_are_proved_as_well(table: Table) -> None:
    hand = await table.open(8)
    river = await hand.deal_all(8, 8, 8, 3)
    assert river.source == pb.CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS
    await hand.close()
    assert [await prove(hand, seat) for seat in (1, 2, 3)] == [7, 7, 7]
    assert await prove(hand, 8) == 6


@pytest.mark.parametrize("told_by", ["reveal", "show", "close", "void"])
async def test_sealed_cards_are_in_no_openings_before_a_step_of_the_record_tells_them(
    table: Table, told_by: str
) -> None:
    """Whoever took the orchestrator or its certificate asks for the openings of every seat while the hand is played."""
    hand = await table.open(3, seat_keys=[pb.SeatKey(seat=1, public_key=SeatHolder().public_key)])
    for _ in range(5):
        assert (await refused(own(hand, 1))).reason is Reason.OUT_OF_STEP
        await hand.deal(3)
        assert (await refused(own(hand, 1))).reason is Reason.OUT_OF_STEP
        assert len((await own(hand, 2)).openings) == len(hand.cards(2))
    if told_by in {"reveal", "show"}:
        await getattr(hand, told_by)(2)
        assert (await refused(own(hand, 1))).reason is Reason.OUT_OF_STEP
        await getattr(hand, told_by)(1, 3)
        assert {1, 2, 3} <= {seat for step in (await hand.proof()).steps for seat in step.seats}
    else:
        await getattr(hand, told_by)()
    assert len((await own(hand, 1)).openings) == 7
