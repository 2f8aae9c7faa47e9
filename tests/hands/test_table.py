"""The table on which hands are tried: the same seed gives the same hand, and no chip or card is lost on it."""

from collections.abc import Sequence
from random import Random

import pytest

from services.betting.application.commands import SeatStack
from shared.kernel.game import Structure
from shared.kernel.rules import Stakes
from shared.kernel.rules.presets import PRESETS
from tests.support.betting_hand import rules
from tests.support.betting_strategies import totals
from tests.support.in_process_table import HandSetup, InProcessTable, TableFact

STAKES = Stakes(ante_chips=2, bring_in_chips=5, lower_limit_chips=10, upper_limit_chips=20)


def random_hand(number: int, preset: str, structure: Structure) -> InProcessTable:
    """A hand of random players, played to its end."""
    chance = Random(number)
    count = chance.randint(2, 8)
    stacks = tuple(SeatStack(seat=seat, stack_chips=chance.randint(1, 200)) for seat in range(1, count + 1))
    setup = HandSetup(
        rules=rules(PRESETS[preset].hand, structure=structure),
        clock=PRESETS[preset].clock,
        stakes=STAKES,
        stacks=stacks,
        seed=f"{number}".encode(),
    )
    table = InProcessTable(setup, watchers=(nothing_is_lost,))
    table.run()
    while table.turn is not None:
        if chance.randrange(20):
            chosen = chance.choice(table.turn.actions)
            table.act(table.turn.seat, chosen.kind, chance.choice(totals(chosen)))
        else:
            table.expire(table.turn.seat)
        table.run()
    return table


def nothing_is_lost(table: InProcessTable, _: Sequence[TableFact]) -> None:
    seats = table.outcome.state.seats
    assert sum(seat.stack_chips + seat.hand_chips for seat in seats) == sum(seat.start_chips for seat in seats)
    dealing = table.cards.dealing
    places = [*dealing.stub, *dealing.burned, *(each.position for each in dealing.given)]
    assert sorted(places) == list(range(52))
    assert len(set(table.cards.deck)) == 52


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("structure", Structure)
def test_random_hands_end_and_lose_nothing(preset: str, structure: Structure) -> None:
    for number in range(30):
        table = random_hand(number, preset, structure)
        assert table.over
        assert sum(table.stacks.values()) == sum(each.stack_chips for each in table.setup.stacks)


def test_the_same_seed_gives_the_same_hand() -> None:
    first, second = (random_hand(7, "card_room", Structure.LIMIT) for _ in range(2))
    assert first.facts == second.facts
    assert first.cards.deck == second.cards.deck
