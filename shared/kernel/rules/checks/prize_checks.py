"""Prizes, formulas and rounds that make no sense (rules 156-158, 173-179, 186, 190, 202)."""

from collections.abc import Iterator

from shared.kernel.rules.checks.finding import Row, falls_or_stays, has_doubles, rises
from shared.kernel.rules.checks.hand_checks import SEATS_MOST, WHOLE_BASIS_POINTS
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.tournament import PrizeRow, TournamentRules
from shared.kernel.rules.tournament_options import Formula, PrizeMode, RoundStack


def share_rows(rules: TournamentRules) -> Iterator[Row]:
    """The share of purchases that goes to prizes, and prizes that can exist at all."""
    share, least = rules.prize_share_basis_points, rules.prize_share_min_basis_points
    yield not 0 <= least <= WHOLE_BASIS_POINTS, "prize_share_min_basis_points", f"0 to {WHOLE_BASIS_POINTS}"
    yield not least <= share <= WHOLE_BASIS_POINTS, "prize_share_basis_points", f"{least} to {WHOLE_BASIS_POINTS}"
    no_fund = rules.top_prize_above_fee and share == 0 and rules.guarantee_minor == 0
    yield no_fund, "top_prize_above_fee", "false where nothing goes to prizes"
    wrong_mode = rules.satellite_seat_minor > 0 and rules.prize_mode is not PrizeMode.RANKING
    yield wrong_mode, "prize_mode", "RANKING: the seats of a satellite go to the best places"
    yield has_doubles([prize.feat for prize in rules.bonus_prizes]), "bonus_prizes", "name each feat once"
    for index, prize in enumerate(rules.bonus_prizes):
        yield prize.amount_minor < 1, f"bonus_prizes[{index}].amount_minor", "at least 1"


def prize_table_rows(rules: TournamentRules) -> Iterator[Row]:
    """Prize rows start with the smallest field, rise in entrants, and fall or stay from place to place."""
    rows = rules.prize_rows
    yield not rows, "prize_rows", "at least one row"
    yield bool(rows) and rows[0].entrants_min > 2, "prize_rows[0].entrants_min", "1 or 2: every field needs a row"  # noqa: PLR2004 - two entrants make an event
    yield not rises([row.entrants_min for row in rows]), "prize_rows", "entrants_min rises from row to row"
    for index, row in enumerate(rows):
        yield from _weight_rows(row, f"prize_rows[{index}]")


def _weight_rows(row: PrizeRow, field: str) -> Iterator[Row]:
    yield row.entrants_min < 1, f"{field}.entrants_min", "at least 1"
    yield not row.weights or min(row.weights, default=0) < 1, f"{field}.weights", "one weight above 0 for each place"
    yield not falls_or_stays(row.weights), f"{field}.weights", "no weight above that of a better place"
    too_many = len(row.weights) > max(row.entrants_min, 1)
    yield too_many, f"{field}.weights", f"at most {row.entrants_min} places: not more than entrants"


def round_rows(rules: TournamentRules, hand: HandRules) -> Iterator[Row]:
    """Qualifiers, carried stacks and prizes for rounds need rounds; margins and halts fit the tables."""
    in_rounds = rules.formula is Formula.ROUNDS
    most = hand.seats_max - 1 if in_rounds else 1
    allowed = f"1 to {most}: fewer than the seats of a table" if in_rounds else "1 where formula is not ROUNDS"
    yield not 1 <= rules.qualifiers <= most, "qualifiers", allowed
    alone = not in_rounds and rules.prize_mode is PrizeMode.ROUNDS
    yield alone, "prize_mode", "WINNER or RANKING where formula is not ROUNDS"
    carried = not in_rounds and rules.round_stack is RoundStack.CARRY
    yield carried, "round_stack", "RESET where formula is not ROUNDS: there is no later round"
    yield rules.hand_for_hand_margin < 0, "hand_for_hand_margin", "0 or more"
    yield not 0 <= rules.halt_short <= SEATS_MOST, "halt_short", f"0 (never) to {SEATS_MOST}"
