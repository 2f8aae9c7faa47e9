"""The evaluator's inner loops as machine code, made by numba from the Python below (the extra ``compiled``).

Made once and kept beside this file, or where NUMBA_CACHE_DIR says; where nothing can be written it is made at every
start. All of it stands in this one file because the kept code is made anew only when its own file changes.
Numbers of 64 bits without a sign are written so everywhere: mixed with others they would turn into fractions. Arrays
are handed over once and then only indexed: to hand them to a function for each hand takes longer than to value it, so
that a few lines stand here more than once.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
T = TypeVar("T")
Words = NDArray[np.uint64]
Halves = NDArray[np.uint32]
Bytes = NDArray[np.uint8]
Counts = NDArray[np.int64]
Fractions = NDArray[np.float64]
_u8, _u32, _u64 = np.uint8, np.uint32, np.uint64


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Machine code instead of this function, from its first call on; other threads go on while it runs."""
    make: Any = numba.njit(nogil=True, error_model="numpy", cache=True)
    try:
        made = make(function)
    except RuntimeError:  # there is no folder to keep it in
        make = numba.njit(nogil=True, error_model="numpy")
        made = make(function)
    return cast("Callable[P, T]", made)


def inlined(function: Callable[P, T]) -> Callable[P, T]:
    """Machine code that stands where it is called: a call costs more than the work, where arrays are handed over."""
    make: Any = numba.njit(inline="always", error_model="numpy")
    return cast("Callable[P, T]", make(function))


class Tables(NamedTuple):
    """What is looked up, see array_tables."""

    pieces: Words
    """Four rows."""
    shifts: Halves
    strengths: Halves
    flushes: Halves


# --- hands ------------------------------------------------------------------------------------

PIECE_BITS: Final = _u64(13)
PIECE_MASK: Final = _u64(0x1FFF)
LOW_HALF: Final = _u64(0xFFFF_FFFF)
BUCKET_SHIFT: Final = _u64(32 - 14)
SLOT_MASK: Final = _u64((1 << 17) - 1)
FLUSH_OF: Final = (_u64(1 << 43), _u64(1 << 47), _u64(1 << 51), _u64(1 << 55))
FLUSHES: Final = _u64(0x8888 << 40)
SUIT_MASK: Final = _u64(0x1_1111_1111_1111)
FULL_DECK: Final = _u64((1 << 52) - 1)
ONE: Final = _u64(1)


@compiled
def ranks_of_flush(total: Any, mask: Any) -> Any:
    """The ranks of the suit that a hand has five or more of, as 13 bits."""
    ranks = mask
    if total & FLUSH_OF[1]:
        ranks = mask >> _u64(1)
    elif total & FLUSH_OF[2]:
        ranks = mask >> _u64(2)
    elif total & FLUSH_OF[3]:
        ranks = mask >> _u64(3)
    ranks &= SUIT_MASK
    ranks = (ranks | ranks >> _u64(3)) & _u64(0x03_0303_0303_0303)
    ranks = (ranks | ranks >> _u64(6)) & _u64(0x0F_000F_000F_000F)
    ranks = (ranks | ranks >> _u64(12)) & _u64(0xFF_0000_00FF)
    return (ranks | ranks >> _u64(24)) & PIECE_MASK


@compiled
def value_hands(masks: Words, values: Halves, tables: Tables) -> None:
    """The strengths of hands that were checked."""
    pieces, shifts, strengths, flushes = tables
    first, second, third, fourth = pieces[0], pieces[1], pieces[2], pieces[3]
    for place in range(masks.size):
        mask = masks[place]
        total = (
            first[mask & PIECE_MASK]
            + second[mask >> PIECE_BITS & PIECE_MASK]
            + third[mask >> (PIECE_BITS + PIECE_BITS) & PIECE_MASK]
            + fourth[mask >> (PIECE_BITS + PIECE_BITS + PIECE_BITS)]
        )
        if total & FLUSHES:
            values[place] = flushes[ranks_of_flush(total, mask)]
        else:
            ranks = total & LOW_HALF
            values[place] = strengths[(ranks + _u64(shifts[ranks >> BUCKET_SHIFT])) & SLOT_MASK]


@compiled
def all_are_hands(masks: Words) -> bool:
    """Every mask holds five to seven cards of the deck."""
    good = True
    for place in range(masks.size):
        mask = masks[place]
        pairs = mask - (mask >> ONE & _u64(0x5555_5555_5555_5555))
        nibbles = (pairs & _u64(0x3333_3333_3333_3333)) + (pairs >> _u64(2) & _u64(0x3333_3333_3333_3333))
        eights = (nibbles + (nibbles >> _u64(4))) & _u64(0x0F0F_0F0F_0F0F_0F0F)
        cards = (eights * _u64(0x0101_0101_0101_0101)) >> _u64(56)
        good &= (cards - _u64(5) <= _u64(2)) & (mask <= FULL_DECK)
    return good


