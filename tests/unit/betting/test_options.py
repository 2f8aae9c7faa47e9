"""Every option of the hand rules that concerns betting, where the worked examples leave a value untouched."""

import pytest

from services.betting.domain.facts import ActionTaken, AntePosted, StreetClosed, UncalledBetReturned
from services.betting.domain.state import SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street, Structure
from shared.kernel.rules import (
    AllInHighHand,
    BigBetMinimum,
    BringInFold,
    BringInNoChips,
    HandRules,
    HeadsUpCap,
    OpenPairFourth,
    PotBelowMinimum,
    PotLimitMax,
    ShortAllInBigBet,
    ShortAllInLimit,
    ShortBringInPrice,
    ThirdStreetOverBringIn,
)
from tests.support.betting_hand import LIMIT, NO_LIMIT, POT_LIMIT, S000, S003, S004, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}
S000_LIMIT = rules(S000, structure=LIMIT)
S000_NO_LIMIT = rules(S000, structure=NO_LIMIT)
S000_POT_LIMIT = rules(S000, structure=POT_LIMIT)


# --- bring-in (C1, C2, C6-C9) -------------------------------------------------------------------


def test_declining_may_pass_the_duty_to_the_left() -> None:
    hand = Hand(rules(S003, bring_in_fold=BringInFold.PASS_LEFT), SMALL, DEEP).open(3, 1, 2, 4)
    assert hand.play("3 fold").turn == 4
    assert hand.play("4 fold").turn == 1


def test_the_first_seat_to_act_is_told_although_it_declined() -> None:
    hand = Hand(S000_LIMIT, SMALL, DEEP).open(3, 1, 2, 4).play("3 fold")
    assert hand.outcome.state.first_to_act_seat == 3


def test_when_the_neighbours_of_a_chipless_low_card_all_fold_the_last_one_pays_nothing() -> None:
    hand = Hand(S003, SMALL, {1: 1, 2: 100, 3: 100}).open(1).play("2 fold")
    assert hand.next == "DEAL_STREET"
    assert hand.pots == [(3, (1, 3))]
    assert hand.stacks[3] == 99


def test_the_next_lowest_of_a_chipless_low_card_has_the_full_duty() -> None:
    hand = Hand(rules(S003, bring_in_no_chips=BringInNoChips.NEXT_LOWEST), SMALL, {1: 1, 2: 100, 3: 100})
    assert hand.open(1, 3, 2).legal == "BRING_IN (pays 3), COMPLETE (to 10)"


def test_the_low_card_with_chips_has_no_right_to_fold_although_others_are_all_in() -> None:
    hand = Hand(S003, SMALL, {1: 1, 2: 100, 3: 100}).open(2)
    assert hand.legal == "BRING_IN (pays 3), COMPLETE (to 10)"


def test_the_opener_may_be_kept_from_opening_for_the_full_bet() -> None:
    assert Hand(rules(S003, bring_in_full=False), SMALL, DEEP).open(1).legal == "BRING_IN (pays 3)"


def test_an_opener_between_bring_in_and_full_bet_may_go_all_in() -> None:
    hand = Hand(S003, SMALL, {1: 8, 2: 100, 3: 100}).open(1)
    assert hand.legal == "BRING_IN (pays 3), COMPLETE (to 7)"
    assert hand.play("1 complete 7").legal == "FOLD, CALL (pays 7), RAISE (to 17)"


def test_an_opener_all_in_for_less_than_half_of_it_may_be_completed() -> None:
    hand = Hand(S003, SMALL, {1: 5, 2: 100, 3: 100}).open(1).play("1 complete 4")
    assert hand.legal == "FOLD, CALL (pays 4), COMPLETE (to 10)"


def test_the_high_card_opens_pot_limit_for_the_half_or_the_whole_minimum() -> None:
    hand = Hand(rules(S004, structure=POT_LIMIT), stakes("50/100", ante=5, bring_in=25), DEEP).open(1)
    assert hand.legal == "BRING_IN (pays 25), COMPLETE (to 50 to 50)"
    assert hand.play("1 complete 50").legal == "FOLD, CALL (pays 50), RAISE (to 100 to 170)"


def test_a_short_bring_in_may_set_the_price() -> None:
    actual = rules(S003, short_bring_in_price=ShortBringInPrice.ACTUAL)
    hand = Hand(actual, SMALL, {1: 3, 2: 100, 3: 100}).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 2), COMPLETE (to 10)"


