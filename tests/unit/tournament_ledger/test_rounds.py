"""Rounds with qualifiers: matches, overshoot and its lots, the next round (rules 155-158, 205; example 36)."""

import pytest

from services.tournament_ledger.domain.prizes import prize_table, round_sizes
from services.tournament_ledger.domain.tournament import EntrantState
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import Formula, PrizeMode, PrizeRow, RoundStack, SameHandRank
from tests.support.ledger_events import rules_with
from tests.support.ledger_tables import Tables, Tournament


def shootout(tables: Tables, **changes: object) -> Tournament:
    values: dict[str, object] = {"formula": Formula.ROUNDS, "starting_stack_chips": 1000}
    return Tournament(rules_with(**(values | changes)), seats_per_table=4).begin_at(tables)


def test_table_winners_meet_again_with_equal_stacks_in_the_first_level() -> None:
    play = shootout({"A": "abc", "B": "def"})
    play.level(3)
    play.hand_at("A", a=0, b=0, c=3000)
    assert play.state.tables["A"].match_over
    assert play.places() == {"a": 5, "b": 5}
    play.hand_at("B", d=0, e=2000)
    play.hand_at("B", e=0, f=3000)
    assert play.places() == {"a": 5, "b": 5, "d": 4, "e": 3}
    play.next_round({"F": "cf"})
    assert (play.state.round, play.state.level, play.state.chips_total) == (2, 1, 2000)
    assert play.sheet_of("F") == {"c": 1000, "f": 1000}
    play.record_at("F", {"c": 1000, "f": 1000}, {"c": 0, "f": 2000})
    assert play.is_over()
    assert play.places() == {"a": 5, "b": 5, "d": 4, "e": 3, "c": 2, "f": 1}
    assert sum(play.prizes().values()) == play.state.fund_minor


def test_chips_may_be_carried_on_and_the_level_with_them() -> None:
    play = shootout({"A": "abcd", "B": "efgh"}, qualifiers=2, round_stack=RoundStack.CARRY)
    play.level(2)
    play.hand_at("A", a=0, b=0, c=1500, d=2500)
    play.hand_at("B", e=0, f=2000)
    play.hand_at("B", f=0, g=3000)
    play.next_round({"F": "cdgh"})
    assert (play.state.level, play.state.chips_total) == (2, 8000)
    assert play.sheet_of("F") == {"c": 1500, "d": 2500, "g": 3000, "h": 1000}


def test_example_36_the_larger_of_two_who_fell_is_the_second_qualifier() -> None:
    play = shootout({"A": "abcd", "B": "efgh"}, qualifiers=2)
    play.hand_at("A", d=0, a=2000)
    play.stacks(a=2000, b=700, c=1300)
    play.stacks(a=3000, b=700, c=300)
    play.hand_at("A", a=4000, b=0, c=0)
    table = play.state.tables["A"]
    assert (table.match_over, table.qualified_player_ids, table.lots_player_ids) == (True, ("a", "b"), ())
    assert play.places() == {"d": 8, "c": 7}
    assert play.state.entrants["b"].state is EntrantState.PLAYING


def test_an_exact_tie_for_the_last_place_is_drawn_by_lot() -> None:
    play = shootout({"A": "abcd", "B": "efgh"}, qualifiers=2)
    play.hand_at("A", d=0, a=2000)
    play.hand_at("A", a=4000, b=0, c=0)
    table = play.state.tables["A"]
    assert (table.qualified_player_ids, table.lots_player_ids, table.lots_count) == (("a",), ("b", "c"), 1)
    assert play.places() == {"d": 8}
    play.hand_at("B", e=0, f=0, g=3000)
    assert play.places() == {"d": 8}
    with pytest.raises(DomainError) as refused:
        play.next_round({"F": "aghb"})
    assert refused.value.reason is Reason.OUT_OF_STEP
    with pytest.raises(DomainError):
        play.lots("A", "b", "d")
    play.lots("A", "c", "b")
    assert play.state.tables["A"].qualified_player_ids == ("a", "c")
    assert play.places() == {"d": 8, "b": 7, "e": 5, "f": 5}
    with pytest.raises(DomainError):
        play.lots("A", "c", "b")
    play.next_round({"F": "acgh"})
    assert play.state.players_left == 4


def test_where_exclusions_of_a_hand_share_lots_decide_whatever_the_chips() -> None:
    play = shootout({"A": "abcd", "B": "efgh"}, qualifiers=2, same_hand_rank=SameHandRank.SHARE)
    play.stacks(a=2000, b=700, c=300)
    play.hand_at("A", a=4000, b=0, c=0, d=0)
    assert play.state.tables["A"].lots_player_ids == ("b", "c", "d")


def test_carried_on_nobody_without_chips_reaches_the_next_round() -> None:
    play = shootout({"A": "abcd", "B": "efgh"}, qualifiers=2, round_stack=RoundStack.CARRY)
    play.hand_at("A", a=4000, b=0, c=0, d=0)
    assert play.state.tables["A"].qualified_player_ids == ("a",)
    assert play.places() == {"b": 6, "c": 6, "d": 6}


def test_a_table_whose_match_is_over_deals_no_more() -> None:
    play = shootout({"A": "abc", "B": "def"})
    play.hand_at("A", a=0, b=0, c=3000)
    with pytest.raises(DomainError) as refused:
        play.sheet_of("A")
    assert refused.value.reason is Reason.OUT_OF_STEP


def test_a_player_alone_at_a_table_reaches_the_next_round_without_a_hand() -> None:
    play = shootout({"A": "ab", "B": "c"})
    assert play.state.tables["B"].qualified_player_ids == ("c",)
    play.hand_at("A", a=0, b=2000)
    play.next_round({"F": "bc"})
    assert play.sheet_of("F") == {"b": 1000, "c": 1000}


@pytest.mark.parametrize("seats", [{"F": "c"}, {"F": "cfa"}, {"A": "cf"}, {"F": "cc"}])
def test_the_next_round_takes_exactly_the_qualified_at_new_tables(seats: Tables) -> None:
    play = shootout({"A": "abc", "B": "def"})
    play.hand_at("A", a=0, b=0, c=3000)
    play.hand_at("B", d=0, e=0, f=3000)
    with pytest.raises(DomainError) as refused:
        play.next_round(seats)
    assert refused.value.reason is Reason.REQUEST_INVALID


@pytest.mark.parametrize(
    ("entrants", "seats", "qualifiers", "sizes"),
    [(64, 4, 1, (64, 16, 4)), (9, 8, 4, (9, 8)), (3, 2, 1, (3, 2)), (8, 8, 1, (8,)), (20, 8, 4, (20, 12, 8))],
)
def test_rounds_are_known_from_entrants_seats_and_qualifiers(
    entrants: int, seats: int, qualifiers: int, sizes: tuple[int, ...]
) -> None:
    assert round_sizes(entrants, seats, rules_with(formula=Formula.ROUNDS, qualifiers=qualifiers)) == sizes


def test_prizes_may_be_for_rounds_passed() -> None:
    rows = (PrizeRow(entrants_min=2, weights=(50, 10)), PrizeRow(entrants_min=16, weights=(40, 10, 2)))
    rules = rules_with(formula=Formula.ROUNDS, prize_mode=PrizeMode.ROUNDS, prize_rows=rows)
    prizes = prize_table(51_200, 64, 1000, rules, (64, 16, 4))
    assert prizes[:4] == (21_787, 5_447, 5_447, 5_447)
    assert set(prizes[4:]) <= {1089, 1090}
    assert (len(prizes), sum(prizes)) == (16, 51_200)
