"""Random third streets whose opening is worked out a second time: who owes the bring-in, and what he may do."""

from dataclasses import replace
from random import Random

import pytest

from services.betting.application.commands import SeatStack
from services.betting.domain.actions import WAGERS, ActionKind
from services.betting.domain.state import BettingPhase
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
    TimeoutBringIn,
)
from shared.kernel.rules.presets import PRESETS
from tests.support.betting_strategies import totals
from tests.support.in_process_table import HandSetup, InProcessTable
from tests.support.second_opening import Opening, SecondOpening

CLOCK = replace(PRESETS["regulated_tournament"].clock, timeout_bring_in=TimeoutBringIn.FOLD_PASS_ON)
HANDS = 150


def random_rules(chance: Random, structure: Structure) -> HandRules:
    return replace(
        PRESETS[chance.choice(sorted(PRESETS))].hand,
        structure=structure,
        structures_allowed=tuple(Structure),
        bring_in_by=chance.choice(list(BringInBy)),
        bring_in_suits=chance.choice(list(SuitOrder)),
        high_door_tie=chance.choice(list(HighDoorTie)),
        bring_in_fold=chance.choice(list(BringInFold)),
        bring_in_full=chance.random() < 0.5,
        bring_in_no_chips=chance.choice(list(BringInNoChips)),
        big_bet_minimum=chance.choice(list(BigBetMinimum)),
        pot_below_minimum=chance.choice(list(PotBelowMinimum)),
    )


def third_street(chance: Random, structure: Structure) -> InProcessTable:
    """A hand with third street dealt; low cards without chips are frequent."""
    lower = chance.choice((4, 10, 20))
    stakes = Stakes(
        ante_chips=chance.randint(1, lower - 1),
        bring_in_chips=chance.randint(1, lower // 2),
        lower_limit_chips=lower,
        upper_limit_chips=2 * lower,
    )
    stacks = (1, lower), (1, 3 * lower), (20 * lower, 20 * lower)
    seats = range(1, chance.randint(2, 8) + 1)
    setup = HandSetup(
        rules=random_rules(chance, structure),
        clock=CLOCK,
        stakes=stakes,
        stacks=tuple(SeatStack(seat=seat, stack_chips=chance.randint(*chance.choice(stacks))) for seat in seats),
        seed=chance.randbytes(8),
    )
    table = InProcessTable(setup)
    table.step()
    return table


def reading_of(table: InProcessTable) -> SecondOpening:
    seats = table.outcome.state.seats
    return SecondOpening(
        rules=table.setup.rules,
        stakes=table.setup.stakes,
        doors={seat.seat: table.cards.up_cards(seat.seat)[0] for seat in seats},
        behind=table.stacks,
        middle=table.outcome.pot_total_chips,
    )


def offered(table: InProcessTable) -> Opening:
    """What the service offers, in the words of the second reading."""
    if table.turn is None or table.outcome.state.phase is not BettingPhase.BRING_IN:
        return 0, False, 0, 0
    legal = {each.kind: each for each in table.turn.actions}
    full = [totals(each) for each in table.turn.actions if each.kind in WAGERS]
    assert all(len(amounts) == 1 for amounts in full)
    post = legal[ActionKind.BRING_IN].pay_chips
    return table.turn.seat, ActionKind.FOLD in legal, post, full[0][0] if full else 0


@pytest.mark.parametrize("structure", Structure)
@pytest.mark.parametrize("batch", range(3))
def test_every_opening_of_random_hands_is_read_the_same_twice(structure: Structure, batch: int) -> None:
    chance = Random(f"opening {structure} {batch}")
    declined = 0
    for _ in range(HANDS):
        table = third_street(chance, structure)
        reading = reading_of(table)
        while True:
            seat, may_fold, *_ = expected = reading.opening()
            assert offered(table) == expected
            if not seat or chance.random() < 0.3:
                break
            if may_fold and chance.random() < 0.7:
                table.act(seat, ActionKind.FOLD)
            else:
                table.expire(seat)
            reading.folded.add(seat)
            declined += 1
    assert declined > HANDS // 2
