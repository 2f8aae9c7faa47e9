"""The worked examples of the rule reference, section 6: numbers as there."""

import pytest

from services.betting.domain.facts import UncalledBetReturned
from services.betting.domain.pots import pots_of
from services.betting.domain.state import SeatBetting, SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.rules import HandRules, HeadsUpCap, OpenPairFourth, PotBelowMinimum
from tests.support.betting_hand import (
    CLOCK_S003,
    LIMIT,
    NO_LIMIT,
    POT_LIMIT,
    S000,
    S003,
    S004,
    Hand,
    rules,
    stakes,
)

THOUSAND = {1: 1000, 2: 1000, 3: 1000, 4: 1000}


def fold_chain(order: tuple[int, ...]) -> Hand:
    amounts = stakes("100/200", ante=10, bring_in=50)
    return Hand(rules(S000, structure=LIMIT), amounts, THOUSAND).open(*order)


def test_example_2_the_duty_to_open_goes_up_the_door_cards_until_somebody_pays() -> None:
    hand = fold_chain((2, 3, 1, 4))
    assert (hand.turn, hand.legal) == (2, "FOLD, BRING_IN (pays 50)")
    assert hand.play("2 fold").turn == 3
    assert hand.play("3 fold").turn == 1
    assert hand.play("1 bring_in").turn == 4
    hand.play("4 fold")
    assert UncalledBetReturned(seat=1, chips=50) in hand.facts
    assert hand.next == "UNCONTESTED"
    assert hand.pots == [(40, (1,))]
    hand.settle()
    assert hand.stacks[1] == 1030


def test_example_2_the_duty_does_not_go_to_the_left_neighbour() -> None:
    assert fold_chain((2, 4, 1, 3)).play("2 fold").turn == 4


def test_example_2_the_last_one_left_takes_the_antes_without_paying() -> None:
    hand = fold_chain((2, 3, 1, 4)).play("2 fold", "3 fold", "1 fold")
    assert hand.next == "UNCONTESTED"
    hand.settle()
    assert hand.stacks[4] == 1030


def test_example_2_the_card_room_refuses_to_decline_the_bring_in() -> None:
    hand = Hand(S003, stakes("100/200", ante=10, bring_in=50), THOUSAND).open(2, 3, 1, 4)
    assert hand.legal == "BRING_IN (pays 50), COMPLETE (to 100)"
    with pytest.raises(DomainError) as refused:
        hand.play("2 fold")
    assert refused.value.reason is Reason.ACTION_NOT_LEGAL


def test_example_3_completion_then_three_raises() -> None:
    hand = Hand(rules(S000, structure=LIMIT), stakes("10/20", ante=1, bring_in=2), THOUSAND).open(1)
    hand.play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 2), COMPLETE (to 10)"
    hand.play("2 complete 10")
    assert (hand.raises, hand.legal) == (0, "FOLD, CALL (pays 10), RAISE (to 20)")
    hand.play("3 raise 20", "4 raise 30", "1 raise 40")
    assert hand.raises == 3
    assert hand.legal == "FOLD, CALL (pays 30)"


def three_handed(hand_rules: HandRules) -> Hand:
    stacks = {1: 1000, 2: 1000, 3: 1000}
    return Hand(hand_rules, stakes("10/20", ante=1, bring_in=2), stacks).open(1).play("1 bring_in", "2 complete 10")


@pytest.mark.parametrize("hand_rules", [S003, rules(S003, heads_up_cap=HeadsUpCap.LIFT_BEFORE_CAP), S004])
def test_example_4_two_left_before_the_cap_may_raise_on_and_on(hand_rules: HandRules) -> None:
    hand = three_handed(hand_rules).play("3 raise 20", "1 raise 30", "2 fold")
    assert hand.legal == "FOLD, CALL (pays 10), RAISE (to 40)"
    hand.play("3 raise 40", "1 raise 50", "3 raise 60")
    assert hand.legal == "FOLD, CALL (pays 10), RAISE (to 70)"


def test_example_4_under_the_tournament_rules_the_cap_always_holds() -> None:
    hand = three_handed(rules(S000, structure=LIMIT)).play("3 raise 20", "1 raise 30", "2 fold", "3 raise 40")
    assert hand.legal == "FOLD, CALL (pays 10)"


