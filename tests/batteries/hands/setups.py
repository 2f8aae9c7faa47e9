"""The start of a random hand, made from one number: rules, amounts, players and their chips."""

from dataclasses import dataclass, fields, replace
from enum import Enum, StrEnum
from random import Random
from typing import Any, get_type_hints

from services.betting.application.commands import SeatStack
from services.dealer.domain.script import ScriptedSeat
from shared.kernel.cards import Card
from shared.kernel.game import Mode, Street, Structure
from shared.kernel.rules import BigBetMinimum, ClockRules, HandRules, HeadsUpCap, RakeCap, RakeRules, Stakes
from shared.kernel.rules.presets import PRESETS
from shared.kernel.rules.validation import check_clock_rules, check_hand_rules, check_stakes
from tests.support.in_process_cards import ScriptedCards
from tests.support.in_process_table import HandSetup

_PRESET_NAMES = tuple(sorted(PRESETS))


class Theme(StrEnum):
    """What a hand is made to show more often than chance would."""

    ANY = "ANY"
    CROWD = "CROWD"  # Eight players with chips who stay: the cards run out.
    CALM = "CALM"  # No clock runs out; for comparisons.
    TIE = "TIE"  # Two to four players with the same ranks in other suits: pots are split.
    STAIRS = "STAIRS"  # No limit with stacks of a few bets: one short all-in on another.


_COUNTS = {Theme.ANY: 0, Theme.CALM: 0, Theme.CROWD: 8, Theme.STAIRS: 0, Theme.TIE: 4}
"""Players of a theme; 0 = any number."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A hand to be played."""

    number: int
    preset: str
    theme: Theme
    overridden: bool
    setup: HandSetup
    absent: frozenset[int]
    """Seats whose players sit out from the start."""


def plan_of(number: int) -> Plan:
    """The hand of this number, always the same."""
    rng = Random(f"hand {number}")
    while True:
        plan = _draw(rng, number)
        setup = plan.setup
        wrong = (*check_hand_rules(setup.rules), *check_clock_rules(setup.clock, setup.rules))
        if not (*wrong, *check_stakes(setup.stakes, setup.rules)):
            return plan


def _draw(rng: Random, number: int) -> Plan:
    preset = rng.choice(_PRESET_NAMES)
    overridden = rng.random() < 0.6
    theme = rng.choices((Theme.ANY, Theme.CROWD, Theme.STAIRS, Theme.TIE), (80, 8, 7, 5))[0]
    rules, clock = PRESETS[preset].hand, PRESETS[preset].clock
    rules = replace(rules, structure=rng.choice(rules.structures_allowed))
    if overridden or theme is Theme.STAIRS:
        rules = _other_hand_rules(rng, rules)
        clock = replace(clock, **_overrides(rng, ClockRules), protect_limit_per_session=rng.choice((0, 0, 1)))
    if theme is Theme.STAIRS:
        rules = replace(rules, structure=Structure.NO_LIMIT, big_bet_minimum=BigBetMinimum.LOWER)
    stakes = _stakes(rng, rules)
    seats = _seats(rng, _COUNTS[theme] or rng.choice((2, 2, 3, 3, 4, 5, 6, 7, 8, 8)))
    setup = HandSetup(
        rules=rules,
        clock=clock,
        stakes=stakes,
        stacks=tuple(SeatStack(seat=seat, stack_chips=_stack(rng, stakes, theme)) for seat in seats),
        seed=rng.randbytes(16),
        script=_same_ranks(rng, seats) if theme is Theme.TIE else None,
        rake=_rake(rng),
        last_two_of_event=len(seats) == 2 and rules.heads_up_cap is HeadsUpCap.LAST_TWO_OF_EVENT and rng.random() < 0.5,
    )
    away = frozenset(seat for seat in seats if rng.random() < 0.3) if rng.random() < 0.2 else frozenset[int]()
    return Plan(number, preset, theme, overridden or theme is Theme.STAIRS, setup, away)


