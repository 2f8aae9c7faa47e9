"""One random hand, played to its end under watch, and the same hand once more from its record."""

from dataclasses import dataclass, field
from random import Random

from tests.batteries.hands.coverage import Coverage
from tests.batteries.hands.invariants import Invariants
from tests.batteries.hands.offers import check_offers
from tests.batteries.hands.players import Input, Players
from tests.batteries.hands.setups import Plan, plan_of
from tests.support.in_process_table import InProcessTable, TableFact, Watcher

STEPS_MOST = 6_000
OFFERS_SHARE = 0.04
REPLAY_EVERY = 5


@dataclass(slots=True)
class Played:
    """A hand that was played."""

    plan: Plan
    facts: list[TableFact] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    tried: int = 0
    """Actions tried beside those played."""


def play_hand(number: int, coverage: Coverage, watchers: tuple[Watcher, ...] = ()) -> Played:
    """Play the hand of this number; AssertionError where anything does not hold."""
    plan = plan_of(number)
    played = Played(plan)
    coverage.start()
    table = _table(plan, (*watchers, Invariants(plan.setup), coverage))
    rng = Random(f"play {number}")
    players = Players(rng, tuple(each.seat for each in plan.setup.stacks), plan.theme)
    table.absent |= plan.absent
    for _ in range(STEPS_MOST):
        if table.over:
            break
        if table.turn is None:
            table.step()
            continue
        if rng.random() < OFFERS_SHARE:
            played.tried += check_offers(table.outcome.state, table.turn)
        played.inputs.append(players.answer(table))
        played.inputs[-1].apply(table)
    assert table.over, f"the hand has not ended after {STEPS_MOST} steps"
    played.facts = table.facts
    if number % REPLAY_EVERY == 0:
        _check_again(plan, played, table)
    return played


def _table(plan: Plan, watchers: tuple[Watcher, ...]) -> InProcessTable:
    return InProcessTable(plan.setup, watchers)


def _check_again(plan: Plan, played: Played, first: InProcessTable) -> None:
    """The same inputs give the same facts and the same state (rule 14)."""
    again = _table(plan, ())
    inputs = iter(played.inputs)
    while not again.over:
        if again.turn is None:
            again.step()
        else:
            next(inputs).apply(again)
    assert again.facts == first.facts, "played again, the hand has other facts"
    assert again.outcome == first.outcome, "played again, the hand ends in another state"