def test_the_payer_of_the_bring_in_may_have_a_second_option() -> None:
    hand = Hand(rules(S003, bring_in_live_option=True), SMALL, {1: 100, 2: 100, 3: 100}).open(2)
    hand.play("2 bring_in", "3 call", "1 call")
    assert (hand.turn, hand.legal) == (2, "FOLD, CHECK, COMPLETE (to 10)")
    assert hand.play("2 check").next == "DEAL_STREET"


def test_the_second_option_used_reopens_the_street() -> None:
    hand = Hand(rules(S003, bring_in_live_option=True), SMALL, {1: 100, 2: 100, 3: 100}).open(2)
    hand.play("2 bring_in", "3 call", "1 call", "2 complete 10")
    assert (hand.turn, hand.legal) == (3, "FOLD, CALL (pays 7), RAISE (to 20)")


def test_the_first_wager_may_be_added_to_the_bring_in() -> None:
    added = rules(S003, third_street_over_bring_in=ThirdStreetOverBringIn.ADD)
    hand = Hand(added, SMALL, DEEP).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 3), COMPLETE (to 13)"
    assert hand.play("2 complete 13").legal == "FOLD, CALL (pays 13), RAISE (to 23)"


def test_the_minimum_bet_may_be_added_to_the_bring_in() -> None:
    added = rules(S000_NO_LIMIT, third_street_over_bring_in=ThirdStreetOverBringIn.ADD)
    hand = Hand(added, SMALL, DEEP).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 3), COMPLETE (to 23 to 999)"


@pytest.mark.parametrize(("all_in", "legal"), [(7, "COMPLETE (to 13)"), (8, "RAISE (to 18)")])
def test_half_a_bet_is_counted_from_the_bring_in_where_it_is_added(all_in: int, legal: str) -> None:
    added = rules(S003, third_street_over_bring_in=ThirdStreetOverBringIn.ADD)
    hand = Hand(added, SMALL, {1: 1000, 2: all_in + 1, 3: 1000}).open(1)
    assert hand.play("1 bring_in", f"2 complete {all_in}").legal.endswith(legal)


# --- raise cap (C10-C12) ------------------------------------------------------------------------


def raised(hand_rules: HandRules) -> Hand:
    hand = Hand(hand_rules, SMALL, DEEP).open(1)
    return hand.play("1 bring_in", "2 complete 10", "3 raise 20", "4 raise 30")


def test_a_completion_may_count_as_a_raise() -> None:
    hand = raised(rules(S000_LIMIT, completion_counts=True))
    assert (hand.raises, hand.legal) == (3, "FOLD, CALL (pays 27)")


def test_opening_for_the_full_bet_is_a_bet_and_never_counts() -> None:
    hand = Hand(rules(S003, completion_counts=True), SMALL, DEEP).open(1).play("1 complete 10")
    assert hand.raises == 0


def test_the_number_of_raises_is_a_setting() -> None:
    assert raised(rules(S000_LIMIT, raise_cap=2)).legal == "FOLD, CALL (pays 27)"


def test_without_a_cap_raises_go_on() -> None:
    hand = raised(rules(S000_LIMIT, raise_cap=0)).play("1 raise 40", "2 raise 50", "3 raise 60")
    assert hand.legal == "FOLD, CALL (pays 30), RAISE (to 70)"


def heads_up(hand_rules: HandRules, **facts: bool) -> Hand:
    hand = Hand(hand_rules, SMALL, {1: 1000, 2: 1000}, **facts).open(1)
    return hand.play("1 bring_in", "2 complete 10", "1 raise 20", "2 raise 30", "1 raise 40")


@pytest.mark.parametrize("last_two", [True, False])
def test_the_cap_may_hold_until_two_are_left_in_the_event(last_two: bool) -> None:
    hand_rules = rules(S000_LIMIT, heads_up_cap=HeadsUpCap.LAST_TWO_OF_EVENT)
    hand = heads_up(hand_rules, last_two_of_event=last_two)
    assert ("RAISE (to 50)" in hand.legal) is last_two


def test_two_players_may_have_a_cap_of_their_own() -> None:
    hand = heads_up(rules(S003, heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=5))
    hand.play("2 raise 50", "1 raise 60")
    assert (hand.raises, hand.legal) == (5, "FOLD, CALL (pays 10)")


