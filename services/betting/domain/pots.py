"""Main and side pots, and chips that nobody matched (rules 21, 97-101)."""

from dataclasses import dataclass

from services.betting.domain.state import FOLDED, SeatBetting
from shared.kernel.frozen import maker


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """A pot and who can win it (rule 99). The main pot has index 0."""

    index: int
    chips: int
    eligible_seats: tuple[int, ...]


_pot = maker(Pot)


def pots_of(seats: tuple[SeatBetting, ...]) -> tuple[Pot, ...]:
    """The pots over all chips in the middle: one layer for each distinct total of a live seat (rules 99, 100).

    Every seat pays into a layer as far as its chips reach, folded ones too; what folded seats put in above the highest
    live total belongs to the top layer. No pot is empty, and no two have the same eligible seats.
    """
    live = [seat for seat in seats if seat.status is not FOLDED]
    levels = sorted({seat.hand_chips for seat in live if seat.hand_chips}) or [0]
    totals = [seat.hand_chips for seat in seats]
    if len(levels) == 1:
        chips = sum(totals)
        contending = tuple([seat.seat for seat in live if seat.hand_chips >= levels[0]])
        return (_pot(index=0, chips=chips, eligible_seats=contending),) if chips else ()
    made: list[Pot] = []
    filled = 0
    for level in levels:
        below = filled
        filled = sum(totals) if level == levels[-1] else sum([total if total < level else level for total in totals])  # noqa: FURB136  # twice as fast as min
        eligible = tuple([seat.seat for seat in live if seat.hand_chips >= level])
        made.append(_pot(index=len(made), chips=filled - below, eligible_seats=eligible))
    return tuple(made)


def uncalled_of(seats: tuple[SeatBetting, ...]) -> tuple[int, int]:
    """Place of the seat whose chips nobody matched, and how many; no chips where all is matched (rule 101).

    The chips of folded seats match too: only what is above every other total, folded ones included, was uncalled.
    """
    highest, second, place = -1, -1, 0
    for at, seat in enumerate(seats):
        total = seat.hand_chips
        if total > highest:
            highest, second, place = total, highest, at
        elif total > second:
            second = total
    if seats[place].status is FOLDED:
        return place, 0
    return place, highest - second


def middle_chips(seats: tuple[SeatBetting, ...]) -> int:
    """Every chip in the middle: P."""
    return sum([seat.hand_chips for seat in seats])


def contributor_count(seats: tuple[SeatBetting, ...], pots: tuple[Pot, ...], pot: Pot) -> int:
    """How many seats put chips into a pot: fewer than two, and there was nothing to contest (rule 196)."""
    below = [_level_of(seats, each) for each in pots if each.index < pot.index]
    floor = max(below, default=0)
    return sum(1 for seat in seats if seat.hand_chips > floor)


def _level_of(seats: tuple[SeatBetting, ...], pot: Pot) -> int:
    return min(seat.hand_chips for seat in seats if seat.seat in pot.eligible_seats)
