"""Prizes: the fund's share of each purchase, the table of prizes, ties (rules 173-180, 184)."""

from collections.abc import Sequence
from itertools import pairwise

from shared.kernel.rules import Formula, PrizeMode, PrizeRest, PrizeRow, TopPrizeFix, TournamentRules

WHOLE_BASIS_POINTS = 10_000


def fund_share(price_minor: int, basis_points: int) -> int:
    """What of one purchase goes to the prizes: each contribution is rounded up to the cent (rule 173)."""
    return -(-price_minor * basis_points // WHOLE_BASIS_POINTS)


def split(amount: int, weights: Sequence[int], rest: PrizeRest) -> tuple[int, ...]:
    """Divide an amount by weights so that not a cent is made or lost (rule 177, C47)."""
    total = sum(weights)
    shares = [amount * weight // total for weight in weights]
    missing = amount - sum(shares)
    if rest is PrizeRest.WINNER:
        shares[0] += missing
        return tuple(shares)
    order = list(range(len(weights)))
    if rest is PrizeRest.LARGEST_REMAINDER:
        order.sort(key=lambda place: -(amount * weights[place] % total))  # stable: ties to the better place
    for place in order[:missing]:
        shares[place] += 1
    return tuple(shares)


def weights_for(entrants: int, rules: TournamentRules) -> tuple[int, ...]:
    """The weights of the paid places for a number of entrants (rules 174, 178)."""
    if rules.prize_mode is PrizeMode.WINNER:
        return (1,)
    fitting = [row for row in rules.prize_rows if row.entrants_min <= entrants]
    row = max(fitting, key=_entrants_min, default=rules.prize_rows[0])
    return row.weights[:entrants]


def _entrants_min(row: PrizeRow) -> int:
    return row.entrants_min


def prize_table(
    fund_minor: int, entrants: int, fee_minor: int, rules: TournamentRules, sizes: Sequence[int] = ()
) -> tuple[int, ...]:
    """The prizes by place, best first; they add up to the fund.

    Where the best one would not exceed the fee, fewer places are paid until it does; see top_prize_holds for REFUSE.
    ``sizes``: players at the start of each round, where prizes are for rounds passed.
    """
    if fund_minor == 0:
        return ()
    if rules.satellite_seat_minor:
        return satellite_table(fund_minor, entrants, rules.satellite_seat_minor)
    weights = weights_for(entrants, rules)
    tables = [_by_place(weights[:kept], sizes, rules) for kept in range(len(weights), 0, -1)]
    if not (rules.top_prize_above_fee and rules.top_prize_fix is TopPrizeFix.FEWER_PLACES):
        tables = tables[:1]
    prizes = [split(fund_minor, each, rules.prize_rest) for each in tables]
    return next((each for each in prizes if each[0] > fee_minor), prizes[-1])


def _by_place(weights: tuple[int, ...], sizes: Sequence[int], rules: TournamentRules) -> tuple[int, ...]:
    """Weights of places; those of rounds hold for everybody who passed as many (rule 174)."""
    if rules.prize_mode is not PrizeMode.ROUNDS:
        return weights
    reached = [1, *reversed(sizes)]
    groups = [1, *(more - fewer for fewer, more in pairwise(reached))]
    return tuple(weight for weight, count in zip(weights, groups, strict=False) for _ in range(count))


def round_sizes(entrants: int, seats_per_table: int, rules: TournamentRules) -> tuple[int, ...]:
    """Players at the start of each round, the first one first; none where the formula has no rounds (rule 205)."""
    if rules.formula is not Formula.ROUNDS:
        return ()
    sizes = [entrants]
    while (tables := -(-sizes[-1] // seats_per_table)) > 1:
        small, larger = divmod(sizes[-1], tables)
        most = rules.qualifiers
        sizes.append(larger * min(small + 1, most) + (tables - larger) * min(small, most))
    return tuple(sizes)


def satellite_seats(fund_minor: int, entrants: int, seat_minor: int) -> int:
    """Seats that a satellite pays: whole ones only, and fewer than there are players (rule 202)."""
    return min(fund_minor // seat_minor, entrants - 1)


def satellite_table(fund_minor: int, entrants: int, seat_minor: int) -> tuple[int, ...]:
    """Whole seats first, what is over in money for the next place (rule 202)."""
    seats = satellite_seats(fund_minor, entrants, seat_minor)
    rest = fund_minor - seats * seat_minor
    return (*[seat_minor] * seats, *([rest] if rest else []))


def top_prize_holds(prizes_minor: Sequence[int], fee_minor: int, rules: TournamentRules) -> bool:
    """Whether the best prize is above the fee where it must be; without a fund there is none (rules 175, 180)."""
    return not rules.top_prize_above_fee or not prizes_minor or prizes_minor[0] > fee_minor


def shared_prize(prizes_minor: Sequence[int], place: int, tied: int) -> int:
    """What each of the players who share a place gets; the rest cents are for the winner of the event (rule 184)."""
    return sum(prizes_minor[place - 1 : place - 1 + tied]) // tied
