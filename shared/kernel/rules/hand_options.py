"""Values of the hand options (rule numbers and C numbers as in the rule reference)."""

from enum import StrEnum


class DealerPosition(StrEnum):
    """Where the virtual dealer sits (C20)."""

    FIXED = "FIXED"  # Before seat 1 in every hand.
    ROTATE = "ROTATE"  # One seat further after every hand.


class BurnStreets(StrEnum):
    """Before which streets a card is burned (C22, rule 84)."""

    FOURTH_TO_SEVENTH = "FOURTH_TO_SEVENTH"  # Fourth, fifth, sixth and seventh.
    FOURTH_TO_SIXTH = "FOURTH_TO_SIXTH"  # Fourth, fifth and sixth.
    NONE = "NONE"  # Never.


class RiverBurnShortfall(StrEnum):
    """The stub serves every player but not the burn as well (C23)."""

    SKIP = "SKIP"  # Deal without burning.
    RESHUFFLE = "RESHUFFLE"  # Shuffle stub and burned cards together.


class Exhaustion(StrEnum):
    """What happens when the stub cannot serve the river (C24, rules 87-91)."""

    RESHUFFLE_ELSE_COMMON = (
        "RESHUFFLE_ELSE_COMMON"  # Burned cards and stub are shuffled together; one common card if that is too few.
    )
    COMMON_AT_ONCE = "COMMON_AT_ONCE"  # One common card at once.
    TDA = "TDA"  # Tournament directors' procedure with two cards in reserve.
    RRP = "RRP"  # The stub down to its last card, that one mixed with the burned cards.


class CommonCardSource(StrEnum):
    """Where the common card comes from (C25)."""

    STUB_AND_BURNS = "STUB_AND_BURNS"  # From stub and burned cards, mixed.
    BURNS = "BURNS"  # From the burned cards, shuffled.
    STUB = "STUB"  # The next card of the stub.


class BurnAfterReshuffle(StrEnum):
    """Whether a card is burned from the reshuffled stub (rule 87)."""

    NEVER = "NEVER"  # Dealt straight away.
    IF_SPARE = "IF_SPARE"  # Burned when one is left over.
    REQUIRED = "REQUIRED"  # The burn counts among the cards needed.


class CommonCardOpener(StrEnum):
    """Who opens the river after a common card (C26)."""

    UP_CARDS = "UP_CARDS"  # The best four up cards.
    UP_CARDS_AND_COMMON = "UP_CARDS_AND_COMMON"  # The best four up cards with the common card.


class BringInBy(StrEnum):
    """Which door card brings in (C3)."""

    LOW = "LOW"  # The lowest.
    HIGH = "HIGH"  # The highest.
    LOW_LIMIT_HIGH_POT = "LOW_LIMIT_HIGH_POT"  # The lowest in limit and no limit, the highest in pot limit.


class SuitOrder(StrEnum):
    """Order of suits from lowest to highest, for ties of door cards only (C4)."""

    CDHS = "CDHS"  # Clubs, diamonds, hearts, spades.
    SHDC = "SHDC"  # Spades, hearts, diamonds, clubs.


class HighDoorTie(StrEnum):
    """Tie of the highest door cards where the highest brings in (C5)."""

    SUIT = "SUIT"  # Highest suit.
    POSITION = "POSITION"  # Nearest to dealer's left.


class BringInFold(StrEnum):
    """Whether the bring-in may be declined, and who has the duty next (C1, rules 29-30)."""

    NO = "NO"  # It must be paid.
    PASS_NEXT_LOWEST = "PASS_NEXT_LOWEST"  # The next lowest door card still in.
    PASS_LEFT = "PASS_LEFT"  # The next able player to the left.


class BringInNoChips(StrEnum):
    """The low card is all-in for the ante: who opens instead (C6, rule 34)."""

    LEFT = "LEFT"  # The next able player to its left.
    NEXT_LOWEST = "NEXT_LOWEST"  # The lowest door card among able players.


class ShortBringInPrice(StrEnum):
    """What others pay when the bring-in was posted short (C7)."""

    NOMINAL = "NOMINAL"  # The full bring-in.
    ACTUAL = "ACTUAL"  # What was posted.


class ThirdStreetOverBringIn(StrEnum):
    """The first wager over the bring-in (C9)."""

    COMPLETE = "COMPLETE"  # Up to the lower limit.
    ADD = "ADD"  # The bring-in and the lower limit.


