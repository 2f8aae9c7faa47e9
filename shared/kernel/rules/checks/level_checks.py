"""Levels, breaks and starting stacks that make no sense (rules 151-154, 167, 208)."""

from collections.abc import Iterator
from itertools import pairwise
from math import gcd

from shared.kernel.errors import FieldViolation
from shared.kernel.rules.checks.finding import Row, rises
from shared.kernel.rules.checks.stakes_checks import check_stakes
from shared.kernel.rules.hand import HandRules, Stakes
from shared.kernel.rules.tournament import Level, TournamentRules
from shared.kernel.rules.tournament_options import DoubleChanceRelease, LevelTrigger


def level_stakes_violations(rules: TournamentRules, hand: HandRules, path: str) -> Iterator[FieldViolation]:
    """What the hand rules do not allow in the amounts of each level."""
    for index, level in enumerate(rules.levels):
        yield from check_stakes(level.stakes, hand, f"{path}.levels[{index}].stakes")


def level_rows(rules: TournamentRules) -> Iterator[Row]:
    """The list of levels: not empty, never falling, and each level but the last one ends."""
    yield not rules.levels, "levels", "at least one level"
    lower_limits = [level.stakes.lower_limit_chips for level in rules.levels]
    for index, (earlier, later) in enumerate(pairwise(lower_limits), start=1):
        field = f"levels[{index}].stakes.lower_limit_chips"
        yield later < earlier, field, f"at least that of the level before, which is {earlier}"
    for index, level in enumerate(rules.levels):
        last = index == len(rules.levels) - 1
        yield from _length_rows(level, rules.level_trigger, f"levels[{index}]", last=last)


def _length_rows(level: Level, trigger: LevelTrigger, field: str, *, last: bool) -> Iterator[Row]:
    yield level.level_seconds < 0, f"{field}.level_seconds", "0 or more"
    yield level.level_hands < 0, f"{field}.level_hands", "0 or more"
    yield level.decision_seconds < 0, f"{field}.decision_seconds", "0 (as the clock rules say) or more"
    if last:
        return  # the last level repeats for ever
    if trigger is LevelTrigger.TIME:
        yield level.level_seconds < 1, f"{field}.level_seconds", "above 0: level_trigger is TIME"
    elif trigger is LevelTrigger.HANDS:
        yield level.level_hands < 1, f"{field}.level_hands", "above 0: level_trigger is HANDS"
    else:
        endless = level.level_seconds < 1 and level.level_hands < 1
        yield endless, f"{field}.level_seconds", "level_seconds or level_hands above 0, else the level never ends"


def stack_rows(rules: TournamentRules) -> Iterator[Row]:
    """The starting stack: payable in the chips of the structure, and even where it is split in two."""
    stack = rules.starting_stack_chips
    yield stack < 1, "starting_stack_chips", "at least 1"
    unit = _smallest_chip(rules)
    yield unit > 0 and stack % unit != 0, "starting_stack_chips", f"a multiple of {unit}, the smallest chip in use"
    odd = rules.double_chance.offered and stack % 2 != 0
    yield odd, "starting_stack_chips", "even: double chance splits it in two equal halves"


def double_chance_rows(rules: TournamentRules) -> Iterator[Row]:
    """The deadline of the second half lies in the list of levels and comes where nothing else releases it."""
    terms, last = rules.double_chance, len(rules.levels)
    if not terms.offered:
        return
    yield not 1 <= terms.last_level <= last, "double_chance.last_level", f"a level from 1 to {last}"
    never = terms.release is DoubleChanceRelease.AT_DEADLINE and terms.last_level == last
    yield never, "double_chance.last_level", "a level before the last one, which never ends"


def break_rows(rules: TournamentRules) -> Iterator[Row]:
    """Breaks come in order, after levels that end, and have a length."""
    yield not rises([pause.after_level for pause in rules.breaks]), "breaks", "after_level rises from break to break"
    most = len(rules.levels) - 1
    for index, pause in enumerate(rules.breaks):
        outside = not 1 <= pause.after_level <= most
        yield outside, f"breaks[{index}].after_level", f"a level from 1 to {most}: the last one never ends"
        yield pause.length_seconds < 1, f"breaks[{index}].length_seconds", "at least 1"


def _smallest_chip(rules: TournamentRules) -> int:
    return gcd(*(amount for level in rules.levels for amount in _amounts(level.stakes)))


def _amounts(stakes: Stakes) -> tuple[int, int, int, int]:
    return (stakes.ante_chips, stakes.bring_in_chips, stakes.lower_limit_chips, stakes.upper_limit_chips)
