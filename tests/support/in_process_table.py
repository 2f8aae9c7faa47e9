"""One hand at a table in one process: the services' own code in the order in which an orchestrator asks for it.

The dealer's deal and deck-out, the evaluator's orders and ranking, the betting steps as the service takes them; no
network (unless ``services`` are others), no clock, no storage. Only the sequence is written here, because the
orchestrator's course of a hand works on its own log, one answer of a remote service at a time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.betting.application.commands import (
    Act,
    Expire,
    Expired,
    OpenHand,
    OpenStreet,
    PotResult,
    SeatStack,
    Settle,
)
from services.betting.domain.actions import ActionCause, ActionKind, LegalActions
from services.betting.domain.facts import Fact as BettingFact
from services.betting.domain.outcome import BettingOutcome, NextStep
from services.betting.domain.settlement import PotAward
from services.betting.domain.state import SeatStatus
from services.evaluator.domain.boards import SeatBoard
from services.evaluator.domain.bring_in import SeatDoorCard
from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown import Showdown
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand
from shared.kernel.game import Street
from shared.kernel.rules import ClockRules, HandRules, RakeRules, Stakes
from tests.support.in_process_cards import ScriptedCards, StreetDealt, TableCards
from tests.support.table_services import IN_PROCESS, TableServices

_STREETS = tuple(Street)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetOpened:
    """The betting of a street was opened."""

    street: Street
    opening_order: tuple[int, ...]
    open_pair_seats: tuple[int, ...]
    first_to_act_seat: int
    """0 where nobody is to act on the street."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PotsPaid:
    """The hand is over."""

    awards: tuple[PotAward, ...]
    rake_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAway:
    """The clock sent a player to sit-out: later turns of the hand are answered at once (rule 131)."""

    seat: int


TableFact = BettingFact | StreetDealt | StreetOpened | Showdown | PotsPaid | SeatAway
Watcher = Callable[["InProcessTable", Sequence[TableFact]], None]
"""Called after every step with what it brought: the place for invariants and for counting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSetup:
    """All that a hand starts from."""

    rules: HandRules
    clock: ClockRules
    stakes: Stakes
    stacks: tuple[SeatStack, ...]
    """In dealing order: clockwise from dealer's left."""
    seed: bytes = b"a deck of its own"
    script: ScriptedCards | None = None
    rake: RakeRules | None = None
    last_two_of_event: bool = False


