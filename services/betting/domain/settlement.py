"""The pots paid to the last odd chip (rules 98, 102, 103, 123-127, 196)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from services.betting.domain.act import expected_step
from services.betting.domain.pots import Pot, pots_of
from services.betting.domain.rake import rake_of
from services.betting.domain.state import ACTIVE, ALL_IN, BettingPhase, BettingState, SeatBetting
from shared.kernel.errors import DomainError, FieldViolation, Reason, out_of_step
from shared.kernel.frozen import evolve
from shared.kernel.rules import RakeRules

Winners = Mapping[int, tuple[int, ...]]
"""Winning seats of a pot by its index, in the order in which odd chips are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PotShare:
    """What one seat gets from one pot."""

    seat: int
    chips: int
    """All chips it gets from the pot, the odd ones included."""
    odd_chips: int
    """How many of them are odd chips (rule 123)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PotAward:
    """How one pot was paid."""

    pot_index: int
    chips: int
    """Chips that were in the pot, rake included."""
    rake_chips: int
    shares: tuple[PotShare, ...]
    uncontested: bool
    """One seat alone was eligible and nothing had to be shown (rule 103)."""


class Settlement(NamedTuple):
    """The hand with its pots paid."""

    state: BettingState
    awards: tuple[PotAward, ...]
    rake_chips: int


def settle(state: BettingState, winners: Winners, rake: RakeRules | None) -> Settlement:
    """Pay every pot by itself, main pot first; stacks are final afterwards. Chips are conserved exactly (rule 106)."""
    if state.phase not in {BettingPhase.SHOWDOWN, BettingPhase.UNCONTESTED}:
        raise out_of_step("Settle", expected_step(state.phase))
    pots = pots_of(state.seats)
    _check_winners(pots, winners)
    taken = rake_of(state, pots, rake)
    unit = state.rules.odd_chip_unit_chips
    awards = tuple(
        _award(pot, winners.get(pot.index, pot.eligible_seats), rake_chips, unit)
        for pot, rake_chips in zip(pots, taken, strict=True)
    )
    won: dict[int, int] = {}
    for award in awards:
        for share in award.shares:
            won[share.seat] = won.get(share.seat, 0) + share.chips
    seats = tuple(_paid(seat, won.get(seat.seat, 0)) for seat in state.seats)
    return Settlement(evolve(state, seats=seats, phase=BettingPhase.SETTLED), awards, sum(taken))


def _paid(seat: SeatBetting, won: int) -> SeatBetting:
    stack = seat.stack_chips + won
    status = seat.status
    if status is ALL_IN and stack:
        status = ACTIVE
    return evolve(seat, stack_chips=stack, street_chips=0, hand_chips=0, status=status)


def _award(pot: Pot, winners: tuple[int, ...], rake_chips: int, unit: int) -> PotAward:
    return PotAward(
        pot_index=pot.index,
        chips=pot.chips,
        rake_chips=rake_chips,
        shares=split(pot.chips - rake_chips, winners, unit),
        uncontested=len(pot.eligible_seats) == 1,
    )


def split(chips: int, winners: tuple[int, ...], unit: int) -> tuple[PotShare, ...]:
    """Equal parts in whole units; each odd unit goes to another winner, in the order given (rules 123, 126).

    Chips that do not make a unit are one odd piece more. With a unit of 1 no winner gets more than one odd chip.
    """
    units, loose = divmod(chips, unit)
    each, odd_units = divmod(units, len(winners))
    pieces = [unit] * odd_units + ([loose] if loose else [])
    pieces += [0] * (len(winners) - len(pieces))
    return tuple(
        PotShare(seat=seat, chips=each * unit + odd, odd_chips=odd) for seat, odd in zip(winners, pieces, strict=True)
    )


def _check_winners(pots: tuple[Pot, ...], winners: Winners) -> None:
    """Every pot with two or more eligible seats has winners out of them, and no other pot is named."""
    found = [
        FieldViolation("results", f"pot {index} does not exist: there are pots 0 to {len(pots) - 1}")
        for index in winners
        if not 0 <= index < len(pots)
    ]
    for pot in pots:
        named = winners.get(pot.index)
        problem = _problem(pot, named)
        if problem:
            found.append(FieldViolation("results", f"pot {pot.index}: {problem}"))
    if found:
        text = "; ".join(each.description for each in found)
        raise DomainError(Reason.REQUEST_INVALID, f"results: {text}", {"field": "results"}, tuple(found))


def _problem(pot: Pot, named: tuple[int, ...] | None) -> str:
    eligible = ", ".join(str(seat) for seat in pot.eligible_seats)
    if named is None:
        return f"name its winners out of seats {eligible}" if len(pot.eligible_seats) > 1 else ""
    if not named or len(set(named)) < len(named):
        return "name each winning seat once, at least one"
    wrong = [str(seat) for seat in named if seat not in pot.eligible_seats]
    return f"seat {', '.join(wrong)} cannot win it; eligible: {eligible}" if wrong else ""
