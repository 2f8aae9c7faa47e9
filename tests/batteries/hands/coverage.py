"""How often the interesting things happened: a battery that never ran out of cards proves nothing about it."""

from collections import Counter
from collections.abc import Sequence

from services.betting.domain.actions import WAGERS, ActionCause, ActionKind
from services.betting.domain.facts import ActionTaken, AntePosted, SeatFrozen, UncalledBetReturned
from services.betting.domain.state import BettingPhase, BettingState, SeatStatus
from services.dealer.domain.hand import CardSource
from shared.kernel.game import Street, Structure
from shared.kernel.rules import BurnStreets
from tests.support.in_process_cards import StreetDealt
from tests.support.in_process_table import InProcessTable, PotsPaid, TableFact

EVENTS = (
    "side pot",
    "three or more pots",
    "deck-out: stub and burns reshuffled",
    "deck-out: common card from the stub",
    "deck-out: common card from the burns",
    "deck-out: common card from both",
    "deck-out: river burn skipped",
    "tie through a common card",
    "bring-in declined by a player",
    "bring-in declined by the clock or an absent player",
    "nobody paid the bring-in",
    "bring-in posted short",
    "bring-in passed over a card without chips",
    "opened for the full bet",
    "opener acts again",
    "short all-in in limit, not counted",
    "short all-in in limit, counted as a raise",
    "short all-in in pot limit or no limit",
    "short all-ins reopen together",
    "all-in for the ante",
    "ante that nobody matched",
    "pot limit below the minimum",
    "split pot",
    "odd chip",
    "two odd chips or more in one pot",
    "round at the cap",
    "wager above the cap, two left",
    "open pair: upper limit on fourth street",
    "seat frozen",
    "uncalled bet returned",
    "dead money above every live total",
    "highest board cannot act",
    "check or fold by the clock",
    "turn of an absent player",
    "rake taken",
    "won without showing",
    "showdown",
)
SELDOM = {"tie through a common card"}
"""Counted, but too rare to be asked for: a few in ten thousand hands."""
_SOURCES = {
    CardSource.RESHUFFLED_STUB_AND_BURNS: "deck-out: stub and burns reshuffled",
    CardSource.COMMON_FROM_STUB: "deck-out: common card from the stub",
    CardSource.COMMON_FROM_BURNS: "deck-out: common card from the burns",
    CardSource.COMMON_FROM_STUB_AND_BURNS: "deck-out: common card from both",
}


