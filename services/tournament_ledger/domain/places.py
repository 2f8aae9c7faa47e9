"""Places: by the moment of exclusion, then by chips at the start of the hand; equal ones share (rules 156, 183-184)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from shared.kernel.rules import SameHandRank


@dataclass(frozen=True, slots=True)
class Busted:
    """A player without chips who has no place yet."""

    player_id: str
    hand: int
    """The hand that took the last chips, counted over the tournament."""
    start_chips: int
    """Chips at the start of that hand, before the ante."""
    decides_until: datetime
    """Until when a rebuy may undo it; a moment that has passed where none is possible."""
    certain: bool = True
    """False while the place waits for other tables, or for lots (rules 156, 185)."""


@dataclass(frozen=True, slots=True)
class Placing:
    """The players who share a place; one, most of the time."""

    player_ids: tuple[str, ...]
    place: int


def settle_places(
    busted: Sequence[Busted], remaining: int, same_hand: SameHandRank, now: datetime
) -> tuple[Placing, ...]:
    """The places that are certain by now, worst first.

    A place is certain when nobody who was excluded earlier, or in the same hand from fewer chips, can still buy back.

    Args:
        busted: everybody without chips and without a place.
        remaining: everybody without a place, those with chips included.
        same_hand: how several exclusions in one hand are ranked (C42).
        now: when it is asked.
    """
    found: list[Placing] = []
    worst_first = sorted(busted, key=lambda each: _rank(each, same_hand))
    for _, group in groupby(worst_first, key=lambda each: _rank(each, same_hand)):
        tied = tuple(group)
        if any(each.decides_until > now or not each.certain for each in tied):
            break
        remaining -= len(tied)
        found.append(Placing(tuple(each.player_id for each in tied), remaining + 1))
    return tuple(found)


def _rank(each: Busted, same_hand: SameHandRank) -> tuple[int, int]:
    return each.hand, (each.start_chips if same_hand is SameHandRank.START_STACK_THEN_SHARE else 0)


def qualifiers(survivors: Sequence[str], busted_last: Sequence[Busted], wanted: int) -> tuple[tuple[str, ...], ...]:
    """Who reaches the next round when the last hand of a match ended it (rule 156).

    Answers groups in order of rank, survivors first, that together are at least ``wanted`` players; where they are
    more, the last group is tied and lots decide among it.
    """
    groups: list[tuple[str, ...]] = [tuple(survivors)]
    best_first = sorted(busted_last, key=lambda each: -each.start_chips)
    for _, group in groupby(best_first, key=lambda each: each.start_chips):
        if sum(map(len, groups)) >= wanted:
            break
        groups.append(tuple(each.player_id for each in group))
    return tuple(groups)
