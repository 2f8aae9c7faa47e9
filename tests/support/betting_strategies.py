"""Random betting hands for Hypothesis: any preset with any options, any stacks, any opening orders."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, get_type_hints

from hypothesis import strategies as st

from services.betting.application import hands
from services.betting.application.commands import (
    Act,
    Expire,
    OpenHand,
    OpenStreet,
    PotResult,
    SeatStack,
    Settle,
    Settled,
)
from services.betting.domain.actions import WAGERS, ActionCause, LegalAction
from services.betting.domain.outcome import BettingOutcome
from services.betting.domain.state import SeatStatus
from shared.kernel.game import Mode, Street, Structure
from shared.kernel.rules import ClockRules, HandRules, RakeCap, RakeRules, Stakes
from shared.kernel.rules.presets import PRESETS

_STREETS = tuple(Street)
_BETTING_OPTIONS = (
    "bring_in_fold",
    "bring_in_full",
    "bring_in_no_chips",
    "short_bring_in_price",
    "bring_in_live_option",
    "third_street_over_bring_in",
    "completion_counts",
    "heads_up_cap",
    "heads_up_counts_all_in",
    "open_pair_fourth",
    "open_pair_persists",
    "big_bet_minimum",
    "pot_limit_max",
    "pot_below_minimum",
    "short_all_in_limit",
    "short_all_in_big_bet",
    "all_in_high_hand",
    "fold_when_check_free",
)
_CLOCK_OPTIONS = (
    "timeout",
    "timeout_free",
    "timeout_bring_in",
    "protect_scope",
    "ante_counts_as_bet",
    "after_protect",
    "sit_out_pays",
    "absent_bring_in",
)
_CAUSES = (ActionCause.CLOCK, ActionCause.ABSENT, ActionCause.DISCONNECTED)


def _some(data_class: type, names: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Any values for some of the options."""
    hints = get_type_hints(data_class)
    values: Mapping[str, st.SearchStrategy[Any]] = {
        name: st.sampled_from(list(hints[name])) if issubclass(hints[name], Enum) else st.booleans() for name in names
    }
    return st.fixed_dictionaries({}, optional=dict(values))


@st.composite
def hand_rules(draw: st.DrawFn) -> HandRules:
    """A preset in any structure, with options changed at will."""
    base = PRESETS[draw(st.sampled_from(sorted(PRESETS)))].hand
    changed = draw(_some(HandRules, _BETTING_OPTIONS))
    return replace(
        base,
        structure=draw(st.sampled_from(Structure)),
        structures_allowed=tuple(Structure),
        modes_allowed=tuple(Mode),
        ante_required=False,
        seats_max=8,
        raise_cap=draw(st.sampled_from((3, 3, 0, 1, 4))),
        heads_up_raise_cap=draw(st.integers(4, 6)),  # never below the cap it takes the place of
        odd_chip_unit_chips=1,
        **changed,
    )


@st.composite
def clock_rules(draw: st.DrawFn) -> ClockRules:
    """The clock rules of a preset, with options changed at will."""
    base = PRESETS[draw(st.sampled_from(sorted(PRESETS)))].clock
    return replace(base, **draw(_some(ClockRules, _CLOCK_OPTIONS)))