@pytest.mark.parametrize(
    ("option", "legal"),
    [
        (HeadsUpCap.ALWAYS, "FOLD, CALL (pays 10)"),
        (HeadsUpCap.LIFT_BEFORE_CAP, "FOLD, CALL (pays 10)"),
        (HeadsUpCap.STREET_START, "FOLD, CALL (pays 10)"),
        (HeadsUpCap.LAST_TWO_OF_EVENT, "FOLD, CALL (pays 10)"),
        (HeadsUpCap.LIFT_ANYTIME, "FOLD, CALL (pays 10), RAISE (to 50)"),
    ],
)
def test_example_5_capped_first_and_then_two_left(option: HeadsUpCap, legal: str) -> None:
    hand = three_handed(rules(S003, heads_up_cap=option)).play("3 raise 20", "1 raise 30", "2 raise 40", "3 fold")
    assert hand.legal == legal


def open_pair(hand_rules: HandRules) -> Hand:
    """Seat 2 shows 9d 9c and acts first, seats 3 and 1 behind; 5/10."""
    stacks = {1: 1000, 2: 1000, 3: 1000}
    hand = Hand.on(Street.FOURTH, hand_rules, stakes("5/10", bring_in=2), stacks, dead=5)
    return hand.open(2, pairs=(2,))


@pytest.mark.parametrize(
    ("actions", "legal"),
    [
        ((), "FOLD, CHECK, BET (to 5, 10)"),
        (("2 bet 5",), "FOLD, CALL (pays 5), RAISE (to 10, 15)"),
        (("2 bet 5", "3 raise 15"), "FOLD, CALL (pays 15), RAISE (to 25)"),
        (("2 bet 10",), "FOLD, CALL (pays 10), RAISE (to 20)"),
        (("2 bet 5", "3 raise 10"), "FOLD, CALL (pays 10), RAISE (to 15, 20)"),
        (("2 check",), "FOLD, CHECK, BET (to 5, 10)"),
    ],
)
def test_example_6_over_an_open_pair_the_card_room_lets_anybody_use_the_upper_limit(
    actions: tuple[str, ...], legal: str
) -> None:
    assert open_pair(S003).play(*actions).legal == legal


@pytest.mark.parametrize("hand_rules", [rules(S000, structure=LIMIT), S004])
@pytest.mark.parametrize(
    ("actions", "legal"),
    [
        ((), "FOLD, CHECK, BET (to 5, 10)"),
        (("2 check",), "FOLD, CHECK, BET (to 5)"),
        (("2 bet 5",), "FOLD, CALL (pays 5), RAISE (to 10)"),
        (("2 bet 10",), "FOLD, CALL (pays 10), RAISE (to 20)"),
    ],
)
def test_example_6_elsewhere_only_the_holder_may_bet_the_upper_limit(
    hand_rules: HandRules, actions: tuple[str, ...], legal: str
) -> None:
    assert open_pair(hand_rules).play(*actions).legal == legal


def test_example_6_tournament_directors_give_the_pair_nothing() -> None:
    hand = open_pair(rules(S003, open_pair_fourth=OpenPairFourth.OFF))
    assert hand.legal == "FOLD, CHECK, BET (to 5)"


def test_example_7_pot_limit_on_third_street() -> None:
    stacks = dict.fromkeys(range(1, 7), 1000)
    amounts = stakes("50/100", ante=5, bring_in=25)
    hand = Hand(rules(S000, structure=POT_LIMIT), amounts, stacks).open(1).play("1 bring_in")
    assert hand.outcome.pot_total_chips == 55
    assert hand.legal == "FOLD, CALL (pays 25), COMPLETE (to 100 to 105)"
    hand.play("2 complete 105")
    assert hand.outcome.pot_total_chips == 160
    assert hand.legal == "FOLD, CALL (pays 105), RAISE (to 205 to 370)"


def test_example_8_pot_limit_on_a_later_street() -> None:
    stacks = {1: 5000, 2: 5000, 3: 5000}
    hand = Hand.on(Street.FIFTH, rules(S000, structure=POT_LIMIT), stakes("50/100", bring_in=25), stacks, dead=100)
    hand.open(1).play("1 bet 100", "2 raise 300")
    assert hand.legal == "FOLD, CALL (pays 300), RAISE (to 500 to 1300)"
    hand.play("3 fold")
    assert hand.legal == "FOLD, CALL (pays 200), RAISE (to 500 to 1200)"