class Coverage:
    """A watcher of many tables that counts."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._before: BettingState | None = None

    def start(self) -> None:
        """Another hand begins."""
        self._before = None

    def __call__(self, table: InProcessTable, facts: Sequence[TableFact]) -> None:
        """Count what a step brought."""
        for fact in facts:
            match fact:
                case StreetDealt():
                    self._dealt(table, fact)
                case ActionTaken():
                    self._acted(table, fact)
                case PotsPaid():
                    self._paid(table, fact)
                case _:
                    self._simple(fact)
        self._turn(table)
        self._before = table.outcome.state

    def _see(self, event: str, *, when: bool = True) -> None:
        if when:
            self.counts[event] += 1

    def _simple(self, fact: TableFact) -> None:
        if isinstance(fact, AntePosted):
            self._see("all-in for the ante", when=fact.all_in)
        elif isinstance(fact, SeatFrozen):
            self._see("seat frozen")
        elif isinstance(fact, UncalledBetReturned):
            self._see("ante that nobody matched" if self._before is None else "uncalled bet returned")

    def _dealt(self, table: InProcessTable, dealt: StreetDealt) -> None:
        if dealt.source in _SOURCES:
            self._see(_SOURCES[dealt.source])
        elif dealt.street is Street.SEVENTH:
            burns = table.setup.rules.burn_streets is BurnStreets.FOURTH_TO_SEVENTH
            self._see("deck-out: river burn skipped", when=burns and not dealt.burned_count)

    def _turn(self, table: InProcessTable) -> None:
        """What the turn that a step led to shows."""
        state, before = table.outcome.state, self._before
        if table.turn is None or before is None:
            return
        opening = before.phase is BettingPhase.BETWEEN_STREETS
        first = state.opening_order[0] if state.opening_order else 0
        passed = opening and state.turn_seat != first
        self._see("bring-in passed over a card without chips", when=passed and state.phase is BettingPhase.BRING_IN)
        self._see("highest board cannot act", when=passed and state.phase is BettingPhase.ROUND)
        wagers = any(each.kind in WAGERS for each in table.turn.actions)
        limit = state.rules.structure is Structure.LIMIT
        capped = limit and 0 < state.rules.raise_cap <= state.raises_made and not state.cap_lifted
        self._see("round at the cap", when=capped and not wagers)
        for each in table.turn.actions:
            small = state.rules.structure is Structure.POT_LIMIT and each.kind in WAGERS
            seat = next(one for one in state.seats if one.seat == state.turn_seat)
            pot = table.outcome.pot_total_chips + 2 * state.price_chips - seat.street_chips
            self._see("pot limit below the minimum", when=small and each.to_chips_min > pot)

    def _acted(self, table: InProcessTable, fact: ActionTaken) -> None:
        before = self._before
        if before is None:
            return
        by_player = fact.cause is ActionCause.PLAYER
        self._see("check or fold by the clock", when=fact.cause in {ActionCause.CLOCK, ActionCause.DISCONNECTED})
        self._see("turn of an absent player", when=fact.cause is ActionCause.ABSENT)
        if before.phase is BettingPhase.BRING_IN:
            self._opened(table, fact, by_player=by_player)
        elif before.bring_in_seat == fact.seat and before.street is Street.THIRD:
            seat = next(each for each in before.seats if each.seat == fact.seat)
            self._see("opener acts again", when=not seat.acted)
        if fact.kind in WAGERS:
            self._wagered(before, table.outcome.state, fact)

    def _opened(self, table: InProcessTable, fact: ActionTaken, *, by_player: bool) -> None:
        folded = fact.kind is ActionKind.FOLD
        self._see("bring-in declined by a player", when=folded and by_player)
        self._see("bring-in declined by the clock or an absent player", when=folded and not by_player)
        self._see("nobody paid the bring-in", when=folded and len(table.live) == 1)
        short = fact.kind is ActionKind.BRING_IN and fact.paid_chips < table.setup.stakes.bring_in_chips
        self._see("bring-in posted short", when=short)
        self._see("opened for the full bet", when=fact.kind is ActionKind.COMPLETE)

    def _wagered(self, before: BettingState, after: BettingState, fact: ActionTaken) -> None:
        seat = next(each for each in before.seats if each.seat == fact.seat)
        if before.rules.structure is not Structure.LIMIT:
            short = fact.all_in and after.full_price_chips != fact.to_chips
            self._see("short all-in in pot limit or no limit", when=short)
            together = seat.acted and before.full_price_chips <= seat.acted_price_chips
            self._see("short all-ins reopen together", when=together)
            return
        lower = before.street in before.rules.lower_limit_streets
        unit = before.stakes.lower_limit_chips if lower else before.stakes.upper_limit_chips
        counted = after.full_price_chips == fact.to_chips
        raised = fact.to_chips - (0 if before.bring_in_uncompleted else before.full_price_chips)
        self._see("short all-in in limit, not counted", when=fact.all_in and not counted)
        self._see("short all-in in limit, counted as a raise", when=fact.all_in and counted and raised < unit)
        cap = before.rules.raise_cap
        self._see("wager above the cap, two left", when=0 < cap <= before.raises_made)
        upper = lower and before.street is Street.FOURTH and raised >= before.stakes.upper_limit_chips > unit
        self._see("open pair: upper limit on fourth street", when=upper and bool(before.open_pair_seats))

    def _paid(self, table: InProcessTable, paid: PotsPaid) -> None:
        state = self._before
        if state is None:
            return
        live = [seat for seat in state.seats if seat.status is not SeatStatus.FOLDED]
        top = max(seat.hand_chips for seat in live)
        self._see("dead money above every live total", when=any(seat.hand_chips > top for seat in state.seats))
        contested = sum(len(pot.eligible_seats) > 1 for pot in table.outcome.pots) or len(paid.awards)
        self._see("side pot", when=len(paid.awards) > 1)
        self._see("three or more pots", when=contested > 1 and len(paid.awards) > 2)
        split = [award for award in paid.awards if len(award.shares) > 1]
        self._see("split pot", when=bool(split))
        odd = [sum(share.odd_chips > 0 for share in award.shares) for award in split]
        self._see("odd chip", when=max(odd, default=0) > 0)
        self._see("two odd chips or more in one pot", when=max(odd, default=0) > 1)
        self._see("rake taken", when=paid.rake_chips > 0)
        self._see("won without showing" if len(live) == 1 else "showdown")
        shared = table.cards.common_card is not None
        self._see("tie through a common card", when=shared and any(len(award.shares) > 1 for award in paid.awards))
