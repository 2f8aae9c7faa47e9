"""Values of the cash options (rule numbers and C numbers as in the rule reference)."""

from enum import StrEnum


class BuyIn(StrEnum):
    """How a cash buy-in is sized (rule 193)."""

    FIXED = "FIXED"  # One amount.
    RANGE = "RANGE"  # Between a least and a largest amount.


class CashAdd(StrEnum):
    """When chips may be added at a cash table (C46)."""

    WHEN_BUSTED = "WHEN_BUSTED"  # With no chips left, a full buy-in.
    BELOW_BUY_IN = "BELOW_BUY_IN"  # Below the buy-in, up to it.
    NEVER = "NEVER"  # Never.


class AnteToggle(StrEnum):
    """Whether a player may switch the automatic ante off (rule 19)."""

    OFF = "OFF"  # No, the ante is always paid.
    PER_PLAYER = "PER_PLAYER"  # Yes, each for himself.
