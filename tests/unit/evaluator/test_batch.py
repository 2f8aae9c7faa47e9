"""Batches: packed masks in, packed strengths out, slice by slice."""

import struct
from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.slots import Slots
from services.evaluator.domain.strength import strength_of
from shared.kernel.cards import mask_of, parse_cards
from shared.kernel.errors import DomainError, Reason

ROYAL = mask_of(parse_cards("Tc Jc Qc Kc Ac 2d 3d"))
FIVE = mask_of(parse_cards("2c 3d 4h 5s 7c"))


class TwoAtATime(PlainEngine):
    slice_hands = 2


def batches(places: int = 1) -> ValueBatch:
    return ValueBatch(TwoAtATime(), Slots("batches_max", places))


def packed(masks: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(masks)}Q", *masks)


async def test_strengths_come_in_the_order_of_the_hands_over_all_slices() -> None:
    masks = [ROYAL, FIVE, FIVE, ROYAL, FIVE]
    strengths = await batches().strengths(packed(masks))
    assert struct.unpack("<5I", strengths) == tuple(strength_of(mask) for mask in masks)


async def test_an_empty_batch_has_no_strengths() -> None:
    assert await batches().strengths(b"") == b""


async def test_half_a_hand_is_refused() -> None:
    with pytest.raises(DomainError) as refusal:
        await batches().strengths(packed([ROYAL])[:7])
    assert refusal.value.reason is Reason.REQUEST_INVALID


async def test_a_bad_hand_in_a_later_slice_is_named_by_its_place() -> None:
    with pytest.raises(DomainError) as refusal:
        await batches().strengths(packed([ROYAL, FIVE, FIVE, 0]))
    assert refusal.value.violations[0].field == "masks[3]"


async def test_more_batches_at_once_than_places_are_refused_and_places_come_free_again() -> None:
    slots = Slots("batches_max", 1)
    batch = ValueBatch(TwoAtATime(), slots)
    with slots.taken(), pytest.raises(DomainError) as refusal:
        await batch.strengths(packed([ROYAL]))
    assert refusal.value.reason is Reason.LIMIT_REACHED
    assert len(await batch.strengths(packed([ROYAL]))) == 4


async def test_a_refused_batch_gives_its_place_back() -> None:
    batch = batches()
    with pytest.raises(DomainError):
        await batch.strengths(packed([0]))
    assert len(await batch.strengths(packed([ROYAL]))) == 4


@pytest.mark.parametrize(("places", "of_one_caller"), [(1, 1), (2, 1), (8, 6), (16, 12)])
def test_one_caller_never_has_all_the_places_and_others_find_one(places: int, of_one_caller: int) -> None:
    slots = Slots("batches_max", places)
    with ExitStack() as stack:
        for _ in range(of_one_caller):
            stack.enter_context(slots.taken("backend:greedy"))
        with pytest.raises(DomainError) as refusal, slots.taken("backend:greedy"):
            pass
        assert refusal.value.reason is Reason.LIMIT_REACHED
        for number in range(places - of_one_caller):
            stack.enter_context(slots.taken(f"backend:{number}"))
    with slots.taken("backend:greedy"):
        pass
