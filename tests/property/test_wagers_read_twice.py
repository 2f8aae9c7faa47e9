"""Random hands whose every turn is worked out a second time from the facts: the same seat, the same amounts."""

from dataclasses import replace
from random import Random

import pytest

from services.betting.application.commands import SeatStack
from services.betting.domain.actions import ActionKind, LegalActions
from services.betting.domain.state import BettingPhase
from shared.kernel.game import Structure
from shared.kernel.rules import (
    BigBetMinimum,
    HandRules,
    HeadsUpCap,
    OpenPairFourth,
    ShortAllInBigBet,
    ShortAllInLimit,
    Stakes,
)
from shared.kernel.rules.presets import PRESETS
from tests.support.betting_strategies import totals
from tests.support.in_process_table import HandSetup, InProcessTable
from tests.support.second_reading import Legal, read_again

CAPS = (HeadsUpCap.ALWAYS, HeadsUpCap.LIFT_ANYTIME, HeadsUpCap.LIFT_BEFORE_CAP, HeadsUpCap.STREET_START)
HANDS = 60


def random_rules(chance: Random, structure: Structure) -> HandRules:
    """A preset with other answers to the questions that the second reading knows."""
    return replace(
        PRESETS[chance.choice(sorted(PRESETS))].hand,
        structure=structure,
        structures_allowed=tuple(Structure),
        open_pair_fourth=OpenPairFourth.OFF,
        heads_up_cap=chance.choice(CAPS),
        heads_up_counts_all_in=chance.random() < 0.5,
        raise_cap=chance.choice((3, 3, 2, 1, 0)),
        short_all_in_limit=chance.choice((ShortAllInLimit.HALF, ShortAllInLimit.HALF, ShortAllInLimit.FULL)),
        short_all_in_big_bet=chance.choice(list(ShortAllInBigBet)),
        big_bet_minimum=chance.choice(list(BigBetMinimum)),
    )


def random_table(chance: Random, structure: Structure) -> InProcessTable:
    lower = chance.choice((4, 7, 10, 20))
    stakes = Stakes(
        ante_chips=chance.randint(1, lower - 1),
        bring_in_chips=chance.randint(1, lower // 2),
        lower_limit_chips=lower,
        upper_limit_chips=2 * lower,
    )
    stacks = (1, 3 * lower), (1, 15 * lower), (20 * lower, 20 * lower)
    seats = range(1, chance.randint(2, 8) + 1)
    return InProcessTable(
        HandSetup(
            rules=random_rules(chance, structure),
            clock=PRESETS["card_room"].clock,
            stakes=stakes,
            stacks=tuple(SeatStack(seat=seat, stack_chips=chance.randint(*chance.choice(stacks))) for seat in seats),
            seed=chance.randbytes(8),
        )
    )


def offered(turn: LegalActions) -> Legal:
    """What the service offers, in the words of the second reading."""
    paid = sum(each.pay_chips for each in turn.actions if each.kind is ActionKind.CALL)
    wagers = [totals(each) for each in turn.actions if totals(each) != (0,)]
    least, most = (wagers[0][0], wagers[0][-1]) if wagers else (0, 0)
    return paid, least, most, turn.seat


@pytest.mark.parametrize("structure", Structure)
@pytest.mark.parametrize("batch", range(4))
def test_every_turn_of_random_hands_is_read_the_same_twice(structure: Structure, batch: int) -> None:
    chance = Random(f"{structure} {batch}")
    turns = 0
    for _ in range(HANDS):
        table = random_table(chance, structure)
        table.run()
        while table.turn is not None:
            if table.outcome.state.phase is BettingPhase.ROUND:
                assert offered(table.turn) == read_again(table).legal()
                turns += 1
            go_on(table, table.turn, chance)
    assert turns > HANDS


def go_on(table: InProcessTable, turn: LegalActions, chance: Random) -> None:
    """One action at random: folds are rare, the clock ends now and then."""
    if chance.random() < 0.03:
        table.expire(turn.seat)
    else:
        staying = [each for each in turn.actions if each.kind is not ActionKind.FOLD]
        chosen = chance.choice(staying if chance.random() < 0.85 else turn.actions)
        table.act(turn.seat, chosen.kind, chance.choice(totals(chosen)))
    table.run()
