"""The wagers of a hand read a second time: what is legal next, worked out from the facts of the table alone.

Written from rules 43-77 and 83 with none of the betting service's code or state, so that the two can disagree. Letters
are those of the rules: B the price of the street, F its last full level, q its largest full bet or raise, r its raises.
Without the open pair and the choices at the bring-in, which the written hands try.
"""

from dataclasses import dataclass, field

from services.betting.domain.actions import ActionKind
from services.betting.domain.facts import ActionTaken, AntePosted, SeatFrozen, UncalledBetReturned
from shared.kernel.game import Street, Structure
from shared.kernel.rules import BigBetMinimum, HandRules, HeadsUpCap, ShortAllInBigBet, ShortAllInLimit, Stakes
from tests.support.in_process_table import InProcessTable, StreetOpened, TableFact

TWO = 2
Legal = tuple[int, int, int, int]
"""What a seat may do: chips of a check or call, least and largest street total of a wager (0 = none), its own seat."""


@dataclass(slots=True, kw_only=True)
class SecondReading:
    """A hand as its facts tell it."""

    rules: HandRules
    stakes: Stakes
    order: tuple[int, ...]
    behind: dict[int, int]
    total: dict[int, int] = field(default_factory=dict[int, int])
    out: set[int] = field(default_factory=set[int])
    """Folded or frozen: they act no more."""
    folded: set[int] = field(default_factory=set[int])
    street: Street = Street.THIRD
    put_in: dict[int, int] = field(default_factory=dict[int, int])
    price: int = 0
    full_level: int = 0
    largest: int = 0
    raises: int = 0
    is_full: bool = False
    """A full bet stands on the street."""
    brought_in: bool = False
    own_price: dict[int, int] = field(default_factory=dict[int, int])
    """What the street cost when a seat last acted."""
    reopened: set[int] = field(default_factory=set[int])
    """Seats after whose last action somebody made a full wager."""
    lifted: bool = False
    last: int = 0
    first: int = 0

    @property
    def able(self) -> list[int]:
        """Seats with chips that may still act."""
        return [seat for seat in self.order if seat not in self.out and self.behind[seat]]

    @property
    def unit(self) -> int:
        """The fixed wager of the street (rule 45)."""
        lower = self.street in self.rules.lower_limit_streets
        return self.stakes.lower_limit_chips if lower else self.stakes.upper_limit_chips

    @property
    def minimum(self) -> int:
        """The minimum bet of pot limit and no limit (rule 61)."""
        return {
            BigBetMinimum.LOWER: self.stakes.lower_limit_chips,
            BigBetMinimum.UPPER: self.stakes.upper_limit_chips,
            BigBetMinimum.BRING_IN: self.stakes.bring_in_chips,
        }[self.rules.big_bet_minimum]

    def read(self, happened: TableFact) -> None:
        """One fact more."""
        match happened:
            case AntePosted():
                self._pay(happened.seat, happened.chips)
            case UncalledBetReturned():
                self._pay(happened.seat, -happened.chips)
            case StreetOpened():
                self._new_street(happened)
            case SeatFrozen():
                self.out.add(happened.seat)
                self.last = happened.seat
                self._lift()
            case ActionTaken():
                self._acted(happened)
            case _:
                pass

    def _pay(self, seat: int, chips: int) -> None:
        self.behind[seat] -= chips
        self.total[seat] = self.total.get(seat, 0) + chips

    def _new_street(self, opened: StreetOpened) -> None:
        self.street, self.first, self.last = opened.street, opened.first_to_act_seat, 0
        self.put_in = dict.fromkeys(self.order, 0)
        self.price = self.full_level = self.largest = self.raises = 0
        self.is_full = self.brought_in = self.lifted = False
        self.own_price, self.reopened = {}, set()
        self._lift(at_start=True)

    def _acted(self, taken: ActionTaken) -> None:
        seat = self.last = taken.seat
        if taken.kind is ActionKind.FOLD:
            self.folded.add(seat)
            self.out.add(seat)
        else:
            self._pay(seat, taken.paid_chips)
            self.put_in[seat] += taken.paid_chips
            self._priced(taken)
            self.own_price[seat] = self.price
            self.reopened.discard(seat)
        self._lift()

    def _priced(self, taken: ActionTaken) -> None:
        if taken.kind is ActionKind.BRING_IN:
            self.price, self.brought_in = self.stakes.bring_in_chips, True
        elif taken.kind in {ActionKind.COMPLETE, ActionKind.BET, ActionKind.RAISE}:
            limit = self.rules.structure is Structure.LIMIT
            if self._fixed(taken.to_chips) if limit else self._big(taken.to_chips):
                self.reopened |= set(self.own_price)
            self.price = taken.to_chips

    def _fixed(self, to_chips: int) -> bool:
        """Limit: what counts as a raise (rules 74-76); the answer is whether it is a full wager (rule 72)."""
        above = to_chips - self.full_level
        half = self.rules.short_all_in_limit is ShortAllInLimit.HALF
        if (2 * above if half else above) >= self.unit:
            self.raises += self.is_full
            self.full_level, self.is_full = to_chips, True
        return above >= self.unit

    def _big(self, to_chips: int) -> bool:
        """Pot limit and no limit: whether it is a full wager (rules 62, 63, 72)."""
        if to_chips < self._least():
            return False
        self.largest = max(self.largest, to_chips - self.price)
        self.is_full = True
        return True

    def _least(self) -> int:
        """The least full wager: the minimum bet, over a bring-in as well; else price and increment."""
        only_brought_in = not self.is_full and self.price in {0, self.stakes.bring_in_chips if self.brought_in else 0}
        if only_brought_in and self.minimum > self.price:
            return self.minimum
        return self.price + max(self.largest, self.minimum)

    def _lift(self, *, at_start: bool = False) -> None:
        """The cap is lifted with two players, as the house has it (rules 51, 52)."""
        live = len([seat for seat in self.order if seat not in self.folded])
        two = live == TWO if self.rules.heads_up_counts_all_in else len(self.able) <= TWO
        option = self.rules.heads_up_cap
        before_cap = option is HeadsUpCap.LIFT_BEFORE_CAP and self.raises < self.rules.raise_cap
        anytime = option is HeadsUpCap.LIFT_ANYTIME or before_cap
        self.lifted |= two and (anytime or (option is HeadsUpCap.STREET_START and at_start))

    @property
    def turn(self) -> int:
        """Whose turn it is; 0 where the round is over (rules 32, 83)."""
        if not self.last:
            return self.first
        at = self.order.index(self.last)
        for seat in (*self.order[at + 1 :], *self.order[: at + 1]):
            if seat in self.able and (seat not in self.own_price or self.put_in[seat] < self.price):
                return seat
        return 0

    def legal(self) -> Legal:
        """What the seat to act may do."""
        seat = self.turn
        owed = self.price - self.put_in[seat]
        least, most = self._wager(seat) if self._may_wager(seat, owed) else (0, 0)
        return min(owed, self.behind[seat]), least, most, seat

    def _may_wager(self, seat: int, owed: int) -> bool:
        if self.behind[seat] <= owed or self.able == [seat]:
            return False
        limit = self.rules.structure is Structure.LIMIT
        if limit and not self.lifted and 0 < self.rules.raise_cap <= self.raises:
            return False
        if seat not in self.own_price or seat in self.reopened:
            return True
        rise = self.price - self.own_price[seat]
        if limit:
            return self.rules.short_all_in_limit is ShortAllInLimit.HALF and 2 * rise >= self.unit
        cumulative = self.rules.short_all_in_big_bet is ShortAllInBigBet.CUMULATIVE
        return cumulative and rise >= (self.largest or self.minimum)

    def _wager(self, seat: int) -> tuple[int, int]:
        reach = self.put_in[seat] + self.behind[seat]
        if self.rules.structure is Structure.LIMIT:
            level = self.full_level + self.unit
            while level <= self.price:  # all-ins that do not count have reached it
                level += self.unit
            return min(level, reach), min(level, reach)
        least, most = self._least(), reach
        if self.rules.structure is Structure.POT_LIMIT:
            pot = sum(self.total.values())
            most = min(reach, max(least, pot + 2 * self.price - self.put_in[seat]))
        return min(least, reach), most


def read_again(table: InProcessTable) -> SecondReading:
    """The reading of a table's facts so far."""
    stacks = {each.seat: each.stack_chips for each in table.setup.stacks}
    reading = SecondReading(rules=table.setup.rules, stakes=table.setup.stakes, order=tuple(stacks), behind=stacks)
    for happened in table.facts:
        reading.read(happened)
    return reading
