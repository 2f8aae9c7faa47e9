"""A betting hand that reads like one: seats act in words, legal actions and pots come back as text and tuples."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from services.betting.application import hands
from services.betting.application.commands import Act, Expire, Expired, OpenStreet, PotResult, Settle, Settled
from services.betting.domain import opening
from services.betting.domain.actions import ActionCause, ActionKind, legal_text
from services.betting.domain.facts import Facts
from services.betting.domain.outcome import BettingOutcome, outcome_of
from services.betting.domain.state import SeatStatus
from shared.kernel.frozen import evolve
from shared.kernel.game import Street, Structure
from shared.kernel.rules import ClockRules, HandRules, RakeRules, Stakes
from shared.kernel.rules.presets import PRESETS

S000 = PRESETS["regulated_tournament"].hand
S003 = PRESETS["card_room"].hand
S004 = PRESETS["classic"].hand
CLOCK_S000 = PRESETS["regulated_tournament"].clock
CLOCK_S003 = PRESETS["card_room"].clock
CLOCK_S004 = PRESETS["classic"].clock
LIMIT, POT_LIMIT, NO_LIMIT = Structure.LIMIT, Structure.POT_LIMIT, Structure.NO_LIMIT
_STREETS = tuple(Street)


def rules(base: HandRules, **changes: Any) -> HandRules:
    """The hand rules of a preset with some options changed, every structure allowed."""
    return replace(base, structures_allowed=tuple(Structure), **changes)


def clock(base: ClockRules, **changes: Any) -> ClockRules:
    """The clock rules of a preset with some options changed."""
    return replace(base, **changes)


def stakes(limits: str, *, ante: int = 0, bring_in: int = 1) -> Stakes:
    """Amounts from limits such as ``10/20``."""
    lower, upper = (int(part) for part in limits.split("/"))
    return Stakes(ante_chips=ante, bring_in_chips=bring_in, lower_limit_chips=lower, upper_limit_chips=upper)


class Hand:
    """A hand in play; antes above the limit, which the product refuses, are allowed here to set up pots."""

    def __init__(
        self, hand_rules: HandRules, amounts: Stakes, stacks: Mapping[int, int], *, last_two_of_event: bool = False
    ) -> None:
        pairs = tuple(stacks.items())
        step = opening.open_hand(hand_rules, amounts, pairs, last_two_of_event=last_two_of_event)
        self.outcome: BettingOutcome = outcome_of(*step)
        self.facts: Facts = step.facts
        self.settled: Settled | None = None

    @classmethod
    def on(
        cls, street: Street, hand_rules: HandRules, amounts: Stakes, stacks: Mapping[int, int], *, dead: int = 0
    ) -> "Hand":
        """A hand about to open a later street: ``dead`` chips of every seat are in, the given chips behind."""
        started = {seat: chips + dead for seat, chips in stacks.items()}
        hand = cls(hand_rules, replace(amounts, ante_chips=dead), started)
        before = _STREETS[_STREETS.index(street) - 1]
        state = evolve(hand.outcome.state, street=before, stakes=amounts)
        hand.outcome = replace(hand.outcome, state=state)
        hand.facts = ()
        return hand

    def open(self, *order: int, pairs: tuple[int, ...] = ()) -> "Hand":
        """Open the next street; the first seat has the opening card or board, the others follow as they are."""
        state = self.outcome.state
        live = [seat.seat for seat in state.seats if seat.status is not SeatStatus.FOLDED]
        whole = (*order, *(seat for seat in live if seat not in order))
        street = Street.THIRD if state.street is None else _STREETS[_STREETS.index(state.street) + 1]
        command = OpenStreet(state=state, street=street, opening_order=whole, open_pair_seats=pairs)
        return self._keep(hands.open_street(command).outcome)

    def play(self, *actions: str) -> "Hand":
        """Act in words: ``2 bring_in``, ``3 raise 40``, ``1 fold``."""
        for action in actions:
            seat, kind, *amount = action.split()
            to_chips = int(amount[0]) if amount else 0
            command = Act(state=self.outcome.state, seat=int(seat), kind=ActionKind(kind.upper()), to_chips=to_chips)
            self._keep(hands.act(command).outcome)
        return self

    def expire(
        self,
        clock_rules: ClockRules,
        cause: ActionCause = ActionCause.CLOCK,
        *,
        seat: int | None = None,
        protections_used: int = 0,
    ) -> Expired:
        """The clock ends for the seat to act, or its player is away."""
        state = self.outcome.state
        command = Expire(
            state=state,
            seat=state.turn_seat if seat is None else seat,
            cause=cause,
            clock_rules=clock_rules,
            protections_used=protections_used,
        )
        expired = hands.expire(command)
        self._keep(expired.outcome)
        return expired

    def settle(self, *winners: tuple[int, ...], rake: RakeRules | None = None) -> Settled:
        """Pay the pots: winners of pot 0, pot 1 and so on; an empty tuple leaves a pot unnamed."""
        results = tuple(PotResult(pot_index=at, winner_seats=seats) for at, seats in enumerate(winners) if seats)
        self.settled = hands.settle(Settle(state=self.outcome.state, results=results, rake=rake))
        self._keep(self.settled.outcome)
        return self.settled

    def _keep(self, outcome: BettingOutcome) -> "Hand":
        self.outcome = outcome
        self.facts = outcome.facts
        return self

    @property
    def turn(self) -> int:
        """The seat to act; 0 where nobody is."""
        return self.outcome.turn.seat if self.outcome.turn else 0

    @property
    def legal(self) -> str:
        """What the seat to act may do, in words."""
        return legal_text(self.outcome.turn.actions) if self.outcome.turn else ""

    @property
    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """Chips and eligible seats of each pot, main pot first."""
        return [(pot.chips, pot.eligible_seats) for pot in self.outcome.pots]

    @property
    def stacks(self) -> dict[int, int]:
        """Chips behind by seat."""
        return {seat.seat: seat.stack_chips for seat in self.outcome.state.seats}

    @property
    def next(self) -> str:
        """The next step, by name."""
        return str(self.outcome.next)

    @property
    def raises(self) -> int:
        """Full raises made on the street."""
        return self.outcome.state.raises_made

    @property
    def fact_names(self) -> list[str]:
        """What the last step did, by name of the facts."""
        return [type(fact).__name__ for fact in self.facts]
