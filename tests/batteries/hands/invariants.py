"""What must hold after every step of every hand."""

from collections.abc import Sequence

from services.betting.domain.actions import WAGERS, ActionCause, LegalAction
from services.betting.domain.facts import ActionTaken, StreetClosed
from services.betting.domain.settlement import PotAward
from services.betting.domain.state import BettingPhase, BettingState, SeatStatus
from services.evaluator.domain.showdown import Showdown
from shared.kernel.game import Structure
from shared.kernel.rules import HeadsUpCap
from tests.batteries.hands.fold import Fold
from tests.support.in_process_cards import StreetDealt
from tests.support.in_process_table import HandSetup, InProcessTable, PotsPaid, TableFact


class Invariants:
    """A watcher of one table; AssertionError at the first step after which something does not hold."""

    def __init__(self, setup: HandSetup) -> None:
        self._setup = setup
        self._total = sum(each.stack_chips for each in setup.stacks)
        self._fold = Fold(setup)
        self._before: BettingState | None = None
        self._offered: tuple[LegalAction, ...] = ()
        self._two_left_seen = False

    def __call__(self, table: InProcessTable, facts: Sequence[TableFact]) -> None:
        """Check a step."""
        for fact in facts:
            self._check_fact(table, fact)
            self._fold.take(fact)
        state = table.outcome.state
        self._check_chips(table, state)
        self._check_turn(table, state)
        self._check_raises(state)
        self._before = state
        self._offered = () if table.turn is None else table.turn.actions

    def _check_fact(self, table: InProcessTable, fact: TableFact) -> None:
        if isinstance(fact, StreetDealt):
            self._two_left_seen = False
            check_cards(table)
        elif isinstance(fact, ActionTaken):
            self._check_cap(fact)
            self._check_price(table.outcome.state, fact)
        elif isinstance(fact, StreetClosed):
            check_nothing_uncalled(table.outcome.state)
        elif isinstance(fact, PotsPaid):
            self._check_paid(table, fact)
        elif isinstance(fact, Showdown):
            check_winners(table, fact)

    def _check_chips(self, table: InProcessTable, state: BettingState) -> None:
        """Chips are conserved, and the facts alone tell the same story."""
        held = sum(seat.stack_chips + seat.hand_chips for seat in state.seats)
        assert held + table.rake_chips == self._total, f"{self._total} chips became {held} and {table.rake_chips} rake"
        assert all(seat.stack_chips >= 0 and seat.hand_chips >= 0 for seat in state.seats), "fewer than no chips"
        told = self._fold.seats
        for seat in state.seats:
            assert told[seat.seat].is_like(seat), f"seat {seat.seat}: facts say {told[seat.seat]}, the state {seat}"
        pots = sum(pot.chips for pot in table.outcome.pots)
        assert pots == table.outcome.pot_total_chips, "the pots are not what is in the middle"

    def _check_turn(self, table: InProcessTable, state: BettingState) -> None:
        turn = table.turn
        asked = state.phase in {BettingPhase.BRING_IN, BettingPhase.ROUND}
        assert (turn is not None) == asked, f"{state.phase} and turn {turn}"
        if turn is not None:
            seat = next(each for each in state.seats if each.seat == turn.seat)
            assert seat.status is SeatStatus.ACTIVE, f"seat {turn.seat} is to act and {seat.status}"
            assert turn.actions, "nothing is legal"
            reach = seat.stack_chips + seat.street_chips
            for each in turn.actions:
                assert each.pay_chips <= seat.stack_chips, f"{each} from {seat.stack_chips} chips"
                assert max((*each.to_chips_choices, each.to_chips_max)) <= reach, f"{each} with {reach} chips"
                if each.kind in WAGERS:
                    least = min((*each.to_chips_choices, each.to_chips_min or reach))
                    assert least > state.price_chips or not state.price_chips, f"{each} over {state.price_chips}"

    def _check_raises(self, state: BettingState) -> None:
        able = sum(seat.status is SeatStatus.ACTIVE for seat in state.seats)
        live = sum(seat.status is not SeatStatus.FOLDED for seat in state.seats)
        two = live == 2 if state.rules.heads_up_counts_all_in else able <= 2
        self._two_left_seen = self._two_left_seen or two
        rules = state.rules
        if rules.structure is Structure.LIMIT and rules.raise_cap and rules.heads_up_cap is HeadsUpCap.ALWAYS:
            assert state.raises_made <= rules.raise_cap, f"{state.raises_made} raises, {rules.raise_cap} allowed"

    def _check_cap(self, fact: ActionTaken) -> None:
        """No wager at the cap, unless two were left in time and the rules lift it then."""
        state = self._before
        if state is None or fact.kind not in WAGERS or state.rules.structure is not Structure.LIMIT:
            return
        rules = state.rules
        cap = rules.raise_cap
        if rules.heads_up_cap is HeadsUpCap.NUMBER and self._two_left_seen:
            cap = max(cap, rules.heads_up_raise_cap) if cap else 0
        if not cap or state.raises_made < cap:
            return
        two = {HeadsUpCap.LIFT_BEFORE_CAP, HeadsUpCap.LIFT_ANYTIME, HeadsUpCap.STREET_START}
        lifted = rules.heads_up_cap in two and self._two_left_seen
        event = rules.heads_up_cap is HeadsUpCap.LAST_TWO_OF_EVENT and state.last_two_of_event
        assert lifted or event, f"a wager at {state.raises_made} raises, {cap} allowed"

    def _check_price(self, state: BettingState, fact: ActionTaken) -> None:
        """Who calls or brings in pays what was said, and nobody has more in than the street costs."""
        if fact.cause is ActionCause.PLAYER and fact.kind not in WAGERS:
            said = [each.pay_chips for each in self._offered if each.kind is fact.kind]
            assert said == [fact.paid_chips], f"{fact.kind} paid {fact.paid_chips}, {said} was offered"
        assert max(seat.street_chips for seat in state.seats) <= state.price_chips, "more is in than the street costs"

    def _check_paid(self, table: InProcessTable, paid: PotsPaid) -> None:
        """Nobody wins more from anyone than he put in himself (rule 98), dead money above all apart (rule 100)."""
        state = self._before
        assert state is not None
        totals = {seat.seat: seat.hand_chips for seat in state.seats}
        live = {seat.seat for seat in state.seats if seat.status is not SeatStatus.FOLDED}
        top = max(totals[seat] for seat in live)
        dead = sum(max(0, chips - top) for seat, chips in totals.items() if seat not in live)
        won = dict.fromkeys(totals, 0)
        for award in paid.awards:
            check_split(award, self._setup.rules.odd_chip_unit_chips)
            for share in award.shares:
                won[share.seat] += share.chips
                assert share.seat in live, f"seat {share.seat} folded and is paid"
        for seat, chips in won.items():
            most = sum(min(total, totals[seat]) for total in totals.values())
            most += dead if totals[seat] == top else 0
            assert chips <= most, f"seat {seat} put in {totals[seat]} and wins {chips}, at most {most}"
        assert sum(won.values()) + paid.rake_chips == sum(totals.values()), "not all that was in is paid"
        assert (table.showdown is None) == (len(live) == 1), "shown with one player left, or not shown with more"


