"""Prizes: the fund's share of each purchase, the table of prizes, ties (rules 173-180, 184)."""

from collections.abc import Sequence

from shared.kernel.rules import PrizeMode, PrizeRest, PrizeRow, TopPrizeFix, TournamentRules

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


def prize_table(fund_minor: int, entrants: int, fee_minor: int, rules: TournamentRules) -> tuple[int, ...]:
    """The prizes by place, best first; they add up to the fund.

    Where the best one would not exceed the fee, fewer places are paid until it does; see top_prize_holds for REFUSE.
    """
    if fund_minor == 0:
        return ()
    weights = weights_for(entrants, rules)
    if rules.top_prize_above_fee and rules.top_prize_fix is TopPrizeFix.FEWER_PLACES:
        weights = _fewer_places(fund_minor, weights, fee_minor, rules.prize_rest)
    return split(fund_minor, weights, rules.prize_rest)


def _fewer_places(fund_minor: int, weights: tuple[int, ...], fee_minor: int, rest: PrizeRest) -> tuple[int, ...]:
    """Best places first, as few as needed; one place at the least."""
    for places in range(len(weights), 1, -1):
        if split(fund_minor, weights[:places], rest)[0] > fee_minor:
            return weights[:places]
    return weights[:1]


def top_prize_holds(prizes_minor: Sequence[int], fee_minor: int, rules: TournamentRules) -> bool:
    """Whether the best prize is above the fee where it must be; without a fund there is none (rules 175, 180)."""
    return not rules.top_prize_above_fee or not prizes_minor or prizes_minor[0] > fee_minor


def shared_prize(prizes_minor: Sequence[int], place: int, tied: int) -> int:
    """What each of the players who share a place gets; the rest cents are for the winner of the event (rule 184)."""
    return sum(prizes_minor[place - 1 : place - 1 + tied]) // tied
