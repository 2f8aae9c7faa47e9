"""Cash rules that make no sense together (rules 19, 20, 193-196)."""

from collections.abc import Iterator

from shared.kernel.errors import FieldViolation
from shared.kernel.game import Mode
from shared.kernel.rules.cash import CashRules, RakeRules
from shared.kernel.rules.cash_options import AnteToggle, BuyIn
from shared.kernel.rules.checks.finding import Row, rises, violations
from shared.kernel.rules.checks.hand_checks import SEATS_LEAST, SEATS_MOST, WHOLE_BASIS_POINTS
from shared.kernel.rules.hand import HandRules

RAKE_UNCAPPED_MOST = 1_000
"""A tenth of the pot is the most that a house takes without saying where it ends (rule 196, a limit of ours)."""
_UNCAPPED = (
    f"0 to {RAKE_UNCAPPED_MOST} without a cap for every number of players: "
    f"give rake.caps a cap from players_min {SEATS_LEAST} or less on to take a larger share"
)


def check_cash_rules(rules: CashRules, hand: HandRules, path: str = "cash") -> tuple[FieldViolation, ...]:
    """Everything about money at cash tables that makes no sense, field by field."""
    return violations(path, (*_buy_in_rows(rules), *_toggle_rows(rules, hand), *_rake_rows(rules.rake)))


def _buy_in_rows(rules: CashRules) -> Iterator[Row]:
    least, most = rules.buy_in_min_chips, rules.buy_in_max_chips
    yield least < 1, "buy_in_min_chips", "at least 1"
    turned = rules.buy_in is BuyIn.RANGE and most < least
    yield turned, "buy_in_max_chips", f"at least buy_in_min_chips, which is {least}"
    yield rules.cash_stake_cap_minor < 0, "cash_stake_cap_minor", "0 (no limit) or an amount in minor units"


def _toggle_rows(rules: CashRules, hand: HandRules) -> Iterator[Row]:
    no_cash = rules.ante_toggle is AnteToggle.PER_PLAYER and Mode.CASH not in hand.modes_allowed
    yield no_cash, "ante_toggle", "OFF: in tournaments the ante is always paid"


def _rake_rows(rake: RakeRules) -> Iterator[Row]:
    share = f"0 to {WHOLE_BASIS_POINTS}"
    yield not 0 <= rake.basis_points <= WHOLE_BASIS_POINTS, "rake.basis_points", share
    open_ended = not any(cap.players_min <= SEATS_LEAST for cap in rake.caps)
    yield rake.basis_points > RAKE_UNCAPPED_MOST and open_ended, "rake.basis_points", _UNCAPPED
    yield rake.unit_chips < 1, "rake.unit_chips", "at least 1"
    players = tuple(cap.players_min for cap in rake.caps)
    yield not rises(players), "rake.caps", "players_min rises from cap to cap"
    for index, cap in enumerate(rake.caps):
        outside = not 1 <= cap.players_min <= SEATS_MOST
        yield outside, f"rake.caps[{index}].players_min", f"1 to {SEATS_MOST}"
        yield cap.cap_chips < 0, f"rake.caps[{index}].cap_chips", "0 or more"
