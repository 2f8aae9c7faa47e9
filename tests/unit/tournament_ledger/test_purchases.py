"""Rebuys, add-on, double chance and caps: worked examples 31 to 33, cases O-40 and O-41."""

from dataclasses import replace
from functools import partial

import pytest

from services.tournament_ledger.domain.facts import ChipsPurchased
from services.tournament_ledger.domain.purchases import buy_add_on, rebuy, release_on_request
from services.tournament_ledger.domain.tournament import EntrantState
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import (
    AddOnStackRule,
    AddOnTerms,
    DoubleChanceRelease,
    DoubleChanceTerms,
    Formula,
    RebuyTerms,
    RebuyThreshold,
)
from tests.support.ledger_events import RICH, Event, placed, rules_with
from tests.support.ledger_tables import Tournament

REBUYS = RebuyTerms(max_count=99, last_level=4, window_seconds=30)


def buy(event: Event, player_id: str, available: int = RICH) -> None:
    steps = event.steps()
    rebuy(steps, player_id, available)
    event.keep(steps)


def add_on(event: Event, player_id: str, price_minor: int, available: int = RICH) -> int:
    steps = event.steps()
    buy_add_on(steps, player_id, price_minor, available)
    event.keep(steps)
    return next(fact.chips for draft in steps.drafts for fact in draft.facts if isinstance(fact, ChipsPurchased))


def refusal(event: Event, player_id: str, price_minor: int | None = None, available: int = RICH) -> Reason:
    version = event.state.version
    attempt = partial(buy, event, player_id) if price_minor is None else partial(add_on, event, player_id, price_minor)
    with pytest.raises(DomainError) as refused:
        attempt(available)
    assert event.state.version == version
    return refused.value.reason


def short(event: Event, player_id: str) -> None:
    """Make the player poor between hands, so that only the cap can refuse."""
    poor = replace(event.state.entrants[player_id], chips=1, pending_chips=0)
    event.state = replace(event.state, entrants={**event.state.entrants, player_id: poor})


