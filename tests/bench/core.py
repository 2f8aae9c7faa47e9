"""The rules of betting in process beside pokerkit: the same fixed-limit hands, card by card and action by action.

Each hand is played once and written down; then both sides play it from what is written, which is what is measured.
Ours gets orders of seats where pokerkit finds out itself who opens and who wins: that is what each side does in use.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from pokerkit import Automation, Card, FixedLimitSevenCardStud, Mode

from services.betting.application import hands as betting
from services.betting.application.commands import Act, OpenHand, OpenStreet, SeatStack, Settle, Settled
from services.betting.domain.actions import WAGERS, ActionKind
from services.betting.domain.facts import ActionTaken
from services.betting.domain.outcome import BettingOutcome
from shared.kernel.cards import card_text
from shared.kernel.rules import Stakes
from shared.kernel.rules.presets import PRESETS
from tests.batteries.second_opinion.__main__ import followed
from tests.bench.measuring import Findings, Options, Row, alternating, rate_of
from tests.support.in_process_cards import StreetDealt
from tests.support.in_process_table import HandSetup, InProcessTable, TableFact
from tests.support.table_services import InProcess

HANDS: Final = 40
PLAYERS: Final = 6
STACK_CHIPS: Final = 500
STAKES: Final = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
_DEALING: Final = {Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING}
_AUTOMATIONS: Final = tuple(each for each in Automation if each not in _DEALING)
Step = Callable[[Any], object]


@dataclass(slots=True)
class WrittenHand:
    """What was asked of betting, and the same as steps for pokerkit."""

    asked: list[tuple[Callable[[Any], object], object]] = field(default_factory=list[Any])
    steps: list[Step] = field(default_factory=list[Step])
    actions: int = 0

    def play_ours(self) -> None:
        """Every question to betting again."""
        for ask, command in self.asked:
            ask(command)

    def play_pokerkit(self) -> None:
        """The hand in pokerkit."""
        chips = (STAKES.ante_chips, STAKES.bring_in_chips, STAKES.lower_limit_chips, STAKES.upper_limit_chips)
        state = FixedLimitSevenCardStud.create_state(
            _AUTOMATIONS, True, *chips, (STACK_CHIPS,) * PLAYERS, PLAYERS, mode=Mode.CASH_GAME
        )
        for step in self.steps:
            step(state)
        if state.status:
            raise AssertionError("pokerkit did not end the hand")


class _Writing(InProcess):
    """Writes down what betting is asked."""

    def __init__(self, written: WrittenHand) -> None:
        self._written = written

    def open_hand(self, command: OpenHand) -> BettingOutcome:
        self._written.asked.append((betting.open_hand, command))
        return super().open_hand(command)

    def open_street(self, command: OpenStreet) -> BettingOutcome:
        self._written.asked.append((betting.open_street, command))
        return super().open_street(command)

    def act(self, command: Act) -> BettingOutcome:
        self._written.asked.append((betting.act, command))
        self._written.actions += 1
        return super().act(command)

    def settle(self, command: Settle) -> Settled:
        self._written.asked.append((betting.settle, command))
        return super().settle(command)


def _steps(table: InProcessTable, facts: Sequence[TableFact], seats: Sequence[int]) -> list[Step]:
    made: list[Step] = []
    for fact in facts:
        if isinstance(fact, StreetDealt):
            made.append(_burn)
            for seat in table.live:
                text = "".join(card_text(table.cards.deck[each.position]) for each in fact.given if each.seat == seat)
                made.append(_deal(tuple(Card.parse(text)), seats.index(seat)))
        elif isinstance(fact, ActionTaken):
            made.append(_action(fact))
    return made


def _burn(state: Any) -> None:
    if state.can_burn_card("??"):
        state.burn_card("??")


def _deal(cards: tuple[Card, ...], player: int) -> Step:
    return lambda state: state.deal_hole(cards, player)


def _action(taken: ActionTaken) -> Step:
    if taken.kind is ActionKind.FOLD:
        return lambda state: state.fold()
    if taken.kind is ActionKind.BRING_IN:
        return lambda state: state.post_bring_in()
    if taken.kind in WAGERS:
        return lambda state: state.complete_bet_or_raise_to(taken.to_chips)
    return lambda state: state.check_or_call()


def written_hand(number: int) -> WrittenHand:
    """A hand of six players with deep stacks, its actions drawn at random."""
    rng = Random(number)
    rules = followed(replace(PRESETS["classic"].hand))
    stacks = tuple(SeatStack(seat=seat, stack_chips=STACK_CHIPS) for seat in range(1, PLAYERS + 1))
    written = WrittenHand()
    setup = HandSetup(
        rules=rules, clock=PRESETS["classic"].clock, stakes=STAKES, stacks=stacks, seed=number.to_bytes(32, "big")
    )
    seats = tuple(each.seat for each in stacks)
    table = InProcessTable(
        setup,
        watchers=(lambda played, facts: written.steps.extend(_steps(played, facts, seats)),),
        services=_Writing(written),
    )
    table.run()
    while table.turn is not None:
        kind, to_chips = _choice(rng, {each.kind: each.to_chips_choices for each in table.turn.actions})
        table.act(table.turn.seat, kind, to_chips)
        table.run()
    return written


def _choice(rng: Random, legal: dict[ActionKind, tuple[int, ...]]) -> tuple[ActionKind, int]:
    """One in eight raises, one in eight folds, as far as they may; else what costs least."""
    drawn = rng.random()
    wager = next((kind for kind in WAGERS if kind in legal), None)
    if ActionKind.BRING_IN in legal and drawn < 0.8:
        return ActionKind.BRING_IN, 0
    if wager is not None and drawn < 0.12:
        return wager, legal[wager][0]
    if ActionKind.FOLD in legal and ActionKind.CHECK not in legal and drawn < 0.25:
        return ActionKind.FOLD, 0
    kind = next(each for each in (ActionKind.BRING_IN, ActionKind.CHECK, ActionKind.CALL) if each in legal)
    return kind, 0


def agreed_hands() -> list[WrittenHand]:
    """Hands that pokerkit plays to the same end; where it follows other rules the hand is left out."""
    found: list[WrittenHand] = []
    for number in range(10 * HANDS):
        hand = written_hand(number)
        try:
            hand.play_pokerkit()
        except (ValueError, AssertionError):
            continue
        found.append(hand)
        if len(found) == HANDS:
            return found
    raise AssertionError(f"pokerkit follows only {len(found)} of {10 * HANDS} hands")


def bench_core(findings: Findings, options: Options) -> None:
    """Actions a second, and microseconds of one, in this process."""
    played = agreed_hands()
    actions = sum(hand.actions for hand in played)

    def ours() -> int:
        for hand in played:
            hand.play_ours()
        return actions

    def pokerkit() -> int:
        for hand in played:
            hand.play_pokerkit()
        return actions

    mine, theirs = alternating(
        (lambda: rate_of(ours, options.seconds), lambda: rate_of(pokerkit, options.seconds)), options.rounds
    )
    findings.add(
        Row(
            section="betting core",
            name="actions of whole fixed-limit hands, in process",
            unit="actions a second",
            ours=mine,
            beside="pokerkit",
            floor=theirs,
            target=5.0,
        )
    )
    findings.remarks.append(
        f"betting core: {len(played)} hands, {actions} actions, antes, streets and settlement included; "
        "aim of the ratio is 10"
    )
