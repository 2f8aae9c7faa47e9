"""A hand of ours played in pokerkit at the same time, card by card and action by action, and compared at every turn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pokerkit import Automation, FixedLimitSevenCardStud, Mode, State

from services.betting.domain.actions import WAGERS, ActionKind, LegalActions
from services.betting.domain.facts import ActionTaken
from services.betting.domain.state import BettingPhase, BettingState
from services.dealer.domain.hand import CardSource
from shared.kernel.cards import card_text
from shared.kernel.rules import OddChip
from tests.batteries.second_opinion.exclusions import (
    OtherRulesError,
    exclude_opening,
    exclude_short,
    exclude_turn,
    nobody_can_pay_more,
)
from tests.support.in_process_cards import StreetDealt
from tests.support.in_process_table import HandSetup, InProcessTable, PotsPaid, TableFact

_AUTOMATIONS = tuple(
    each
    for each in Automation
    if each not in {Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING}
)


@dataclass(slots=True)
class Opinions:
    """What came of the comparison of some hands."""

    hands: int = 0
    turns: int = 0
    stacks: int = 0
    checks: int = 0
    """Checks of a last player with chips, which pokerkit wants and rule 83 does not."""
    unanswered: int = 0
    """Wagers offered by rule 69 though no opponent could pay more than the price; pokerkit offers none."""
    whole: int = 0
    """Hands compared from the antes to the final stacks."""
    excluded: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[int, str]] = field(default_factory=list)

    def take(self, other: "Opinions") -> None:
        """The results of other hands too."""
        self.hands += other.hands
        self.turns += other.turns
        self.stacks += other.stacks
        self.checks += other.checks
        self.unanswered += other.unanswered
        self.whole += other.whole
        self.excluded.update(other.excluded)
        self.differences += other.differences


class Mirror:
    """A watcher that plays the hand of a table in pokerkit and compares."""

    def __init__(self, setup: HandSetup, opinions: Opinions) -> None:
        self._setup, self._opinions = setup, opinions
        self._seats = tuple(each.seat for each in setup.stacks)
        self._before: BettingState | None = None
        stakes = setup.stakes
        self.other: State = FixedLimitSevenCardStud.create_state(
            _AUTOMATIONS,
            True,
            stakes.ante_chips,
            stakes.bring_in_chips,
            stakes.lower_limit_chips,
            stakes.upper_limit_chips,
            tuple(each.stack_chips for each in setup.stacks),
            len(setup.stacks),
            mode=Mode.CASH_GAME,
        )

    def __call__(self, table: InProcessTable, facts: Sequence[TableFact]) -> None:
        """Play a step in pokerkit, then compare the turn it leads to."""
        for fact in facts:
            match fact:
                case StreetDealt():
                    self._deal(table, fact)
                case ActionTaken():
                    self._act(table, fact)
                case PotsPaid():
                    self._compare_stacks(table, fact)
                case _:
                    pass
        self._before = table.outcome.state
        if table.turn is not None:
            self._compare_turn(table.outcome.state, table.turn)

    def _deal(self, table: InProcessTable, dealt: StreetDealt) -> None:
        if dealt.source is not CardSource.STUB:
            raise OtherRulesError("cards run out: pokerkit mixes folded cards in (rules 85, 87)")
        self._let_the_last_one_check()
        if self.other.can_burn_card("??"):
            self.other.burn_card("??")
        for seat in table.live:
            cards = "".join(card_text(table.cards.deck[each.position]) for each in dealt.given if each.seat == seat)
            self.other.deal_hole(cards, self._seats.index(seat))

    def _let_the_last_one_check(self) -> None:
        """Our street is over where one player alone has chips and owes nothing; pokerkit still asks for a check."""
        while self.other.actor_index is not None:
            assert not self.other.checking_or_calling_amount, "pokerkit waits for a call on a street that is over"
            self.other.check_or_call()
            self._opinions.checks += 1

    def _act(self, table: InProcessTable, fact: ActionTaken) -> None:
        before = self._before
        assert before is not None
        if before.phase is BettingPhase.BRING_IN:
            exclude_opening(before, fact)
        if fact.kind is ActionKind.FOLD:
            self.other.fold()
        elif fact.kind is ActionKind.BRING_IN:
            self.other.post_bring_in()
        elif fact.kind in WAGERS:
            if nobody_can_pay_more(before, fact.seat):
                raise OtherRulesError("a wager that no opponent could pay in full: pokerkit offers none (rule 69)")
            self.other.complete_bet_or_raise_to(fact.to_chips)
            exclude_short(table.outcome.state, fact)
        else:
            self.other.check_or_call()

    def _compare_turn(self, state: BettingState, turn: LegalActions) -> None:
        """Who acts, what a call costs, what a wager may be."""
        exclude_turn(state, turn)
        index = self.other.actor_index
        acts = None if index is None else self._seats[index]
        assert acts == turn.seat, f"{state.street}: seat {turn.seat} is to act; pokerkit: seat {acts}"
        ours = {each.kind: each for each in turn.actions}
        if ActionKind.BRING_IN in ours:
            assert self.other.can_post_bring_in(), "pokerkit sees no bring-in"
            posted, theirs = ours[ActionKind.BRING_IN].pay_chips, self.other.effective_bring_in_amount
            assert posted == theirs, f"the bring-in takes {posted}; pokerkit: {theirs}"
        else:
            pays = ours[ActionKind.CALL].pay_chips if ActionKind.CALL in ours else 0
            theirs = self.other.checking_or_calling_amount
            assert pays == theirs, f"{state.street}: a call takes {pays}; pokerkit: {theirs}"
        if nobody_can_pay_more(state, turn.seat):
            self._opinions.unanswered += any(each.kind in WAGERS for each in turn.actions)
            return
        seat = next(each for each in state.seats if each.seat == turn.seat)
        if state.phase is BettingPhase.BRING_IN and seat.stack_chips <= state.stakes.bring_in_chips:
            return  # all chips are the bring-in; pokerkit calls them an opening bet as well
        wagers = [to_chips for each in turn.actions for to_chips in each.to_chips_choices]
        can = self.other.can_complete_bet_or_raise_to()
        other = [self.other.min_completion_betting_or_raising_to_amount] if can else []
        assert wagers == other, f"{state.street}: wagers to {wagers}; pokerkit: {other}"
        self._opinions.turns += 1

    def _compare_stacks(self, table: InProcessTable, paid: PotsPaid) -> None:
        self._let_the_last_one_check()
        odd = [share.odd_chips for award in paid.awards for share in award.shares if share.odd_chips]
        if odd and self._setup.rules.odd_chip is not OddChip.POSITION:
            raise OtherRulesError("odd chips by suit: pokerkit knows no suits there (rule 124)")
        if len(odd) > len({award.pot_index for award in paid.awards if any(each.odd_chips for each in award.shares)}):
            raise OtherRulesError("two odd chips in a pot: pokerkit gives both to one player (rule 123)")
        ours, theirs = tuple(table.stacks.values()), tuple(self.other.stacks)
        assert not self.other.status, "pokerkit's hand goes on"
        assert ours == theirs, f"stacks {ours}; pokerkit: {theirs}"
        self._opinions.stacks += len(ours)
        self._opinions.whole += 1