def _other_hand_rules(rng: Random, base: HandRules) -> HandRules:
    changed = _overrides(rng, HandRules)
    streets = tuple(Street)[: rng.choice((2, 2, 2, 1, 3, 5))]
    return replace(
        base,
        **changed,
        structures_allowed=tuple(Structure),
        structure=rng.choice(tuple(Structure)),
        modes_allowed=tuple(Mode),
        raise_cap=rng.choice((3, 3, 0, 1, 2, 4)),
        heads_up_raise_cap=rng.randint(1, 6),
        lower_limit_streets=streets,
        bring_in_max_basis_points=rng.choice((5_000, 1_000, 9_999)),
        odd_chip_unit_chips=rng.choice((1, 1, 1, 5)),
    )


def _overrides(rng: Random, rules: type) -> dict[str, Any]:
    """Any values for about a third of the options that are a choice or a switch."""
    hints = get_type_hints(rules)
    found: dict[str, Any] = {}
    for field in fields(rules):
        hint = hints[field.name]
        if field.name != "structure" and hint is not int and isinstance(hint, type) and rng.random() < 0.35:
            if issubclass(hint, Enum):
                found[field.name] = rng.choice(list(hint))
            elif hint is bool:
                found[field.name] = rng.random() < 0.5
    return found


def _stakes(rng: Random, rules: HandRules) -> Stakes:
    unit = rules.odd_chip_unit_chips
    lower = rng.choice((2, 4, 5, 10, 20, 25, 75, 100))
    most = max(1, lower * rules.bring_in_max_basis_points // 10_000)
    ante = rng.choice((0, 1, lower // 5, lower // 4, lower - 1))
    return Stakes(
        ante_chips=unit * max(ante, 1 if rules.ante_required else 0),
        bring_in_chips=unit * rng.randint(1, most),
        lower_limit_chips=unit * lower,
        upper_limit_chips=unit * (2 * lower if rules.upper_is_double else rng.randint(lower, 3 * lower)),
    )


def _seats(rng: Random, count: int) -> tuple[int, ...]:
    """Seat numbers in dealing order."""
    numbers = sorted(rng.sample(range(1, 9), count))
    first = rng.randrange(count)
    return (*numbers[first:], *numbers[:first])


def _stack(rng: Random, stakes: Stakes, theme: Theme) -> int:
    """From one chip up: about the forced bets, a few bets, or deep."""
    forced = stakes.ante_chips + stakes.bring_in_chips
    upper = stakes.upper_limit_chips
    if theme in {Theme.CROWD, Theme.TIE}:
        return forced + rng.randint(1, 60 * upper)
    if theme is Theme.STAIRS:
        return stakes.ante_chips + rng.choice((13, 16, 19, 22, 25, 28, 300, 300)) * stakes.lower_limit_chips // 10
    (most,) = rng.choices((forced + 2, 2 * upper, 6 * upper, 20 * upper, 40 * upper), (1, 2, 3, 4, 4))
    return rng.randint(1, most)


def _same_ranks(rng: Random, seats: tuple[int, ...]) -> ScriptedCards:
    """Seven cards of the same ranks for some seats, at most two of a suit each; often with the best straight."""
    best = rng.random() < 0.5
    ranks = [8, 9, 10, 11, 12, *rng.sample(range(7), 2)] if best else rng.sample(range(13), 7)
    rng.shuffle(ranks)
    scripted = rng.sample(seats, rng.randint(2, len(seats)))
    return ScriptedCards(
        seats=tuple(
            ScriptedSeat(seat=seat, cards=tuple(Card(1 + 4 * rank + (at + turn) % 4) for at, rank in enumerate(ranks)))
            for turn, seat in enumerate(scripted)
        )
    )


def _rake(rng: Random) -> RakeRules | None:
    if rng.random() < 0.7:
        return None
    caps = tuple(RakeCap(players_min=rng.randint(1, 8), cap_chips=rng.randint(0, 30)) for _ in range(rng.randrange(3)))
    return RakeRules(
        basis_points=rng.choice((1, 500, 1_000)),
        caps=caps,
        unit_chips=rng.choice((1, 5)),
        no_fourth_street_no_rake=rng.random() < 0.5,
    )