@pytest.mark.parametrize(("fee", "add_on_first", "allowed"), [(5000, 0, 4), (5000, 2500, 3), (25_000, 0, 0)])
def test_all_purchases_of_a_player_stay_within_the_cap(fee: int, add_on_first: int, allowed: int) -> None:
    terms = AddOnTerms(offered=True, price_max_minor=fee // 2, last_level=4)
    event = Event(rules_with(rebuy=REBUYS, add_on=terms), fee).begin("a", "b")
    if add_on_first:
        add_on(event, "a", add_on_first)
    for _ in range(allowed):
        short(event, "a")
        buy(event, "a")
    short(event, "a")
    assert refusal(event, "a") is Reason.SPEND_CAP_REACHED
    assert event.state.entrants["a"].spent_minor <= 25_000


def test_after_four_rebuys_for_fifty_the_add_on_is_refused() -> None:
    terms = AddOnTerms(offered=True, price_max_minor=2500, last_level=4)
    event = Event(rules_with(rebuy=REBUYS, add_on=terms), 5000).begin("a", "b")
    for _ in range(4):
        short(event, "a")
        buy(event, "a")
    assert refusal(event, "a", 2500) is Reason.SPEND_CAP_REACHED


def starting_with_1500(**changes: object) -> Event:
    terms = RebuyTerms(max_count=2, last_level=4, window_seconds=30)
    return Event(rules_with(starting_stack_chips=1500, rebuy=terms, **changes)).begin("a", "b")


@pytest.mark.parametrize(
    ("threshold", "chips", "allowed"),
    [
        (RebuyThreshold.BELOW, 1500, False),
        (RebuyThreshold.BELOW, 1499, True),
        (RebuyThreshold.AT_OR_BELOW, 1500, True),
        (RebuyThreshold.AT_OR_BELOW, 1501, False),
        (RebuyThreshold.BUSTED, 1, False),
    ],
)
def test_a_rebuy_needs_few_enough_chips(threshold: RebuyThreshold, chips: int, allowed: bool) -> None:
    event = starting_with_1500(rebuy_threshold=threshold).stacks(a=chips, b=3000 - chips)
    if not allowed:
        assert refusal(event, "a") is Reason.REBUY_NOT_ALLOWED
        return
    buy(event, "a")
    assert event.sheet()["a"] == chips + 1500


def test_a_rebuy_asked_for_during_a_hand_waits_for_its_end_and_is_dropped_if_the_player_won() -> None:
    event = starting_with_1500().stacks(a=1200, b=1800)
    sheet = event.sheet()
    buy(event, "a")
    assert event.state.entrants["a"].chips == 1200
    drafts = event.record(sheet, {"a": 1600, "b": 1400})
    assert "PURCHASE_RETURNED" in placed(drafts)
    entrant = event.state.entrants["a"]
    assert (entrant.stack_chips, entrant.rebuys, entrant.spent_minor) == (1600, 0, 1000)
    assert event.state.fund_minor == 1600
    assert event.sheet() == {"a": 1600, "b": 1400}


@pytest.mark.parametrize("seat_minor", [0, 1600])
def test_prizes_are_not_fixed_while_a_rebuy_may_still_be_given_back(seat_minor: int) -> None:
    """The level that ends the rebuys begins while the hand is played, as it does at the tables of others."""
    event = Event(rules_with(starting_stack_chips=1500, rebuy=REBUYS, satellite_seat_minor=seat_minor))
    event.begin("a", "b", "c", "d").level(4).stacks(a=2400, b=1200, c=1200, d=1200)
    sheet = event.sheet()
    buy(event, "b")
    buy(event, "c")
    event.level(5)
    assert "PRIZES_FIXED" not in placed(event.drafts)
    assert "PRIZES_FIXED" in placed(event.record(sheet, {"a": 0, "b": 2400, "c": 2400}))
    assert sum(event.state.prizes_minor) == event.state.fund_minor == 3200
    event.hand(b=3600, d=0)
    if not seat_minor:  # two seats, two players left
        event.hand(b=6000, c=0)
    assert event.is_over()
    assert sum(event.prizes().values()) == 3200
    paid = sorted(event.prizes().values(), reverse=True)
    assert paid == list(event.state.prizes_minor)


def test_a_rebuy_whose_hand_is_void_counts_from_then_on() -> None:
    event = starting_with_1500().level(4).stacks(a=1200, b=1800)
    sheet = event.sheet()
    buy(event, "a")
    event.level(5)
    event.record(sheet, sheet, voided=True)
    assert event.state.prizes_fixed
    assert sum(event.state.prizes_minor) == event.state.fund_minor == 2400


def test_a_rebuy_asked_for_during_a_hand_saves_the_player_who_busts_in_it() -> None:
    event = starting_with_1500().stacks(a=1200, b=1800)
    sheet = event.sheet()
    buy(event, "a")
    event.record(sheet, {"a": 0, "b": 3000})
    assert event.state.entrants["a"].state is EntrantState.PLAYING
    assert event.sheet() == {"a": 1500, "b": 3000}


def test_a_busted_player_decides_within_a_window_and_is_out_after_it() -> None:
    event = starting_with_1500()
    event.hand(a=0, b=3000)
    assert event.state.entrants["a"].state is EntrantState.DECIDING
    assert not event.is_over()
    event.wait(29)
    event.sheet()
    assert event.state.entrants["a"].state is EntrantState.DECIDING
    event.wait(2)
    event.sheet()
    assert event.places() == {"a": 2, "b": 1}
    assert event.prizes() == {"b": 1600}
    assert event.is_over()


def test_a_busted_player_who_buys_back_within_the_window_plays_on() -> None:
    event = starting_with_1500()
    event.hand(a=0, b=3000)
    event.wait(20)
    buy(event, "a")
    assert event.sheet() == {"a": 1500, "b": 3000}
    event.hand(a=0, b=4500)
    buy(event, "a")
    event.hand(a=0, b=6000)
    assert event.places() == {"a": 2, "b": 1}, "the third rebuy is one too many, so there is no window"
    assert event.prizes() == {"b": 3200}


def test_after_the_last_level_with_rebuys_a_busted_player_is_out_at_once() -> None:
    event = starting_with_1500().level(5)
    assert event.state.prizes_fixed
    event.hand(a=0, b=3000)
    assert event.places() == {"a": 2, "b": 1}
    assert refusal(event, "a") is Reason.TOURNAMENT_STATE


def with_add_on(**changes: object) -> Event:
    terms = AddOnTerms(offered=True, price_max_minor=1000, last_level=4)
    values: dict[str, object] = {"starting_stack_chips": 1500, "add_on": terms, "fee_step_minor": 0}
    return Event(rules_with(**(values | changes))).begin("a", "b")


def test_the_add_on_is_bought_once_until_the_end_of_its_level_in_proportion_to_the_price() -> None:
    event = with_add_on().level(4)
    assert add_on(event, "a", 400) == 600
    assert event.sheet()["a"] == 2100
    assert refusal(event, "a", 400) is Reason.ADD_ON_NOT_ALLOWED
    for price in (1001, 0, -1, 2**63 - 1):
        assert refusal(event, "b", price) is Reason.ADD_ON_NOT_ALLOWED
    event.level(5)
    assert refusal(event, "b", 400) is Reason.ADD_ON_NOT_ALLOWED


def test_an_add_on_of_eight_euros_at_five_thousand_for_twenty_gives_two_thousand() -> None:
    terms = AddOnTerms(offered=True, price_max_minor=2000, last_level=4)
    event = Event(rules_with(starting_stack_chips=5000, add_on=terms), 2000).begin("a", "b")
    assert refusal(event, "a", 2050) is Reason.ADD_ON_NOT_ALLOWED
    assert refusal(event, "a", 810) is Reason.ADD_ON_NOT_ALLOWED, "no multiple of 0.50"
    assert add_on(event, "a", 800) == 2000


def test_an_add_on_whose_chips_are_not_whole_is_refused() -> None:
    assert refusal(with_add_on(starting_stack_chips=1499), "a", 333) is Reason.ADD_ON_NOT_ALLOWED


def test_an_add_on_may_need_a_short_stack() -> None:
    event = with_add_on(add_on_stack_rule=AddOnStackRule.BELOW_START).stacks(a=1499, b=1501)
    assert refusal(event, "b", 400) is Reason.ADD_ON_NOT_ALLOWED
    assert add_on(event, "a", 400) == 600


def test_a_busted_player_needs_a_rebuy_before_an_add_on() -> None:
    event = with_add_on(rebuy=REBUYS)
    event.hand(a=0, b=3000)
    assert refusal(event, "a", 400) is Reason.ADD_ON_NOT_ALLOWED
    buy(event, "a")
    assert add_on(event, "a", 400) == 600


def test_a_purchase_needs_the_money() -> None:
    event = with_add_on(rebuy=REBUYS).stacks(a=1, b=2999)
    assert refusal(event, "a", available=999) is Reason.FUNDS_INSUFFICIENT
    assert refusal(event, "a", 400, available=399) is Reason.FUNDS_INSUFFICIENT


def double_chance(release: DoubleChanceRelease, **changes: object) -> Event:
    terms = DoubleChanceTerms(offered=True, release=release, last_level=3)
    return Event(rules_with(double_chance=terms, **changes)).begin("x", "y", "z")


def test_the_second_half_comes_on_bust_or_at_the_deadline() -> None:
    event = double_chance(DoubleChanceRelease.ON_BUST_OR_DEADLINE)
    assert event.sheet() == {"x": 1500, "y": 1500, "z": 1500}
    event.hand(x=0, y=3000)
    assert not event.places(), "with a reserve left, losing the first half is no exclusion"
    assert event.sheet() == {"x": 1500, "y": 3000, "z": 1500}
    event.level(3)
    assert event.sheet()["y"] == 3000
    event.level(4)
    assert event.sheet() == {"x": 1500, "y": 3000, "z": 1500}, "not in a hand that may be under way"
    event.hand(x=0, y=4500)
    assert event.places() == {"x": 3}
    assert event.sheet() == {"y": 6000, "z": 3000}
    assert event.state.chips_total == 9000


def test_at_the_deadline_only_a_busted_player_waits_for_it() -> None:
    event = double_chance(DoubleChanceRelease.AT_DEADLINE)
    event.hand(x=0, y=3000)
    assert event.sheet() == {"x": 0, "y": 3000, "z": 1500}
    assert not event.places()
    event.hand(z=0, y=4500)
    assert event.sheet() == {"x": 1500, "y": 6000, "z": 1500}, "no two players had chips left, so all halves came"


def test_a_player_asks_for_the_second_half_where_the_rules_allow_it() -> None:
    event = double_chance(DoubleChanceRelease.ON_REQUEST_OR_BUST_OR_DEADLINE)
    steps = event.steps()
    release_on_request(steps, "x")
    event.keep(steps)
    assert event.sheet() == {"x": 3000, "y": 1500, "z": 1500}
    with pytest.raises(DomainError):
        release_on_request(event.steps(), "x")
    with pytest.raises(DomainError):
        release_on_request(double_chance(DoubleChanceRelease.AT_DEADLINE).steps(), "x")


def test_the_kept_half_counts_for_the_rebuy_threshold_where_the_rules_say_so() -> None:
    event = double_chance(DoubleChanceRelease.AT_DEADLINE, rebuy=REBUYS)
    assert refusal(event, "x") is Reason.REBUY_NOT_ALLOWED
    other = double_chance(DoubleChanceRelease.AT_DEADLINE, rebuy=REBUYS, rebuy_counts_reserve=False)
    buy(other, "x")
    assert other.sheet()["x"] == 4500


def test_a_table_of_several_where_only_kept_halves_are_left_gets_them_at_once() -> None:
    terms = DoubleChanceTerms(offered=True, release=DoubleChanceRelease.AT_DEADLINE, last_level=4)
    rules = rules_with(formula=Formula.MULTI_TABLE, starting_stack_chips=1000, double_chance=terms)
    play = Tournament(rules).begin_at({"A": "ab", "B": "cd"})
    play.hand_at("A", a=0, b=1000)
    assert play.sheet_of("A") == {"a": 500, "b": 1500}
    assert play.sheet_of("B") == {"c": 500, "d": 500}