@st.composite
def amounts(draw: st.DrawFn) -> Stakes:
    """Limits, ante and bring-in that fit together."""
    lower = draw(st.sampled_from((2, 5, 10, 20, 75, 100)))
    ante, bring_in = draw(st.integers(0, lower - 1)), draw(st.integers(1, lower // 2))
    return Stakes(ante_chips=ante, bring_in_chips=bring_in, lower_limit_chips=lower, upper_limit_chips=2 * lower)


@st.composite
def rakes(draw: st.DrawFn) -> RakeRules | None:
    """A rake or none."""
    if draw(st.booleans()):
        return None
    caps = draw(st.lists(st.builds(RakeCap, players_min=st.integers(1, 8), cap_chips=st.integers(0, 50)), max_size=2))
    return RakeRules(
        basis_points=draw(st.sampled_from((0, 1, 500, 1000, 10_000))),
        caps=tuple(caps),
        unit_chips=draw(st.sampled_from((1, 5))),
        no_fourth_street_no_rake=draw(st.booleans()),
    )


@dataclass
class RandomHand:
    """A hand whose every choice is drawn; step() until over."""

    data: st.DataObject
    clock: ClockRules
    rake: RakeRules | None
    outcome: BettingOutcome
    total_chips: int
    before_settling: BettingOutcome | None = None
    settled: Settled | None = None
    steps: int = 0

    @classmethod
    def opened(cls, data: st.DataObject) -> "RandomHand":
        """A hand with its antes in: 2 to 8 seats, stacks from one chip up."""
        rules = data.draw(hand_rules(), "rules")
        stakes = data.draw(amounts(), "stakes")
        numbers = data.draw(st.lists(st.integers(1, 8), min_size=2, max_size=8, unique=True), "seats")
        upper = stakes.upper_limit_chips
        stack = st.one_of(st.integers(1, 3 * upper), st.integers(1, upper), st.just(40 * upper))
        seats = tuple(SeatStack(seat=seat, stack_chips=data.draw(stack, f"stack {seat}")) for seat in numbers)
        last_two = len(seats) == 2 and data.draw(st.booleans(), "last two")
        command = OpenHand(rules=rules, stakes=stakes, seats=seats, last_two_of_event=last_two)
        outcome = hands.open_hand(command).outcome
        total = sum(seat.stack_chips for seat in seats)
        return cls(data, data.draw(clock_rules(), "clock"), data.draw(rakes(), "rake"), outcome, total)

    @property
    def over(self) -> bool:
        """The pots are paid."""
        return str(self.outcome.next) == "END"

    def step(self) -> None:
        """Whatever comes next, drawn at random."""
        self.steps += 1
        step = str(self.outcome.next)
        if step == "ACT":
            self._turn()
        elif step == "DEAL_STREET":
            self._street()
        else:
            self._settle()

    def _turn(self) -> None:
        turn, state = self.outcome.turn, self.outcome.state
        assert turn is not None
        if self.data.draw(st.integers(0, 9), "clock or player") == 0:
            cause = self.data.draw(st.sampled_from(_CAUSES), "cause")
            command = Expire(state=state, seat=turn.seat, cause=cause, clock_rules=self.clock, protections_used=0)
            self.outcome = hands.expire(command).outcome
            return
        chosen = self.data.draw(st.sampled_from(turn.actions), "action")
        self.outcome = hands.act(self.command(chosen, self.data.draw(st.sampled_from(totals(chosen)), "to"))).outcome

    def command(self, legal: LegalAction, to_chips: int) -> Act:
        """The action as a command of the seat to act."""
        state = self.outcome.state
        return Act(state=state, seat=state.turn_seat, kind=legal.kind, to_chips=to_chips)

    def _street(self) -> None:
        state = self.outcome.state
        live = [seat.seat for seat in state.seats if seat.status is not SeatStatus.FOLDED]
        order = self.data.draw(st.permutations(live), "order")
        pairs = self.data.draw(st.lists(st.sampled_from(live), max_size=2, unique=True), "pairs")
        street = Street.THIRD if state.street is None else _STREETS[_STREETS.index(state.street) + 1]
        command = OpenStreet(state=state, street=street, opening_order=tuple(order), open_pair_seats=tuple(pairs))
        self.outcome = hands.open_street(command).outcome

    def _settle(self) -> None:
        self.before_settling = self.outcome
        results: list[PotResult] = []
        for pot in self.outcome.pots:
            if len(pot.eligible_seats) > 1:
                order = self.data.draw(st.permutations(pot.eligible_seats), f"order of pot {pot.index}")
                count = self.data.draw(st.integers(1, len(order)), f"winners of pot {pot.index}")
                results.append(PotResult(pot_index=pot.index, winner_seats=tuple(order[:count])))
        self.settled = hands.settle(Settle(state=self.outcome.state, results=tuple(results), rake=self.rake))
        self.outcome = self.settled.outcome


def totals(legal: LegalAction) -> tuple[int, ...]:
    """Street totals worth trying for a legal action; 0 where it takes none."""
    if legal.kind not in WAGERS:
        return (0,)
    if legal.to_chips_choices:
        return legal.to_chips_choices
    least, most = legal.to_chips_min, legal.to_chips_max
    return tuple(sorted({least, (least + most) // 2, most}))