def test_the_cap_of_two_players_does_not_bind_three() -> None:
    hand_rules = rules(S003, heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=5)
    assert raised(hand_rules).play("1 raise 40").legal == "FOLD, CALL (pays 30)"


@pytest.mark.parametrize("counts", [True, False])
def test_whether_an_all_in_player_is_one_of_two(counts: bool) -> None:
    hand_rules = rules(S003, heads_up_counts_all_in=counts)
    stacks = {1: 1000, 2: 1000, 3: 20}
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 40", "3 call", "1 raise 60", "2 raise 80")
    assert ("RAISE (to 100)" in hand.legal) is not counts


def test_a_short_all_in_can_still_be_called_when_the_cap_is_reached() -> None:
    stacks = {1: 1000, 2: 1000, 3: 90, 4: 1000}
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 40", "3 raise 60", "4 raise 80", "1 call", "2 call")
    assert (hand.turn, hand.legal) == (3, "FOLD, CALL (pays 20)")


# --- open pair (C13, C14) -----------------------------------------------------------------------


def over_pair(hand_rules: HandRules, stacks: dict[int, int] | None = None) -> Hand:
    hand = Hand.on(Street.FOURTH, hand_rules, stakes("5/10", bring_in=2), stacks or DEEP, dead=5)
    return hand.open(2, pairs=(2,))


@pytest.mark.parametrize("persists", [True, False])
def test_the_open_pair_may_end_with_its_holders_fold(persists: bool) -> None:
    hand = over_pair(rules(S003, open_pair_persists=persists)).play("2 fold")
    assert ("BET (to 5, 10)" in hand.legal) is persists


def test_the_holder_alone_may_raise_by_the_upper_limit() -> None:
    hand = over_pair(rules(S003, open_pair_fourth=OpenPairFourth.HOLDER_BET_RAISE)).play("2 check", "3 bet 5")
    assert hand.legal == "FOLD, CALL (pays 5), RAISE (to 10)"
    hand.play("4 call", "1 call")
    assert (hand.turn, hand.legal) == (2, "FOLD, CALL (pays 5), RAISE (to 10, 15)")
    assert hand.play("2 raise 15").legal == "FOLD, CALL (pays 10), RAISE (to 25)"


def test_the_holder_may_not_raise_by_it_where_only_a_bet_is_doubled() -> None:
    hand = over_pair(rules(S003, open_pair_fourth=OpenPairFourth.HOLDER_BET))
    hand.play("2 check", "3 bet 5", "4 call", "1 call")
    assert hand.legal == "FOLD, CALL (pays 5), RAISE (to 10)"


def test_an_all_in_between_the_limits_is_offered_beside_the_lower_one() -> None:
    hand = over_pair(S003, {1: 1000, 2: 8, 3: 1000, 4: 1000})
    assert hand.legal == "FOLD, CHECK, BET (to 5, 8)"
    assert hand.play("2 bet 8").legal == "FOLD, CALL (pays 8), RAISE (to 13, 18)"


@pytest.mark.parametrize("street", [Street.FIFTH, Street.SIXTH])
def test_a_pair_on_a_later_street_changes_nothing(street: Street) -> None:
    hand = Hand.on(street, S003, stakes("5/10", bring_in=2), DEEP, dead=5).open(2, pairs=(2,))
    assert hand.legal == "FOLD, CHECK, BET (to 10)"


@pytest.mark.parametrize("structure", [POT_LIMIT, NO_LIMIT])
def test_a_pair_changes_nothing_in_pot_limit_and_no_limit(structure: Structure) -> None:
    hand = over_pair(rules(S004, structure=structure))
    assert hand.legal.startswith("FOLD, CHECK, BET (to 5 to ")


# --- pot limit and no limit (C15-C17) -----------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "least"), [(BigBetMinimum.UPPER, 20), (BigBetMinimum.LOWER, 10), (BigBetMinimum.BRING_IN, 3)]
)
def test_the_minimum_bet(option: BigBetMinimum, least: int) -> None:
    hand = Hand.on(Street.FOURTH, rules(S000_NO_LIMIT, big_bet_minimum=option), SMALL, DEEP, dead=5).open(1)
    assert hand.legal == f"FOLD, CHECK, BET (to {least} to 1000)"


