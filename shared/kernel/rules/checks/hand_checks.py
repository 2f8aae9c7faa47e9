"""Hand rules that make no sense together (rules 1, 28, 41, 45, 51, 87, 110, 115, 126)."""

from collections.abc import Iterator

from shared.kernel.errors import FieldViolation
from shared.kernel.game import Mode, Street
from shared.kernel.rules.checks.finding import Row, has_doubles, violations
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.hand_options import AskToSee, BurnStreets, CommonCardSource, HeadsUpCap, MuckedInHistory

SEATS_LEAST = 2
SEATS_MOST = 8
WHOLE_BASIS_POINTS = 10_000


def check_hand_rules(rules: HandRules, path: str = "hand") -> tuple[FieldViolation, ...]:
    """Everything about betting and dealing that makes no sense, field by field."""
    return violations(path, (*_choice_rows(rules), *_betting_rows(rules), *_dealing_rows(rules), *_showing_rows(rules)))


def _choice_rows(rules: HandRules) -> Iterator[Row]:
    seats = f"a table has {SEATS_LEAST} to {SEATS_MOST} seats; {rules.seats_max} are asked for"
    yield not SEATS_LEAST <= rules.seats_max <= SEATS_MOST, "seats_max", seats
    yield not rules.modes_allowed, "modes_allowed", "name at least one of CASH and TOURNAMENT"
    yield has_doubles(rules.modes_allowed), "modes_allowed", "name each mode once"
    yield not rules.structures_allowed, "structures_allowed", "name at least one of LIMIT, POT_LIMIT, NO_LIMIT"
    yield has_doubles(rules.structures_allowed), "structures_allowed", "name each structure once"
    allowed = ", ".join(rules.structures_allowed)
    outside = bool(rules.structures_allowed) and rules.structure not in rules.structures_allowed
    yield outside, "structure", f"{rules.structure} is not among structures_allowed: {allowed}"


def _betting_rows(rules: HandRules) -> Iterator[Row]:
    streets = set(rules.lower_limit_streets)
    first_ones = streets == set(tuple(Street)[: len(streets)])
    twice = has_doubles(rules.lower_limit_streets)
    wrong = "name the first streets, from THIRD on, without a gap and each once"
    yield not streets or not first_ones or twice, "lower_limit_streets", wrong
    fraction = rules.bring_in_max_basis_points
    below_limit = f"1 to {WHOLE_BASIS_POINTS - 1}: a bring-in is above 0 and below the lower limit"
    yield not 0 < fraction < WHOLE_BASIS_POINTS, "bring_in_max_basis_points", below_limit
    yield rules.raise_cap < 0, "raise_cap", "0 (no cap) or the number of raises"
    by_number = rules.heads_up_cap is HeadsUpCap.NUMBER
    needed = "at least 1 where heads_up_cap is NUMBER"
    yield by_number and rules.heads_up_raise_cap < 1, "heads_up_raise_cap", needed
    tighter = by_number and 1 <= rules.heads_up_raise_cap < rules.raise_cap
    least = f"at least raise_cap, which is {rules.raise_cap}, where heads_up_cap is NUMBER"
    yield tighter, "heads_up_raise_cap", least
    no_event = rules.heads_up_cap is HeadsUpCap.LAST_TWO_OF_EVENT and Mode.TOURNAMENT not in rules.modes_allowed
    yield no_event, "heads_up_cap", "LAST_TWO_OF_EVENT needs TOURNAMENT among modes_allowed"


def _dealing_rows(rules: HandRules) -> Iterator[Row]:
    no_burns = rules.burn_streets is BurnStreets.NONE
    missing = no_burns and rules.common_card_source is CommonCardSource.BURNS
    yield missing, "common_card_source", "BURNS needs burned cards: burn_streets is NONE"


def _showing_rows(rules: HandRules) -> Iterator[Row]:
    only_first = rules.first_to_show_may_muck and not rules.losers_may_muck
    yield only_first, "first_to_show_may_muck", "false where losers_may_muck is false: nobody may muck then"
    hidden = rules.ask_to_see is AskToSee.HISTORY and rules.mucked_in_history is MuckedInHistory.OWNER_ONLY
    yield hidden, "ask_to_see", "HISTORY needs mucked_in_history PLAYERS_OF_HAND: mucked hands are not in it otherwise"
    asked = rules.ask_to_see is AskToSee.CALLER_VS_AGGRESSOR and not rules.losers_may_muck
    yield asked, "ask_to_see", "NONE where losers_may_muck is false: no hand that was called is mucked"
    yield rules.odd_chip_unit_chips < 1, "odd_chip_unit_chips", "at least 1"