@dataclass(slots=True)
class InProcessTable:
    """A hand in play. ``step`` does what comes next where no seat is to act; ``run`` goes on to a turn or the end."""

    setup: HandSetup
    watchers: Sequence[Watcher] = ()
    absent: set[int] = field(default_factory=set)
    """Seats that sit out: the rules act for them at once."""
    protections: dict[int, int] = field(default_factory=dict)
    """Protected hands that a seat has used up in the session (rule 136)."""
    services: TableServices = IN_PROCESS
    """Whom the table asks."""
    outcome: BettingOutcome = field(init=False)
    cards: TableCards = field(init=False)
    facts: list[TableFact] = field(init=False, default_factory=list)
    latest: tuple[TableFact, ...] = field(init=False, default=())
    """What the last step brought."""
    showdown: Showdown | None = field(init=False, default=None)
    awards: tuple[PotAward, ...] = field(init=False, default=())
    rake_chips: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        setup = self.setup
        command = OpenHand(
            rules=setup.rules, stakes=setup.stakes, seats=setup.stacks, last_two_of_event=setup.last_two_of_event
        )
        self.outcome = self.services.open_hand(command)
        seats = tuple(each.seat for each in setup.stacks)
        self.cards = self.services.cards(seats, setup.rules, setup.seed, setup.script)
        self._keep(self.outcome)

    @property
    def turn(self) -> LegalActions | None:
        """Whose turn it is and what is legal; None where nobody is to act."""
        return self.outcome.turn

    @property
    def over(self) -> bool:
        """The pots are paid."""
        return self.outcome.next is NextStep.END

    @property
    def street(self) -> Street | None:
        """The street reached."""
        return self.outcome.state.street

    @property
    def live(self) -> tuple[int, ...]:
        """Seats still in, in dealing order."""
        return tuple(seat.seat for seat in self.outcome.state.seats if seat.status is not SeatStatus.FOLDED)

    @property
    def stacks(self) -> dict[int, int]:
        """Chips behind by seat."""
        return {seat.seat: seat.stack_chips for seat in self.outcome.state.seats}

    def act(self, seat: int, kind: ActionKind, to_chips: int = 0) -> None:
        """An action of the seat to act; a refusal changes nothing."""
        command = Act(state=self.outcome.state, seat=seat, kind=kind, to_chips=to_chips)
        self._keep(self.services.act(command))

    def expire(self, seat: int, cause: ActionCause = ActionCause.CLOCK) -> Expired:
        """The clock of the seat to act ends, or its player is away."""
        expired = self.services.expire(
            Expire(
                state=self.outcome.state,
                seat=seat,
                cause=cause,
                clock_rules=self.setup.clock,
                protections_used=self.protections.get(seat, 0),
            )
        )
        if expired.protected:
            self.protections[seat] = self.protections.get(seat, 0) + 1
        away: tuple[TableFact, ...] = ()
        if expired.sits_out:
            self.absent.add(seat)
            away = (SeatAway(seat=seat),)
        self._keep(expired.outcome, away)
        return expired

    def step(self) -> None:
        """What comes next where no player is asked: a turn of an absent seat, a street, the showdown, the payment."""
        match self.outcome.next:
            case NextStep.ACT if self.turn is not None and self.turn.seat in self.absent:
                self.expire(self.turn.seat, ActionCause.ABSENT)
            case NextStep.DEAL_STREET:
                self._street()
            case NextStep.SHOWDOWN if self.showdown is None:
                self._rank()
            case NextStep.SHOWDOWN | NextStep.UNCONTESTED:
                self._pay()
            case _:
                raise AssertionError(f"nothing to do by itself: the hand waits for {self.outcome.next}")

    def run(self) -> None:
        """On to the next turn of a player who is there, or to the end of the hand."""
        while not self.over and not self.waits:
            self.step()

    @property
    def waits(self) -> bool:
        """A player who is there is to act."""
        return self.turn is not None and self.turn.seat not in self.absent

    def _street(self) -> None:
        street = _STREETS[0] if self.street is None else _STREETS[_STREETS.index(self.street) + 1]
        dealt = self.cards.deal(street, self.live)
        order, pairs = self._third_order() if street is Street.THIRD else self._board_order()
        command = OpenStreet(state=self.outcome.state, street=street, opening_order=order, open_pair_seats=pairs)
        outcome = self.services.open_street(command)
        first = outcome.state.first_to_act_seat
        opened = StreetOpened(street=street, opening_order=order, open_pair_seats=pairs, first_to_act_seat=first)
        self._keep(outcome, (dealt, opened))

    def _third_order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        doors = [SeatDoorCard(seat=seat, card=self.cards.up_cards(seat)[0]) for seat in self.live]
        return self.services.order_bring_in(doors, self.setup.rules), ()

    def _board_order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        boards = [SeatBoard(seat=seat, up_cards=self.cards.up_cards(seat)) for seat in self.live]
        order = self.services.order_boards(boards, self.cards.common_card, self.setup.rules)
        return order.seats, order.open_pair_seats

    def _rank(self) -> None:
        state = self.outcome.state
        hands = [
            SeatHand(seat=seat, cards=self.cards.of(seat), up_cards=self.cards.up_cards(seat)) for seat in self.live
        ]
        pots = [PotToWin(pot_index=pot.index, eligible_seats=pot.eligible_seats) for pot in self.outcome.pots]
        river = River(last_aggressor_seat=state.last_aggressor_seat, first_to_act_seat=state.first_to_act_seat)
        self.showdown = self.services.rank_showdown(hands, self.cards.common_card, pots, river, self.setup.rules)
        self._tell((self.showdown,))

    def _pay(self) -> None:
        won = () if self.showdown is None else self.showdown.winners
        results = tuple(PotResult(pot_index=each.pot_index, winner_seats=each.winner_seats) for each in won)
        settled = self.services.settle(Settle(state=self.outcome.state, results=results, rake=self.setup.rake))
        self.awards, self.rake_chips = settled.awards, settled.rake_chips
        self._keep(settled.outcome, (PotsPaid(awards=settled.awards, rake_chips=settled.rake_chips),))

    def _keep(self, outcome: BettingOutcome, before: tuple[TableFact, ...] = ()) -> None:
        self.outcome = outcome
        self._tell((*before, *outcome.facts))

    def _tell(self, facts: tuple[TableFact, ...]) -> None:
        self.latest = facts
        self.facts.extend(facts)
        for watcher in self.watchers:
            watcher(self, facts)