def check_cards(table: InProcessTable) -> None:
    """No card lies in two places, and everybody live has as many as the street says."""
    dealing = table.cards.dealing
    given = [each.position for each in dealing.given]
    places = [*given, *dealing.burned, *dealing.stub]
    assert len(set(places)) == len(places) == 52, "cards are missing or lie twice"
    assert len({table.cards.deck[place] for place in places}) == 52, "a card occurs twice"
    counts = {len(table.cards.of(seat)) for seat in table.live}
    assert len(counts) == 1, f"players have {counts} cards"


def check_nothing_uncalled(state: BettingState) -> None:
    """Where a street closes, no live player has more in than everybody else: that part was returned (rule 101)."""
    totals = sorted(seat.hand_chips for seat in state.seats)
    most = max(seat.hand_chips for seat in state.seats if seat.status is not SeatStatus.FOLDED)
    assert most <= totals[-2] or most < totals[-1], f"{most} in, the next has {totals[-2]}"


def check_split(award: PotAward, unit: int) -> None:
    """Equal parts, and at most one odd piece for each (rule 123)."""
    parts = [share.chips for share in award.shares]
    assert max(parts) - min(parts) <= unit, f"a pot of {award.chips} split into {parts}"


def check_winners(table: InProcessTable, showdown: Showdown) -> None:
    """Every pot goes to the strongest of those who can win it, all of them and nobody else."""
    strengths = {each.seat: each.value.strength for each in showdown.values}
    for pot, won in zip(table.outcome.pots, showdown.winners, strict=True):
        best = max(strengths[seat] for seat in pot.eligible_seats)
        assert set(won.winner_seats) == {seat for seat in pot.eligible_seats if strengths[seat] == best}