@pytest.mark.parametrize(("option", "most"), [(PotLimitMax.POT_AFTER_CALL, 250), (PotLimitMax.POT_BEFORE_CALL, 200)])
def test_the_largest_raise_of_pot_limit(option: PotLimitMax, most: int) -> None:
    hand_rules = rules(S000_POT_LIMIT, pot_limit_max=option)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, {1: 900, 2: 900}, dead=50).open(1).play("1 bet 50")
    assert hand.legal == f"FOLD, CALL (pays 50), RAISE (to 100 to {most})"


def test_a_pot_below_the_minimum_may_forbid_even_a_short_all_in() -> None:
    hand_rules = rules(S000_POT_LIMIT, pot_below_minimum=PotBelowMinimum.NO_RAISE)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, {1: 15, 2: 900}, dead=5).open(1)
    assert hand.legal == "FOLD, CHECK"


def test_raises_of_no_limit_have_no_cap() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 9000, 2: 9000}, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 40", "1 raise 60", "2 raise 80", "1 raise 100", "2 raise 120")
    assert hand.legal == "FOLD, CALL (pays 20), RAISE (to 140 to 9000)"


def test_the_largest_increment_of_the_street_is_the_next_ones_least() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 9000, 2: 9000}, dead=5).open(1)
    assert hand.play("1 bet 20", "2 raise 500").legal.endswith("RAISE (to 980 to 9000)")


def test_a_short_opening_all_in_is_raised_by_the_minimum_bet() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 12, 2: 9000, 3: 9000}, dead=5).open(1)
    assert hand.play("1 bet 12").legal == "FOLD, CALL (pays 12), RAISE (to 32 to 9000)"


# --- short all-ins (C18) ------------------------------------------------------------------------


def three_all_ins(option: ShortAllInLimit) -> Hand:
    stacks = {1: 1000, 2: 27, 3: 34, 4: 40, 5: 1000}
    hand = Hand.on(Street.FIFTH, rules(S000_LIMIT, short_all_in_limit=option), SMALL, stacks, dead=5).open(1)
    return hand.play("1 bet 20", "2 raise 27", "3 raise 34")


def test_half_a_bet_added_up_by_two_all_ins_is_a_raise() -> None:
    assert three_all_ins(ShortAllInLimit.HALF).legal == "FOLD, CALL (pays 34), RAISE (to 40)"
    stacks = {1: 1000, 2: 27, 3: 1000, 4: 34, 5: 1000}
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 27", "3 call", "4 raise 34", "5 call")
    assert (hand.turn, hand.legal) == (1, "FOLD, CALL (pays 14), RAISE (to 54)")
    assert (hand.play("1 call").turn, hand.legal) == (3, "FOLD, CALL (pays 7)")


@pytest.mark.parametrize(
    ("option", "fifth_seat", "first_seat"),
    [
        (ShortAllInLimit.FULL, "FOLD, CALL (pays 40), RAISE (to 60)", "FOLD, CALL (pays 20), RAISE (to 60)"),
        (ShortAllInLimit.NONE, "FOLD, CALL (pays 40), RAISE (to 60)", "FOLD, CALL (pays 20)"),
    ],
)
def test_all_ins_that_reach_the_next_level_together(option: ShortAllInLimit, fifth_seat: str, first_seat: str) -> None:
    hand = three_all_ins(option)
    assert hand.legal == "FOLD, CALL (pays 34), RAISE (to 40)"
    assert hand.play("4 raise 40").legal == fifth_seat
    assert hand.play("5 call").legal == first_seat


@pytest.mark.parametrize("option", [ShortAllInLimit.FULL, ShortAllInLimit.NONE])
def test_a_completion_reopens_under_every_short_all_in_rule(option: ShortAllInLimit) -> None:
    hand = Hand(rules(S003, short_all_in_limit=option), SMALL, DEEP).open(1)
    hand.play("1 bring_in", "2 call", "3 complete 10", "4 fold")
    assert hand.legal == "FOLD, CALL (pays 7), RAISE (to 20)"


@pytest.mark.parametrize("option", list(ShortAllInBigBet))
def test_whether_short_all_ins_add_up_in_no_limit(option: ShortAllInBigBet) -> None:
    stacks = {1: 1000, 2: 30, 3: 45, 4: 1000}
    hand_rules = rules(S000_NO_LIMIT, short_all_in_big_bet=option)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 30", "3 raise 45", "4 call")
    assert ("RAISE" in hand.legal) is (option is ShortAllInBigBet.CUMULATIVE)