class HeadsUpCap(StrEnum):
    """Whether the raise cap holds with two players (C11, rule 51)."""

    LIFT_BEFORE_CAP = "LIFT_BEFORE_CAP"  # No cap once two are left, if that happened before the cap was reached.
    ALWAYS = "ALWAYS"  # It always holds.
    LIFT_ANYTIME = "LIFT_ANYTIME"  # No cap whenever two are left.
    STREET_START = "STREET_START"  # No cap on a street that begins with two.
    LAST_TWO_OF_EVENT = "LAST_TWO_OF_EVENT"  # No cap only when two are left in the whole event.
    NUMBER = "NUMBER"  # Another cap, heads_up_raise_cap.


class OpenPairFourth(StrEnum):
    """Who may use the upper limit on fourth street over an open pair (C13)."""

    OFF = "OFF"  # Nobody.
    HOLDER_BET = "HOLDER_BET"  # Only the player showing the pair may bet it.
    HOLDER_BET_RAISE = "HOLDER_BET_RAISE"  # Only that player may bet or raise by it.
    ANY_PLAYER = "ANY_PLAYER"  # Any player may bet or raise by it.


class BigBetMinimum(StrEnum):
    """The minimum bet of pot limit and no limit (C15)."""

    LOWER = "LOWER"  # The lower limit.
    UPPER = "UPPER"  # The upper limit.
    BRING_IN = "BRING_IN"  # The bring-in.


class PotLimitMax(StrEnum):
    """The largest raise of pot limit (C17)."""

    POT_AFTER_CALL = "POT_AFTER_CALL"  # The call first, then a raise by the pot including it.
    POT_BEFORE_CALL = "POT_BEFORE_CALL"  # A raise by the pot before the call.


class PotBelowMinimum(StrEnum):
    """The pot-limit maximum is below the minimum (C16)."""

    MINIMUM_ALLOWED = "MINIMUM_ALLOWED"  # The minimum is allowed.
    NO_RAISE = "NO_RAISE"  # No wager is allowed.


class ShortAllInLimit(StrEnum):
    """When a short all-in counts as full in limit (C18, rules 71-76)."""

    HALF = "HALF"  # From half a bet on.
    FULL = "FULL"  # Only a full bet.
    NONE = "NONE"  # Never.


class ShortAllInBigBet(StrEnum):
    """How short all-ins reopen in pot limit and no limit (C18)."""

    CUMULATIVE = "CUMULATIVE"  # Several together may reopen.
    SINGLE = "SINGLE"  # Each is judged alone.


class OpenerTie(StrEnum):
    """Tie of the highest boards (C19)."""

    POSITION = "POSITION"  # Nearest to dealer's left.
    SUIT = "SUIT"  # Suit of the highest card.


class AllInHighHand(StrEnum):
    """The highest board cannot act (C21)."""

    NEXT_CLOCKWISE = "NEXT_CLOCKWISE"  # The next able player clockwise from it.
    BEST_ABLE = "BEST_ABLE"  # The highest board among able players.


class ShowFirstUnbet(StrEnum):
    """Who shows first when the river had no wager (C27)."""

    HIGH_BOARD = "HIGH_BOARD"  # The highest up cards.
    FIRST_TO_ACT = "FIRST_TO_ACT"  # Who was first to act on the river.


class AllInExposure(StrEnum):
    """When hands are turned up after the betting ended with an all-in (C28)."""

    IMMEDIATE = "IMMEDIATE"  # At once.
    SHOWDOWN_ORDER = "SHOWDOWN_ORDER"  # At the showdown, in order.


class MuckedInHistory(StrEnum):
    """Who finds mucked showdown hands in the history (C29)."""

    OWNER_ONLY = "OWNER_ONLY"  # Their owner.
    PLAYERS_OF_HAND = "PLAYERS_OF_HAND"  # All who were dealt into the hand.


class AskToSee(StrEnum):
    """Who may ask to see a mucked hand (rule 115)."""

    NONE = "NONE"  # Nobody.
    HISTORY = "HISTORY"  # Players dealt into the hand, through the history.
    CALLER_VS_AGGRESSOR = "CALLER_VS_AGGRESSOR"  # A caller of a river bet, against the last aggressor.


class OddChip(StrEnum):
    """Who gets the chip that cannot be split (C30, rules 123-127)."""

    FIVE_CARD_SUIT = "FIVE_CARD_SUIT"  # Highest card by suit of the five that play.
    SEVEN_CARD_SUIT = "SEVEN_CARD_SUIT"  # Highest card by suit of all seven.
    POSITION = "POSITION"  # Nearest to dealer's left.