@pytest.mark.parametrize(
    ("option", "legal"),
    [
        (PotBelowMinimum.MINIMUM_ALLOWED, "FOLD, CALL (pays 25), COMPLETE (to 100 to 100)"),
        (PotBelowMinimum.NO_RAISE, "FOLD, CALL (pays 25)"),
    ],
)
def test_example_9_a_pot_below_the_minimum_bet(option: PotBelowMinimum, legal: str) -> None:
    hand_rules = rules(S000, structure=POT_LIMIT, pot_below_minimum=option)
    hand = Hand(hand_rules, stakes("50/100", ante=5, bring_in=25), {1: 1000, 2: 1000}).open(1)
    assert hand.play("1 bring_in").legal == legal


def test_example_10_a_short_all_in_reopens_for_who_faces_a_full_raise_only() -> None:
    stacks = {1: 5000, 2: 5000, 3: 800, 4: 5000}
    amounts = stakes("50/100", bring_in=25)
    hand = Hand.on(Street.FIFTH, rules(S000, structure=NO_LIMIT), amounts, stacks, dead=10).open(1)
    hand.play("1 bet 250", "2 raise 600", "3 raise 800", "4 fold")
    assert hand.legal == "FOLD, CALL (pays 550), RAISE (to 1150 to 5000)"
    assert hand.play("1 call").legal == "FOLD, CALL (pays 200)"


def test_example_11_short_all_ins_add_up() -> None:
    stacks = {1: 1000, 2: 55, 3: 1000, 4: 85, 5: 1000}
    amounts = stakes("20/40", bring_in=5)
    hand = Hand.on(Street.FIFTH, rules(S000, structure=NO_LIMIT), amounts, stacks, dead=5).open(1)
    hand.play("1 bet 40", "2 raise 55", "3 call", "4 raise 85", "5 call")
    assert (hand.turn, hand.legal) == (1, "FOLD, CALL (pays 45), RAISE (to 125 to 1000)")
    assert hand.play("1 call").legal == "FOLD, CALL (pays 30)"


def half_bet(all_in: int) -> Hand:
    stacks = {1: 1000, 2: all_in, 3: 1000}
    hand = Hand.on(Street.FIFTH, rules(S000, structure=LIMIT), stakes("10/20", bring_in=2), stacks, dead=5).open(1)
    return hand.play("1 bet 20", f"2 raise {all_in}")


def test_example_12_below_half_a_bet_is_no_raise_and_may_be_finished() -> None:
    hand = half_bet(27)
    assert (hand.raises, hand.legal) == (0, "FOLD, CALL (pays 27), RAISE (to 40)")
    assert hand.play("3 call").legal == "FOLD, CALL (pays 7)"


def test_example_12_finishing_it_is_a_raise_that_reopens() -> None:
    hand = half_bet(27).play("3 raise 40")
    assert (hand.raises, hand.legal) == (1, "FOLD, CALL (pays 20), RAISE (to 60)")


def test_example_13_half_a_bet_or_more_is_a_raise() -> None:
    hand = half_bet(35)
    assert (hand.raises, hand.legal) == (1, "FOLD, CALL (pays 35), RAISE (to 55)")
    assert hand.play("3 call").legal == "FOLD, CALL (pays 15), RAISE (to 55)"


@pytest.mark.parametrize(
    ("all_in", "legal"),
    [
        (4, "FOLD, CALL (pays 4), COMPLETE (to 10)"),
        (7, "FOLD, CALL (pays 7), RAISE (to 17)"),
    ],
)
def test_example_14_an_all_in_over_the_bring_in(all_in: int, legal: str) -> None:
    amounts = stakes("10/20", ante=1, bring_in=2)
    hand = Hand(S003, amounts, {1: 1000, 2: all_in + 1, 3: 1000}).open(1)
    assert hand.play("1 bring_in", f"2 complete {all_in}").legal == legal


def seat(number: int, total: int, status: SeatStatus = SeatStatus.ACTIVE) -> SeatBetting:
    behind = 0 if status is SeatStatus.ALL_IN else 100
    return SeatBetting(seat=number, stack_chips=behind, hand_chips=total, status=status, start_chips=behind + total)


