"""The demo's tournament is one that the rules accept, for every number of robots."""

import itertools

import pytest

from services.console.adapters.announcing import announcement_of
from services.console.domain.contest import plan_contest
from services.console.domain.results import Standing, contest_faults, money_text
from shared.kernel.rules.checks.tournament_checks import check_fee
from shared.kernel.rules.tournament_options import LevelTrigger
from shared.rpc.rules import select_rules


@pytest.mark.parametrize("players", range(2, 9))
def test_the_demo_announces_what_the_regulated_preset_allows(players: int) -> None:
    contest = plan_contest(players)
    announcement = announcement_of(contest)
    _, rules = select_rules(announcement.rules)
    assert check_fee(announcement.fee.amount_minor, rules.tournament) == ()
    assert rules.tournament.level_trigger is LevelTrigger.HANDS
    assert [level.level_hands for level in rules.tournament.levels] == [contest.level_hands] * len(contest.levels)
    assert announcement.entrants_min == announcement.entrants_max == players


@pytest.mark.parametrize("players", [0, 1, 9])
def test_no_table_seats_so_many_robots(players: int) -> None:
    with pytest.raises(ValueError, match="from 2 to 8"):
        plan_contest(players)


def test_amounts_rise_step_by_step_until_the_last_two_have_two_big_bets_each() -> None:
    contest = plan_contest(8)
    limits = [level.upper_limit_chips for level in contest.levels]
    assert all(lower < upper <= lower * 3 // 2 for lower, upper in itertools.pairwise(limits))
    assert contest.chips_total // 2 == 2 * limits[-1]


def _line(player: str, place: int, chips: int) -> Standing:
    return Standing(player, None, chips, place, 0, 0, 1000)


def test_a_finished_tournament_has_one_winner_with_all_chips() -> None:
    assert contest_faults((_line("a", 1, 2000), _line("b", 2, 0)), 2, 2000) == ()


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((_line("a", 1, 2000),), "2 entrants, but 1 lines"),
        ((_line("a", 1, 1900), _line("b", 2, 0)), "1900 are left"),
        ((_line("a", 1, 1000), _line("b", 1, 1000)), "2 players have first place"),
        ((_line("a", 1, 2000), _line("b", 0, 0)), "b has no place"),
    ],
)
def test_what_does_not_add_up_is_said(lines: tuple[Standing, ...], fault: str) -> None:
    assert any(fault in found for found in contest_faults(lines, 2, 2000))


@pytest.mark.parametrize(
    ("minor", "text"), [(0, "0.00 EUR"), (5, "0.05 EUR"), (123_456, "1,234.56 EUR"), (-250, "-2.50 EUR")]
)
def test_money_is_written_as_people_write_it(minor: int, text: str) -> None:
    assert money_text(minor, "EUR") == text
