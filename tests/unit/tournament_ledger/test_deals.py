"""Agreed splits: equal, by chips, by the chip model, free; accepted by all, between hands (rule 203)."""

from fractions import Fraction

import pytest

from services.tournament_ledger.domain.deals import accept_deal, propose_deal
from services.tournament_ledger.domain.facts_deals import Deal, DealShare
from services.tournament_ledger.domain.icm import icm_equities
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import DealKind, PrizeRow
from tests.support.ledger_events import Event, placed, rules_with

ROW = (PrizeRow(entrants_min=2, weights=(50, 30, 20)),)


def event(kind: DealKind, **chips: int) -> Event:
    """Three are left of four, for 16.00, 9.60 and 6.40."""
    rules = rules_with(deal=kind, starting_stack_chips=1000, prize_rows=ROW)
    made = Event(rules).begin("a", "b", "c", "d")
    made.hand(d=0, a=2000)
    made.stacks(**chips)
    return made


def propose(at: Event, player_id: str, rest_minor: int = 0, **shares: int) -> Deal:
    steps = at.steps()
    free = [DealShare(name, amount) for name, amount in shares.items()]
    deal = propose_deal(steps, player_id, free, rest_minor)
    at.keep(steps)
    return deal


def accept(at: Event, player_id: str, number: int = 1) -> list[str]:
    steps = at.steps()
    accept_deal(steps, player_id, number)
    return placed(at.keep(steps))


def cause(at: Event, player_id: str = "a", rest_minor: int = 0, **shares: int) -> str:
    with pytest.raises(DomainError) as refused:
        propose(at, player_id, rest_minor, **shares)
    assert refused.value.reason is Reason.DEAL_NOT_ALLOWED
    return refused.value.metadata["cause"]


def amounts(deal: Deal) -> dict[str, int]:
    return {share.player_id: share.amount_minor for share in deal.shares}


def test_equal_shares_end_the_event_when_all_have_accepted() -> None:
    at = event(DealKind.EQUAL)
    assert amounts(propose(at, "b")) == {"a": 1067, "b": 1067, "c": 1066}
    assert accept(at, "b") == []
    assert accept(at, "a") == ["DEAL_ACCEPTED"]
    assert not at.prizes()
    assert "TOURNAMENT_FINISHED" in accept(at, "c")
    assert at.is_over()
    assert at.prizes() == {"a": 1067, "b": 1067, "c": 1066}
    assert at.places() == {"a": 1, "b": 2, "c": 3, "d": 4}


def test_shares_by_chips_and_places_by_shares() -> None:
    at = event(DealKind.CHIP_COUNT, a=1000, b=2000, c=1000)
    assert amounts(propose(at, "a")) == {"b": 1600, "a": 800, "c": 800}
    for name in "bc":
        accept(at, name)
    assert at.places() == {"b": 1, "a": 2, "c": 3, "d": 4}


def test_shares_by_the_chip_model_lie_between_the_prizes() -> None:
    at = event(DealKind.ICM, a=2000, b=1500, c=500)
    shares = amounts(propose(at, "a"))
    assert sum(shares.values()) == 3200
    assert 640 < shares["c"] < shares["b"] < shares["a"] < 1600


def test_the_chip_model_of_three_stacks_as_worked_out_by_hand() -> None:
    worth = icm_equities((50, 30, 20), (70, 30, 0))
    second = Fraction(30, 100) * Fraction(50, 70) + Fraction(20, 100) * Fraction(50, 80)
    assert worth[0] == Fraction(1, 2) * 70 + second * 30
    assert sum(worth) == 100


def test_a_free_split_is_taken_as_the_players_found_it() -> None:
    at = event(DealKind.FREE)
    propose(at, "a", a=1500, b=1000, c=700)
    accept(at, "b")
    accept(at, "c")
    assert at.prizes() == {"a": 1500, "b": 1000, "c": 700}


@pytest.mark.parametrize("shares", [{"a": 1500, "b": 1700}, {"a": 1500, "b": 1000, "c": 701}, {}])
def test_a_free_split_is_for_everybody_and_comes_out_even(shares: dict[str, int]) -> None:
    with pytest.raises(DomainError) as refused:
        propose(event(DealKind.FREE), "a", **shares)
    assert refused.value.reason is Reason.REQUEST_INVALID


def test_the_event_plays_on_for_what_is_left() -> None:
    at = event(DealKind.EQUAL)
    propose(at, "a", rest_minor=500)
    accept(at, "b")
    accept(at, "c")
    assert at.prizes() == {"a": 900, "b": 900, "c": 900}
    at.hand(c=0, a=3000)
    assert (at.places()["c"], at.prizes()["c"]) == (3, 900)
    at.hand(a=0, b=4000)
    assert at.is_over()
    assert at.prizes() == {"a": 900, "b": 1400, "c": 900}
    assert sum(at.prizes().values()) == at.state.fund_minor


def test_a_proposal_lapses_with_the_next_hand_and_with_the_next_proposal() -> None:
    at = event(DealKind.EQUAL)
    propose(at, "a")
    assert propose(at, "b").number == 2
    with pytest.raises(DomainError):
        accept(at, "c", 1)
    at.hand()
    assert at.state.deal is None
    with pytest.raises(DomainError):
        accept(at, "c", 2)


def test_no_deal_while_a_hand_is_played() -> None:
    at = event(DealKind.EQUAL)
    at.sheet()
    assert "hand" in cause(at)


def test_no_deal_where_the_rules_allow_none_or_the_player_is_out() -> None:
    assert cause(event(DealKind.OFF))
    assert "out" in cause(event(DealKind.EQUAL), "d")


def test_no_deal_before_the_prizes_are_fixed() -> None:
    rules = rules_with(deal=DealKind.EQUAL, late_registration_last_level=1)
    assert "fixed" in cause(Event(rules).begin("a", "b", "c"))


def test_no_deal_leaves_the_first_prize_at_the_fee_or_below() -> None:
    rules = rules_with(deal=DealKind.EQUAL, starting_stack_chips=1000)
    at = Event(rules).begin("a", "b", "c")
    assert "fee" in cause(at)
    assert "fee" in cause(at, rest_minor=301)
    assert propose(at, "a", rest_minor=302).rest_minor == 302


def test_who_is_out_cannot_accept() -> None:
    at = event(DealKind.EQUAL)
    propose(at, "a")
    with pytest.raises(DomainError) as refused:
        accept(at, "d")
    assert refused.value.reason is Reason.DEAL_NOT_ALLOWED
