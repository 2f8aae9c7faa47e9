"""The kinds of hand, from lowest to highest (rule 117)."""

from enum import IntEnum


class HandCategory(IntEnum):
    """Kind of hand; the number is the leading digit of a strength."""

    HIGH_CARD = 1  # Nothing.
    PAIR = 2  # Two of a rank.
    TWO_PAIR = 3  # Twice two of a rank.
    THREE_OF_A_KIND = 4  # Three of a rank.
    STRAIGHT = 5  # Five ranks in a row.
    FLUSH = 6  # Five of a suit.
    FULL_HOUSE = 7  # Three of a rank and two of another.
    FOUR_OF_A_KIND = 8  # Four of a rank.
    STRAIGHT_FLUSH = 9  # Five of a suit in a row.
    ROYAL_FLUSH = 10  # Ten to ace of a suit.
