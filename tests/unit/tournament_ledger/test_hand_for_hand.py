"""Hand for hand: the exclusions of a round count as those of one hand (rules 185, 186, C43)."""

from typing import Any

import pytest

from services.tournament_ledger.domain.closing import settle
from services.tournament_ledger.domain.levels import record_move
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import Formula, HandForHandAcrossTables, RebuyTerms, SameHandRank
from tests.support.ledger_events import rules_with
from tests.support.ledger_tables import Tournament


def two_tables(
    across: HandForHandAcrossTables = HandForHandAcrossTables.CHIPS,
    same_hand: SameHandRank = SameHandRank.START_STACK_THEN_SHARE,
    **more: Any,
) -> Tournament:
    rules = rules_with(
        formula=Formula.MULTI_TABLE,
        starting_stack_chips=1000,
        hand_for_hand_across_tables=across,
        same_hand_rank=same_hand,
        **more,
    )
    return Tournament(rules).begin_at({"A": "abc", "B": "def"})


def refusal(play: Tournament, table_id: str, number: int) -> Reason:
    with pytest.raises(DomainError) as refused:
        play.hand_at(table_id, number)
    return refused.value.reason


def test_places_of_a_round_wait_for_its_end_and_go_by_chips_across_tables() -> None:
    play = two_tables()
    play.stacks(a=700, b=1300, d=900, e=1100)
    play.hand_at("A", 1, a=0, b=2000)
    assert play.places() == {}
    play.hand_at("B", 1, d=0, e=2000)
    assert play.places() == {}
    play.end_hand_for_hand(1)
    assert play.places() == {"a": 6, "d": 5}


def test_the_table_that_finished_last_does_not_rank_higher_by_that() -> None:
    play = two_tables()
    play.stacks(a=900, b=1100, d=700, e=1300)
    play.hand_at("A", 1, a=0, b=2000)
    play.hand_at("B", 1, d=0, e=2000)
    play.end_hand_for_hand(1)
    assert play.places() == {"a": 5, "d": 6}


def test_tables_may_share_instead_whatever_the_chips() -> None:
    play = two_tables(HandForHandAcrossTables.SHARE)
    play.stacks(a=700, b=1300, d=900, e=1100)
    play.hand_at("A", 1, a=0, b=2000)
    play.hand_at("B", 1, d=0, e=2000)
    play.end_hand_for_hand(1)
    assert play.places() == {"a": 5, "d": 5}


def test_of_one_table_alone_chips_decide_also_where_tables_share() -> None:
    play = two_tables(HandForHandAcrossTables.SHARE)
    play.stacks(a=700, b=900, c=1400)
    play.hand_at("A", 1, a=0, b=0, c=3000)
    play.hand_at("B", 1)
    play.end_hand_for_hand(1)
    assert play.places() == {"a": 6, "b": 5}


def test_of_one_table_alone_chips_decide_also_where_one_of_the_excluded_was_moved_while_deciding() -> None:
    play = two_tables(HandForHandAcrossTables.SHARE, rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    play.stacks(a=700, b=900, c=1400)
    play.hand_at("A", a=0, b=0, c=3000)
    steps = play.steps()
    record_move(steps, "a", "B", 7, "draw")
    play.keep(steps)
    play.wait(31)
    steps = play.steps()
    settle(steps)
    play.keep(steps)
    assert play.places() == {"a": 6, "b": 5}


def test_equal_chips_at_different_tables_share_the_place() -> None:
    play = two_tables()
    play.hand_at("A", 1, a=0, b=2000)
    play.hand_at("B", 1, d=0, e=2000)
    play.end_hand_for_hand(1)
    assert play.places() == {"a": 5, "d": 5}


def test_every_round_is_one_hand_after_the_round_before() -> None:
    play = two_tables()
    play.hand_at("A", 1, a=0, b=2000)
    play.hand_at("B", 1)
    play.end_hand_for_hand(1)
    play.hand_at("B", 2, d=0, e=2000)
    play.hand_at("A", 2)
    play.end_hand_for_hand(2)
    play.hand_at("A", c=0, b=3000)
    assert play.places() == {"a": 6, "d": 5, "c": 4}


def test_a_hand_that_was_running_when_the_round_was_announced_belongs_to_it() -> None:
    play = two_tables()
    play.stacks(a=700, b=1300, d=900, e=1100)
    play.hand_at("A", 1, a=0, b=2000)
    play.hand_at("B", 0, d=0, e=2000)
    assert play.places() == {}
    play.end_hand_for_hand(1)
    assert play.places() == {"a": 6, "d": 5}


def test_a_hand_outside_the_open_round_is_out_of_step() -> None:
    play = two_tables()
    play.hand_at("A", 1)
    assert refusal(play, "B", 2) is Reason.OUT_OF_STEP
    play.hand_at("B", 1)
    play.end_hand_for_hand(1)
    assert play.end_hand_for_hand(1) == []
    assert refusal(play, "A", 1) is Reason.OUT_OF_STEP


def test_rounds_are_refused_where_the_rules_say_off() -> None:
    assert refusal(two_tables(HandForHandAcrossTables.OFF), "A", 1) is Reason.OUT_OF_STEP
