"""Sets of ranks as 13-bit masks (bit 0 a deuce, bit 12 an ace), and what is best in each: tables of 8,192 entries.

A run of ranks is packed four bits each, the most important one first, as strengths want it.
"""

from typing import Final

RANK_COUNT: Final = 13
SET_COUNT: Final = 1 << RANK_COUNT
DIGIT_BITS: Final = 4
WHEEL: Final = 0b1_0000_0000_1111
WHEEL_DIGITS: Final = 0x3210C


def _best(count: int) -> tuple[int, ...]:
    """For every set its highest ranks, at most so many, packed; zeros behind where there are fewer."""
    best = [0] * SET_COUNT
    shift = DIGIT_BITS * (count - 1)
    fewer = _best(count - 1) if count > 1 else ()
    for ranks in range(1, SET_COUNT):
        top = ranks.bit_length() - 1
        best[ranks] = top << shift | (fewer[ranks ^ (1 << top)] if fewer else 0)
    return tuple(best)


def _straights() -> tuple[int, ...]:
    """For every set its highest straight, packed; 0 where there is none."""
    runs = [(0b11111 << low, _run_digits(low + DIGIT_BITS)) for low in range(RANK_COUNT - 5, -1, -1)]
    runs.append((WHEEL, WHEEL_DIGITS))
    table = [0] * SET_COUNT
    for run, digits in reversed(runs):
        rest = (SET_COUNT - 1) ^ run
        extra = rest
        while True:  # every set that holds the run; the highest run is written last
            table[run | extra] = digits
            if not extra:
                break
            extra = (extra - 1) & rest
    return tuple(table)


def _run_digits(top: int) -> int:
    return sum((top - place) << DIGIT_BITS * (4 - place) for place in range(5))


TOP_ONE: Final = _best(1)
TOP_TWO: Final = _best(2)
TOP_THREE: Final = _best(3)
TOP_FIVE: Final = _best(5)
STRAIGHT_DIGITS: Final = _straights()
