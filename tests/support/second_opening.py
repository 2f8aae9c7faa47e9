"""The opening of third street read a second time: who owes the bring-in, in which order, and what an opener may do.

Written from rules 23-38 and the door cards alone, with none of the services' code.
"""

from dataclasses import dataclass, field

from shared.kernel.cards import Card, rank_of, suit_of
from shared.kernel.game import Structure
from shared.kernel.rules import (
    BigBetMinimum,
    BringInBy,
    BringInFold,
    BringInNoChips,
    HandRules,
    HighDoorTie,
    PotBelowMinimum,
    Stakes,
    SuitOrder,
)

TWO = 2
Opening = tuple[int, bool, int, int]
"""The seat to open (0 = nobody), whether it may fold, chips of the bring-in, total of the full bet (0 = none)."""


@dataclass(slots=True, kw_only=True)
class SecondOpening:
    """Third street before anybody has paid."""

    rules: HandRules
    stakes: Stakes
    doors: dict[int, Card]
    """By seat, in dealing order."""
    behind: dict[int, int]
    """Chips after the ante."""
    middle: int
    """Chips in the middle."""
    folded: set[int] = field(default_factory=set[int])

    @property
    def able(self) -> list[int]:
        """Seats that went into the street with chips."""
        return [seat for seat in self.doors if self.behind[seat]]

    @property
    def high_opens(self) -> bool:
        """The highest door card opens (rule 24)."""
        pot_limit = self.rules.structure is Structure.POT_LIMIT
        by = self.rules.bring_in_by
        return by is BringInBy.HIGH or (by is BringInBy.LOW_LIMIT_HIGH_POT and pot_limit)

    def cards_in_order(self) -> list[int]:
        """Seats from the card that opens on (rules 23-27)."""
        upwards = self.rules.bring_in_suits is SuitOrder.CDHS
        suits = {seat: suit_of(card) if upwards else -suit_of(card) for seat, card in self.doors.items()}
        if not self.high_opens:
            return sorted(self.doors, key=lambda seat: (rank_of(self.doors[seat]), suits[seat]))
        if self.rules.high_door_tie is HighDoorTie.POSITION:
            return sorted(self.doors, key=lambda seat: -rank_of(self.doors[seat]))
        return sorted(self.doors, key=lambda seat: (-rank_of(self.doors[seat]), -suits[seat]))

    def left_of(self, seat: int) -> list[int]:
        """Able seats clockwise from a seat."""
        round_table = list(self.doors)
        at = round_table.index(seat)
        return [other for other in (*round_table[at + 1 :], *round_table[:at]) if other in self.able]

    @property
    def stands_in(self) -> bool:
        """The card that should open has no chips, and the house goes to its left (rule 34)."""
        first = self.cards_in_order()[0]
        return first not in self.able and self.rules.bring_in_no_chips is BringInNoChips.LEFT

    def duty(self) -> list[int]:
        """Seats as the duty falls to them (rules 30, 34, 35)."""
        in_order = self.cards_in_order()
        if self.stands_in:
            return self.left_of(in_order[0])
        able = [seat for seat in in_order if seat in self.able]
        if self.rules.bring_in_fold is BringInFold.PASS_LEFT and able:
            return [able[0], *self.left_of(able[0])]
        return able

    def opening(self) -> Opening:
        """Whose turn it is and what it may do (rules 29, 31, 36-38)."""
        left = [seat for seat in self.duty() if seat not in self.folded]
        if len(left) < TWO:
            return 0, False, 0, 0
        seat = left[0]
        may_fold = self.stands_in or self.rules.bring_in_fold is not BringInFold.NO
        return seat, may_fold, min(self.behind[seat], self.stakes.bring_in_chips), self._full(seat)

    def _full(self, seat: int) -> int:
        """Opening for the full bet, or all-in above the bring-in (rules 29, 37, 67, 68)."""
        if not (self.stands_in or self.rules.bring_in_full) or self.behind[seat] <= self.stakes.bring_in_chips:
            return 0
        full = self._full_bet()
        return min(full, self.behind[seat]) if full > self.stakes.bring_in_chips else 0

    def _full_bet(self) -> int:
        if self.rules.structure is Structure.LIMIT:
            return self.stakes.lower_limit_chips
        full = {
            BigBetMinimum.LOWER: self.stakes.lower_limit_chips,
            BigBetMinimum.UPPER: self.stakes.upper_limit_chips,
            BigBetMinimum.BRING_IN: self.stakes.bring_in_chips,
        }[self.rules.big_bet_minimum]
        bounded = self.rules.structure is Structure.POT_LIMIT and self.middle < full
        return 0 if bounded and self.rules.pot_below_minimum is PotBelowMinimum.NO_RAISE else full