# --- the numbers of a sample: the Mersenne Twister, as in Python's random ---------------------

STATE_WORDS: Final = 624
READY_NUMBERS: Final = 312
_REACH: Final = 397


class Numbers(NamedTuple):
    """A generator: its state, the numbers made of it, how many of them are used."""

    state: Halves
    ready: Fractions
    used: Counts


@inlined
def _twisted(high: Any, low: Any, far: Any) -> Any:
    mixed = (high & _u32(0x8000_0000)) | (low & _u32(0x7FFF_FFFF))
    return far ^ (mixed >> _u32(1)) ^ ((mixed & _u32(1)) * _u32(0x9908_B0DF))


@inlined
def _tempered(word: Any) -> Any:
    word ^= word >> _u32(11)
    word ^= (word << _u32(7)) & _u32(0x9D2C_5680)
    word ^= (word << _u32(15)) & _u32(0xEFC6_0000)
    return word ^ word >> _u32(18)


@compiled
def refill(numbers: Numbers) -> None:
    """The next 312 numbers, each as `random()` gives it, of two words of the next 624."""
    state, ready = numbers.state, numbers.ready
    for place in range(STATE_WORDS - _REACH):
        state[place] = _twisted(state[place], state[place + 1], state[place + _REACH])
    for place in range(STATE_WORDS - _REACH, STATE_WORDS - 1):
        state[place] = _twisted(state[place], state[place + 1], state[place + _REACH - STATE_WORDS])
    state[STATE_WORDS - 1] = _twisted(state[STATE_WORDS - 1], state[0], state[_REACH - 1])
    for place in range(READY_NUMBERS):
        high = _u32(_tempered(state[2 * place])) >> _u32(5)
        low = _u32(_tempered(state[2 * place + 1])) >> _u32(6)
        ready[place] = (float(high) * 67_108_864.0 + float(low)) * (1.0 / 9_007_199_254_740_992.0)


# --- deals, a block at a time -----------------------------------------------------------------

BLOCK_DEALS: Final = 1_024


class Question(NamedTuple):
    """An equity question."""

    known: Words
    """Known cards of each hand."""
    sums: Words
    """The sums of their entries."""
    starts: Counts
    """Where each portion of the cards drawn starts, the one for all last, and where it ends."""
    bits: Words
    """The deck as masks."""
    entries: Words
    """What each of its cards adds to a sum."""


class Deals(NamedTuple):
    """A block of deals. The first two have a row for each card drawn, the last a row for each deal."""

    places: Bytes
    """The place in the deck that each card drawn is changed for, as in drawn_deals."""
    cards: Bytes
    """The card that lies there then, as a place in the deck in its order."""
    changed: Bytes
    """The first portion that is another than in the deal before."""
    values: Halves
    """What each hand is worth."""


@compiled
def _draw(count: int, deals: Deals, numbers: Numbers, question: Question) -> None:
    """Places named by the next numbers."""
    places, ready, used = deals.places, numbers.ready, numbers.used[0]
    size, drawn = question.bits.size, question.starts[-1]
    for deal in range(count):
        for place in range(drawn):
            if used == READY_NUMBERS:
                refill(numbers)
                used = 0
            places[place, deal] = place + int(ready[used] * (size - place))
            used += 1
    numbers.used[0] = used


@compiled
def _next_portion(places: Counts, starts: Counts, size: int) -> int:
    """The last portion that can get another set of places; the first one where all deals were played."""
    for portion in range(starts.size - 2, -1, -1):
        start, end = starts[portion], starts[portion + 1]
        if start < end and places[start] < size - (end - start):
            return portion
    return 0


@compiled
def _advance(places: Counts, portion: int, starts: Counts, size: int) -> None:
    """The next set of places for a portion, the first one for those behind it."""
    start, end = starts[portion], starts[portion + 1]
    place = end - 1
    while place > start and places[place] == size - end + place:
        place -= 1
    places[place] += 1
    for behind in range(place + 1, end):
        places[behind] = places[behind - 1] + 1
    for behind in range(end, starts[-1]):
        places[behind] = behind