def test_an_opening_all_in_of_half_a_bet_is_the_bet() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 15, 2: 1000, 3: 1000}, dead=5).open(1).play("1 bet 15")
    assert (hand.raises, hand.legal) == (0, "FOLD, CALL (pays 15), RAISE (to 35)")


def test_an_opening_all_in_below_half_a_bet_is_finished_to_the_bet() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 7, 2: 1000, 3: 1000}, dead=5).open(1).play("1 bet 7")
    assert hand.legal == "FOLD, CALL (pays 7), RAISE (to 20)"
    assert hand.play("2 raise 20").raises == 0


def test_who_has_checked_may_not_finish_a_short_opening_all_in() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 1000, 2: 7, 3: 1000}, dead=5).open(1)
    hand.play("1 check", "2 bet 7", "3 call")
    assert (hand.turn, hand.legal) == (1, "FOLD, CALL (pays 7)")


def test_checking_and_raising_is_allowed() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 1000, 2: 1000}, dead=5).open(1).play("1 check", "2 bet 20")
    assert hand.legal == "FOLD, CALL (pays 20), RAISE (to 40)"


# --- openers and ends of rounds (C21, rules 12, 38, 69, 83, 101) ---------------------------------


@pytest.mark.parametrize(("option", "opener"), [(AllInHighHand.NEXT_CLOCKWISE, 3), (AllInHighHand.BEST_ABLE, 4)])
def test_an_all_in_high_board_does_not_open(option: AllInHighHand, opener: int) -> None:
    hand = Hand.on(Street.FIFTH, rules(S000_LIMIT, all_in_high_hand=option), SMALL, {**DEEP, 2: 20}, dead=5)
    hand.open(1).play("1 bet 20", "2 call", "3 call", "4 call").open(2, 4, 3, 1)
    assert hand.turn == opener


def test_folding_where_a_check_is_free_may_be_refused() -> None:
    hand = Hand.on(Street.FIFTH, rules(S003, fold_when_check_free=False), SMALL, DEEP, dead=5).open(1)
    assert hand.legal == "CHECK, BET (to 20)"
    with pytest.raises(DomainError) as refused:
        hand.play("1 fold")
    assert refused.value.reason is Reason.ACTION_NOT_LEGAL


def test_nobody_raises_when_nobody_is_left_to_answer() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 50, 2: 1000}, dead=5).open(1).play("1 bet 50")
    assert hand.legal == "FOLD, CALL (pays 50)"


def test_an_unmatched_ante_goes_back_before_the_first_card() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 100, 2: 1})
    assert hand.facts == (
        AntePosted(seat=1, chips=5, all_in=False),
        AntePosted(seat=2, chips=1, all_in=True),
        UncalledBetReturned(seat=1, chips=4),
    )
    assert (hand.stacks, hand.pots) == ({1: 99, 2: 0}, [(2, (1, 2))])
    for _ in range(5):
        hand.open(2)
    assert hand.next == "SHOWDOWN"


def test_a_seat_all_in_for_an_ante_that_nobody_matched_has_chips_again() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 3, 2: 1})
    assert hand.stacks == {1: 2, 2: 0}
    assert hand.outcome.state.seats[0].status is SeatStatus.ACTIVE


def test_the_facts_of_an_action_that_ends_the_hand_are_in_order() -> None:
    hand = Hand(S003, SMALL, {1: 100, 2: 100}).open(1).play("1 bring_in", "2 fold")
    assert hand.fact_names == ["ActionTaken", "UncalledBetReturned", "StreetClosed"]
    closed = hand.facts[-1]
    assert isinstance(closed, StreetClosed)
    assert (closed.street, closed.pots) == (Street.THIRD, hand.outcome.pots)


def test_an_action_says_what_it_paid() -> None:
    hand = Hand(S003, SMALL, {1: 100, 2: 9, 3: 100}).open(1).play("1 bring_in", "2 complete 8")
    taken = hand.facts[0]
    assert isinstance(taken, ActionTaken)
    assert (taken.paid_chips, taken.to_chips, taken.all_in) == (8, 8, True)


def test_the_last_aggressor_of_the_river_is_told() -> None:
    hand = Hand.on(Street.SEVENTH, S003, SMALL, {1: 100, 2: 100, 3: 100}, dead=5).open(3)
    hand.play("3 bet 20", "1 raise 40", "2 call", "3 call")
    assert hand.next == "SHOWDOWN"
    assert (hand.outcome.state.last_aggressor_seat, hand.outcome.state.first_to_act_seat) == (1, 3)
