"""Values of the tournament options (rule numbers and C numbers as in the rule reference)."""

from enum import StrEnum


class LevelTrigger(StrEnum):
    """What ends a level (C38)."""

    TIME = "TIME"  # Elapsed time.
    HANDS = "HANDS"  # Number of hands.
    FIRST_OF_BOTH = "FIRST_OF_BOTH"  # Whichever comes first.
    LAST_OF_BOTH = "LAST_OF_BOTH"  # Whichever comes last.


class LevelApplies(StrEnum):
    """From when a new level holds (rule 152)."""

    NEXT_HAND = "NEXT_HAND"  # From the next hand.


class Formula(StrEnum):
    """How matches make a tournament (rule 157)."""

    SINGLE_MATCH = "SINGLE_MATCH"  # One table until one player is left.
    ROUNDS = "ROUNDS"  # Table winners or qualifiers meet again.
    MULTI_TABLE = "MULTI_TABLE"  # Many tables, balanced until one is left.


class RebuyThreshold(StrEnum):
    """With how many chips a rebuy is allowed (rule 161)."""

    BELOW = "BELOW"  # Below the starting stack.
    AT_OR_BELOW = "AT_OR_BELOW"  # At or below it.
    BUSTED = "BUSTED"  # Only with none.


class AddOnStackRule(StrEnum):
    """With how many chips an add-on is allowed (C40)."""

    NONE = "NONE"  # Any.
    BELOW_START = "BELOW_START"  # Below the starting stack.


class DoubleChanceRelease(StrEnum):
    """When the second half of the stack comes into play (C39)."""

    ON_BUST_OR_DEADLINE = "ON_BUST_OR_DEADLINE"  # When the first is lost, else at the deadline.
    ON_REQUEST_OR_BUST_OR_DEADLINE = "ON_REQUEST_OR_BUST_OR_DEADLINE"  # Also when the player asks.
    AT_DEADLINE = "AT_DEADLINE"  # Only at the deadline.


class PrizeMode(StrEnum):
    """What prizes are for (rule 174)."""

    WINNER = "WINNER"  # All to the winner.
    RANKING = "RANKING"  # By final place.
    ROUNDS = "ROUNDS"  # By rounds passed.


class TopPrizeFix(StrEnum):
    """The top prize would not exceed the fee (rule 175)."""

    FEWER_PLACES = "FEWER_PLACES"  # Fewer places are paid until it does.
    REFUSE = "REFUSE"  # The table is refused.


class PrizeRest(StrEnum):
    """Who gets the cents that do not divide (C47)."""

    LARGEST_REMAINDER = "LARGEST_REMAINDER"  # The largest remainders, ties to the better place.
    WINNER = "WINNER"  # The winner.
    SPREAD_FROM_TOP = "SPREAD_FROM_TOP"  # One each from first place down.


class BonusWhen(StrEnum):
    """When a feat earns its bonus (C45)."""

    SHOWN_DOWN = "SHOWN_DOWN"  # Shown at a showdown.
    ALSO_UNCONTESTED = "ALSO_UNCONTESTED"  # Also shown freely by an uncontested winner.


class BonusTimes(StrEnum):
    """How often a feat earns its bonus (C45)."""

    FIRST = "FIRST"  # Once in the event.
    EVERY = "EVERY"  # Every time.
    PER_PLAYER = "PER_PLAYER"  # Once for each player.


class Feat(StrEnum):
    """A goal that earns a bonus prize (rule 179)."""

    ROYAL_FLUSH = "ROYAL_FLUSH"  # A royal flush.
    STRAIGHT_FLUSH = "STRAIGHT_FLUSH"  # Any straight flush, royal included.
    FOUR_OF_A_KIND = "FOUR_OF_A_KIND"  # Four of a kind.


class SameHandRank(StrEnum):
    """Places of players excluded in one hand (C42)."""

    START_STACK_THEN_SHARE = (
        "START_STACK_THEN_SHARE"  # More chips at the start of the hand ranks higher, equal stacks share.
    )
    SHARE = "SHARE"  # They share.


class HandForHandAcrossTables(StrEnum):
    """Ranking across tables while all play one hand at a time (C43)."""

    CHIPS = "CHIPS"  # By chips at the start of the hand.
    SHARE = "SHARE"  # Shared.
    OFF = "OFF"  # Hand for hand is not played.


class RoundStack(StrEnum):
    """Stacks of later rounds (C41)."""

    RESET = "RESET"  # Equal stacks again.
    CARRY = "CARRY"  # Chips are carried on.


class StudBalance(StrEnum):
    """Who moves when tables are balanced (C44)."""

    FEWEST_MOVES = "FEWEST_MOVES"  # Who was moved least often, ties at random.
    POSITION = "POSITION"  # By seat position.


class StartSeats(StrEnum):
    """How first seats are given."""

    RANDOM = "RANDOM"  # Drawn by lot.
    CHOSEN = "CHOSEN"  # Chosen by the players.


class DealKind(StrEnum):
    """Which split of the remaining prizes players may agree on (rule 203)."""

    OFF = "OFF"  # None.
    EQUAL = "EQUAL"  # Equal shares.
    CHIP_COUNT = "CHIP_COUNT"  # By chips.
    ICM = "ICM"  # By the independent chip model.
    FREE = "FREE"  # Any split that all accept.