@compiled
def _walk(count: int, deals: Deals, walk: Counts, question: Question) -> None:
    """The next sets of places in their order; ``walk`` holds those of the next deal, and its first changed portion."""
    starts, size, drawn = question.starts, question.bits.size, question.starts[-1]
    for deal in range(count):
        deals.changed[deal] = walk[drawn] if deal else 0
        for place in range(drawn):
            deals.places[place, deal] = walk[place]
        if drawn:
            portion = _next_portion(walk, starts, size)
            _advance(walk, portion, starts, size)
            walk[drawn] = portion


@compiled
def _follow(count: int, cards: Bytes, places: Bytes, before: Any) -> None:
    """What lies at a place that was changed earlier lay at the place it was changed for; many deals in one step."""
    for deal in range(count):
        card = cards[deal]
        cards[deal] = before if card == places[deal] else card


@compiled
def _find_cards(count: int, places: Bytes, cards: Bytes) -> None:
    """Each change of places is followed back to the first."""
    for place in range(places.shape[0]):
        for deal in range(count):
            cards[place, deal] = places[place, deal]
        for before in range(place - 1, -1, -1):
            _follow(count, cards[place], places[before], _u8(before))


@compiled
def _ranks_of_flush(deal: int, hand: int, total: Any, cards: Bytes, question: Question) -> Any:
    """The ranks of the suit that a hand has five or more of."""
    known, _, starts, bits, _ = question
    mask = known[hand]
    for place in range(starts[hand], starts[hand + 1]):
        mask |= bits[cards[place, deal]]
    for place in range(starts[-2], starts[-1]):
        mask |= bits[cards[place, deal]]
    return ranks_of_flush(total, mask)


@compiled
def _value(count: int, deals: Deals, question: Question, tables: Tables) -> None:
    """What each hand is worth in each deal; where nothing of it changed, what it was worth in the deal before."""
    cards, changed, values = deals.cards, deals.changed, deals.values
    known, sums, starts, _, entries = question
    _, shifts, strengths, flushes = tables
    own, drawn = starts[-2], starts[-1]
    for deal in range(count):
        for hand in range(changed[deal]):
            values[deal, hand] = values[deal - 1, hand]
        for hand in range(changed[deal], known.size):
            total = sums[hand]
            for place in range(starts[hand], starts[hand + 1]):
                total += entries[cards[place, deal]]
            for place in range(own, drawn):
                total += entries[cards[place, deal]]
            if total & FLUSHES:
                values[deal, hand] = flushes[_ranks_of_flush(deal, hand, total, cards, question)]
            else:
                ranks = total & LOW_HALF
                values[deal, hand] = strengths[(ranks + _u64(shifts[ranks >> BUCKET_SHIFT])) & SLOT_MASK]


@compiled
def _count(count: int, values: Halves, counts: Counts) -> None:
    """Who wins each deal, and beside how many others."""
    hands = values.shape[1]
    for deal in range(count):
        best = values[deal, 0]
        for hand in range(1, hands):
            best = max(best, values[deal, hand])
        winners = 0
        for hand in range(hands):
            winners += values[deal, hand] == best
        for hand in range(hands):
            counts[hand, winners - 1] += values[deal, hand] == best


@compiled
def _block(question: Question) -> Deals:
    """Room for a block of deals."""
    drawn, hands = question.starts[-1], question.known.size
    return Deals(
        np.empty((drawn, BLOCK_DEALS), np.uint8),
        np.empty((drawn, BLOCK_DEALS), np.uint8),
        np.zeros(BLOCK_DEALS, np.uint8),
        np.empty((BLOCK_DEALS, hands), np.uint32),
    )


@compiled
def _play(count: int, deals: Deals, question: Question, tables: Tables, counts: Counts) -> None:
    """Who gets which cards, what hands are worth then, who wins."""
    _find_cards(count, deals.places, deals.cards)
    if question.starts[-2] < question.starts[-1]:
        for deal in range(count):  # a card for all may be another in each deal
            deals.changed[deal] = 0
    _value(count, deals, question, tables)
    _count(count, deals.values, counts)


@compiled
def play_sample(wanted: int, numbers: Numbers, question: Question, tables: Tables, counts: Counts) -> None:
    """Deals drawn with the next numbers, counted."""
    deals = _block(question)
    while wanted > 0:
        count = min(wanted, BLOCK_DEALS)
        _draw(count, deals, numbers, question)
        _play(count, deals, question, tables, counts)
        wanted -= count


@compiled
def play_all(wanted: int, walk: Counts, question: Question, tables: Tables, counts: Counts) -> None:
    """The next deals of all that are possible, counted."""
    deals = _block(question)
    while wanted > 0:
        count = min(wanted, BLOCK_DEALS)
        _walk(count, deals, walk, question)
        _play(count, deals, question, tables, counts)
        wanted -= count