def test_example_15_five_way_side_pots_with_dead_money() -> None:
    pots = pots_of(
        (
            seat(1, 50, SeatStatus.ALL_IN),
            seat(2, 120, SeatStatus.ALL_IN),
            seat(3, 200, SeatStatus.ALL_IN),
            seat(4, 200),
            seat(5, 80, SeatStatus.FOLDED),
        )
    )
    assert [(pot.chips, pot.eligible_seats) for pot in pots] == [(250, (1, 2, 3, 4)), (240, (2, 3, 4)), (160, (3, 4))]


def test_example_16_the_uncalled_part_goes_back() -> None:
    hand = Hand.on(Street.FIFTH, rules(S000, structure=NO_LIMIT), stakes("20/40"), {1: 990, 2: 120}, dead=10).open(1)
    hand.play("1 bet 200", "2 call")
    assert UncalledBetReturned(seat=1, chips=80) in hand.facts
    assert hand.pots == [(260, (1, 2))]
    assert hand.fact_names == ["ActionTaken", "UncalledBetReturned", "StreetClosed"]


def chipless_low_card(hand_rules: HandRules) -> Hand:
    """Doors 2c, Kd, 4h, 9s; seat 1 is all-in for 4 of the ante of 10."""
    stacks = {1: 4, 2: 1000, 3: 1000, 4: 1000}
    return Hand(hand_rules, stakes("100/200", ante=10, bring_in=50), stacks).open(1, 3, 4, 2)


def test_example_17_a_partial_ante_makes_a_main_and_a_side_pot() -> None:
    assert chipless_low_card(S003).pots == [(16, (1, 2, 3, 4)), (18, (2, 3, 4))]


@pytest.mark.parametrize("hand_rules", [S003, S004])
def test_example_17_the_left_neighbour_opens_and_may_fold(hand_rules: HandRules) -> None:
    hand = chipless_low_card(hand_rules)
    assert (hand.turn, hand.legal) == (2, "FOLD, BRING_IN (pays 50), COMPLETE (to 100)")
    hand.play("2 fold")
    assert (hand.turn, hand.legal) == (3, "FOLD, BRING_IN (pays 50), COMPLETE (to 100)")


def test_example_17_the_tournament_asks_the_next_lowest_card() -> None:
    hand = chipless_low_card(rules(S000, structure=LIMIT))
    assert (hand.turn, hand.legal) == (3, "FOLD, BRING_IN (pays 50)")


def test_example_18_a_short_bring_in_keeps_the_full_price() -> None:
    hand = Hand(S003, stakes("10/20", ante=1, bring_in=4), {1: 3, 2: 1000, 3: 1000}).open(1)
    assert hand.legal == "BRING_IN (pays 2)"
    assert hand.play("1 bring_in").legal == "FOLD, CALL (pays 4), COMPLETE (to 10)"
    hand.play("2 call", "3 fold")
    assert UncalledBetReturned(seat=2, chips=2) in hand.facts
    assert hand.pots == [(7, (1, 2))]


def test_example_29_the_card_rooms_clock_freezes_who_has_bet() -> None:
    hand = Hand(S003, stakes("5/10", ante=1, bring_in=2), {1: 500, 2: 500, 3: 500}).open(1)
    hand.play("1 complete 5", "2 call", "3 call").open(1)
    hand.play("1 bet 5", "2 call", "3 call").open(1)
    hand.play("1 bet 10")
    expired = hand.expire(CLOCK_S003)
    assert (expired.protected, expired.sits_out) == (True, True)
    assert hand.fact_names == ["SeatFrozen"]
    hand.play("3 call")
    assert hand.pots == [(33, (1, 2, 3)), (20, (1, 3))]
    hand.open(1).play("1 bet 10", "3 fold")
    assert UncalledBetReturned(seat=1, chips=10) in hand.facts
    assert hand.pots == [(33, (1, 2)), (20, (1,))]
    hand.open(1)
    assert hand.next == "SHOWDOWN"
    settled = hand.settle((2,))
    assert [award.uncontested for award in settled.awards] == [False, True]
    assert hand.stacks == {1: 499, 2: 522, 3: 479}


def test_example_29_who_has_paid_only_the_ante_is_folded() -> None:
    hand = Hand(S003, stakes("5/10", ante=1, bring_in=2), {1: 500, 2: 500, 3: 500}).open(1).play("1 bring_in")
    expired = hand.expire(CLOCK_S003)
    assert (expired.protected, expired.sits_out) == (False, False)
    assert hand.outcome.state.seats[1].status is SeatStatus.FOLDED
