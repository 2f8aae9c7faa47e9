"""Cases made from public bug reports (O-02 to O-53), with the values that are right."""

import pytest

from services.betting.domain.actions import ActionCause
from services.betting.domain.facts import ActionTaken, UncalledBetReturned
from services.betting.domain.pots import Pot, pots_of
from services.betting.domain.settlement import split
from services.betting.domain.state import SeatBetting, SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.rules import (
    AbsentBringIn,
    BigBetMinimum,
    BringInNoChips,
    HeadsUpCap,
    OpenPairFourth,
    ShortAllInLimit,
)
from tests.support.betting_hand import (
    CLOCK_S000,
    LIMIT,
    NO_LIMIT,
    POT_LIMIT,
    S000,
    S003,
    Hand,
    clock,
    rules,
    stakes,
)

S000_LIMIT = rules(S000, structure=LIMIT)
SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000}


def contributions(*seats: tuple[int, int, str]) -> tuple[SeatBetting, ...]:
    """Seats with what they put in: ``(1, 100, "ALL_IN")``."""
    return tuple(
        SeatBetting(
            seat=seat,
            stack_chips=0 if status == "ALL_IN" else 1000,
            hand_chips=chips,
            status=SeatStatus(status),
            start_chips=chips,
        )
        for seat, chips, status in seats
    )


def shape(pots: tuple[Pot, ...]) -> list[tuple[int, tuple[int, ...]]]:
    return [(pot.chips, pot.eligible_seats) for pot in pots]


def test_o_02_declining_goes_up_the_door_cards_and_the_turn_then_runs_clockwise() -> None:
    hand = Hand(S000_LIMIT, SMALL, {1: 500, 2: 500, 3: 500, 4: 500}).open(3, 4, 1, 2)
    assert hand.turn == 3
    assert hand.play("3 fold").turn == 4
    assert hand.play("4 fold").turn == 1
    hand.play("1 bring_in")
    assert (hand.turn, hand.legal) == (2, "FOLD, CALL (pays 3), COMPLETE (to 10)")


@pytest.mark.parametrize(("option", "opener"), [(BringInNoChips.LEFT, 3), (BringInNoChips.NEXT_LOWEST, 4)])
def test_o_03_a_low_card_without_chips_is_never_asked(option: BringInNoChips, opener: int) -> None:
    stacks = {1: 100, 2: 1, 3: 100, 4: 100}
    hand = Hand(rules(S003, bring_in_no_chips=option), SMALL, stacks).open(2, 4, 1, 3)
    assert hand.turn == opener
    assert hand.outcome.state.seats[1].status is SeatStatus.ALL_IN


def test_o_04_a_short_bring_in_cuts_a_side_pot_and_not_the_price() -> None:
    hand = Hand(S003, SMALL, {1: 100, 2: 3, 3: 100}).open(2).play("2 bring_in")
    assert hand.legal == "FOLD, CALL (pays 3), COMPLETE (to 10)"
    hand.play("3 call", "1 call")
    assert hand.pots == [(9, (1, 2, 3)), (2, (1, 3))]


def test_o_05_completing_is_not_one_of_the_three_raises() -> None:
    hand = Hand(S000_LIMIT, SMALL, DEEP).open(2)
    hand.play("2 bring_in", "3 complete 10", "1 raise 20", "2 raise 30", "3 raise 40")
    assert hand.legal == "FOLD, CALL (pays 20)"
    with pytest.raises(DomainError) as refused:
        hand.play("1 raise 50")
    assert refused.value.reason is Reason.ACTION_NOT_LEGAL
    assert refused.value.metadata == {"action": "RAISE", "legal": "FOLD, CALL (pays 20)"}


def test_o_05_the_same_three_raises_remain_when_the_low_card_opens_for_the_full_bet() -> None:
    hand = Hand(rules(S003, heads_up_cap=HeadsUpCap.ALWAYS), SMALL, DEEP).open(2).play("2 complete 10")
    assert hand.play("3 raise 20", "1 raise 30", "2 raise 40").legal == "FOLD, CALL (pays 20)"


def fifth(option: HeadsUpCap, seats: int) -> Hand:
    stacks = dict.fromkeys(range(1, seats + 1), 1000)
    hand_rules = rules(S003, heads_up_cap=option)
    return Hand.on(Street.FIFTH, hand_rules, SMALL, stacks, dead=10).open(1)


@pytest.mark.parametrize(
    ("option", "from_the_start", "during_the_street"),
    [
        (HeadsUpCap.ALWAYS, False, False),
        (HeadsUpCap.LIFT_ANYTIME, True, True),
        (HeadsUpCap.STREET_START, True, False),
        (HeadsUpCap.LIFT_BEFORE_CAP, True, True),
    ],
)
def test_o_06_the_cap_with_two_players(option: HeadsUpCap, *, from_the_start: bool, during_the_street: bool) -> None:
    two = fifth(option, 2).play("1 bet 20", "2 raise 40", "1 raise 60", "2 raise 80")
    assert ("RAISE (to 100)" in two.legal) is from_the_start
    three = fifth(option, 3).play("1 bet 20", "2 raise 40", "3 fold", "1 raise 60", "2 raise 80")
    assert ("RAISE (to 100)" in three.legal) is during_the_street


def test_o_06_the_count_begins_anew_on_the_next_street() -> None:
    hand = fifth(HeadsUpCap.ALWAYS, 2).play("1 bet 20", "2 raise 40", "1 raise 60", "2 raise 80", "1 call")
    assert hand.open(1).play("1 bet 20").legal == "FOLD, CALL (pays 20), RAISE (to 40)"


def test_o_07_the_bring_in_has_no_second_option() -> None:
    hand = Hand(S003, SMALL, DEEP).open(2).play("2 bring_in", "3 call", "1 call")
    assert hand.next == "DEAL_STREET"


def test_o_07_it_acts_again_when_the_price_was_raised() -> None:
    hand = Hand(S003, SMALL, DEEP).open(2).play("2 bring_in", "3 call", "1 complete 10")
    assert (hand.turn, hand.legal) == (2, "FOLD, CALL (pays 7), RAISE (to 20)")


def short_in_limit(all_in: int, option: ShortAllInLimit = ShortAllInLimit.HALF) -> Hand:
    stacks = {1: 200, 2: 200, 3: all_in, 4: 200}
    hand = Hand.on(Street.FOURTH, rules(S000_LIMIT, short_all_in_limit=option), SMALL, stacks, dead=5).open(1)
    return hand.play("1 bet 10", "2 call", f"3 raise {all_in}")


def test_o_08_less_than_half_a_bet_reopens_nothing_and_may_be_finished() -> None:
    hand = short_in_limit(14)
    assert hand.legal == "FOLD, CALL (pays 14), RAISE (to 20)"
    hand.play("4 call")
    assert (hand.turn, hand.legal) == (1, "FOLD, CALL (pays 4)")
    assert (hand.play("1 call").turn, hand.legal) == (2, "FOLD, CALL (pays 4)")


def test_o_09_half_a_bet_counts_as_a_full_raise() -> None:
    hand = short_in_limit(15)
    assert (hand.raises, hand.legal) == (1, "FOLD, CALL (pays 15), RAISE (to 25)")
    assert hand.play("4 call").legal == "FOLD, CALL (pays 5), RAISE (to 25)"


def test_o_09_a_house_with_the_full_bet_rule_reopens_nothing_by_half_a_bet() -> None:
    hand = short_in_limit(15, ShortAllInLimit.FULL)
    assert (hand.raises, hand.legal) == (0, "FOLD, CALL (pays 15), RAISE (to 20)")
    assert hand.play("4 call").legal == "FOLD, CALL (pays 5)"


def test_o_10_in_no_limit_a_short_all_in_reopens_nothing() -> None:
    stacks = {1: 1000, 2: 1000, 3: 150, 4: 1000}
    hand = Hand.on(Street.FIFTH, rules(S000, structure=NO_LIMIT), SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 100", "2 call", "3 raise 150")
    assert hand.legal == "FOLD, CALL (pays 150), RAISE (to 250 to 1000)"
    hand.play("4 call")
    assert hand.legal == "FOLD, CALL (pays 50)"
    assert hand.play("1 call").legal == "FOLD, CALL (pays 50)"


def minimum_raise(stack_of_2: int) -> Hand:
    stacks = {1: 1000, 2: stack_of_2}
    return Hand.on(Street.FIFTH, rules(S000, structure=NO_LIMIT), SMALL, stacks, dead=5).open(1)


def test_o_11_the_minimum_raise_ignores_the_opponents_stack() -> None:
    hand = minimum_raise(200).play("1 bet 20", "2 raise 120")
    assert hand.legal == "FOLD, CALL (pays 100), RAISE (to 220 to 1000)"
    with pytest.raises(DomainError) as refused:
        hand.play("1 raise 200")
    assert refused.value.reason is Reason.AMOUNT_NOT_LEGAL
    assert refused.value.metadata == {"amount_chips": "200", "allowed": "220 to 1000"}
    hand.play("1 raise 220", "2 call")
    assert UncalledBetReturned(seat=1, chips=20) in hand.facts
    assert hand.pots == [(410, (1, 2))]


def test_o_11_all_chips_are_allowed_below_the_minimum() -> None:
    hand = minimum_raise(150).play("1 bet 120")
    assert hand.legal == "FOLD, CALL (pays 120), RAISE (to 150 to 150)"


def test_o_12_folded_money_stays_in_the_layers_it_reached() -> None:
    seats = contributions((1, 100, "ALL_IN"), (2, 300, "ALL_IN"), (3, 300, "ACTIVE"), (4, 150, "FOLDED"))
    assert shape(pots_of(seats)) == [(400, (1, 2, 3)), (450, (2, 3))]


def test_o_13_chips_of_folded_seats_never_make_a_pot_without_an_owner() -> None:
    seats = contributions((1, 50, "ALL_IN"), (2, 120, "ALL_IN"), (3, 200, "FOLDED"), (4, 200, "ACTIVE"))
    assert shape(pots_of(seats)) == [(200, (1, 2, 4)), (210, (2, 4)), (160, (4,))]
    folded = contributions((1, 50, "ALL_IN"), (2, 120, "ALL_IN"), (3, 200, "FOLDED"), (4, 200, "FOLDED"))
    assert shape(pots_of(folded)) == [(200, (1, 2)), (370, (2,))]


def test_who_put_nothing_in_can_win_nothing() -> None:
    seats = contributions((1, 0, "ACTIVE"), (2, 100, "ALL_IN"), (3, 100, "FOLDED"))
    assert shape(pots_of(seats)) == [(200, (2,))]


def test_o_13_a_fold_where_a_check_was_free_leaves_nobody_to_decide() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 50, 2: 50, 3: 500, 4: 500}, dead=49)
    hand.open(3).play("3 bet 20", "4 raise 40", "1 call", "2 call", "3 raise 60", "4 call", "1 call", "2 call")
    assert hand.open(3).turn == 3
    hand.play("3 fold")
    assert (hand.turn, hand.next) == (0, "DEAL_STREET")
    hand.open(4)
    settled = hand.settle((1,), ())
    assert [award.uncontested for award in settled.awards] == [False, True]
    assert settled.awards[1].chips == 20
    assert sum(hand.stacks.values()) == 4 * 49 + 1100


def test_o_14_equal_all_ins_are_one_pot() -> None:
    seats = contributions((1, 80, "ALL_IN"), (2, 80, "ALL_IN"), (3, 80, "ALL_IN"))
    assert shape(pots_of(seats)) == [(240, (1, 2, 3))]


def test_o_15_what_nobody_called_is_returned_and_not_won() -> None:
    hand = Hand.on(Street.FIFTH, rules(S000, structure=NO_LIMIT), SMALL, {1: 500, 2: 200}).open(1)
    hand.play("1 bet 500", "2 call")
    assert UncalledBetReturned(seat=1, chips=300) in hand.facts
    assert hand.pots == [(400, (1, 2))]
    hand.open(1).open(1)
    settled = hand.settle((2,))
    assert [(share.seat, share.chips) for award in settled.awards for share in award.shares] == [(2, 400)]
    assert hand.stacks == {1: 300, 2: 400}


def test_o_16_all_in_on_fourth_street_runs_out_without_a_question() -> None:
    hand = Hand.on(Street.FOURTH, rules(S000, structure=NO_LIMIT), SMALL, {1: 80, 2: 50, 3: 80}, dead=10).open(1)
    hand.play("1 bet 80", "2 call", "3 call")
    for _ in range(3):
        assert (hand.turn, hand.next) == (0, "DEAL_STREET")
        hand.open(1)
    assert hand.next == "SHOWDOWN"
    assert hand.pots == [(180, (1, 2, 3)), (60, (1, 3))]
    hand.settle((2,), (3,))
    assert hand.stacks == {1: 0, 2: 180, 3: 60}


def shares(chips: int, *winners: int, unit: int = 1) -> dict[int, int]:
    return {share.seat: share.chips for share in split(chips, winners, unit)}


@pytest.mark.parametrize(("order", "paid"), [((2, 1), {2: 51, 1: 50}), ((1, 2), {1: 51, 2: 50})])
def test_o_17_the_odd_chip_goes_to_the_first_in_the_order_given(order: tuple[int, ...], paid: dict[int, int]) -> None:
    assert shares(101, *order) == paid


def test_o_18_two_odd_chips_go_to_two_players() -> None:
    assert shares(20, 2, 3, 5) == {2: 7, 3: 7, 5: 6}


def test_o_19_each_pot_is_split_by_itself() -> None:
    main, side = shares(101, 1, 2), shares(51, 1, 2)
    assert (main[1] + side[1], main[2] + side[2]) == (77, 75)


def open_pair(option: OpenPairFourth) -> Hand:
    hand_rules = rules(S003, open_pair_fourth=option)
    return Hand.on(Street.FOURTH, hand_rules, SMALL, DEEP, dead=5).open(2, pairs=(2,))


@pytest.mark.parametrize(
    ("option", "holder", "behind"),
    [
        (OpenPairFourth.ANY_PLAYER, "BET (to 10, 20)", "BET (to 10, 20)"),
        (OpenPairFourth.HOLDER_BET, "BET (to 10, 20)", "BET (to 10)"),
        (OpenPairFourth.HOLDER_BET_RAISE, "BET (to 10, 20)", "BET (to 10)"),
        (OpenPairFourth.OFF, "BET (to 10)", "BET (to 10)"),
    ],
)
def test_o_22_who_may_bet_the_upper_limit(option: OpenPairFourth, holder: str, behind: str) -> None:
    hand = open_pair(option)
    assert hand.legal == f"FOLD, CHECK, {holder}"
    assert hand.play("2 check").legal == f"FOLD, CHECK, {behind}"


@pytest.mark.parametrize(
    ("actions", "legal"),
    [
        (("2 bet 10",), "RAISE (to 20, 30)"),
        (("2 bet 10", "3 raise 30"), "RAISE (to 50)"),
        (("2 bet 10", "3 raise 20"), "RAISE (to 30, 40)"),
        (("2 bet 20",), "RAISE (to 40)"),
    ],
)
def test_o_23_after_the_upper_limit_nobody_goes_back(actions: tuple[str, ...], legal: str) -> None:
    assert open_pair(OpenPairFourth.ANY_PLAYER).play(*actions).legal.endswith(legal)


@pytest.mark.parametrize(("stack", "most"), [(400, 250), (180, 180)])
def test_o_35_the_pot_is_measured_after_the_call(stack: int, most: int) -> None:
    hand = Hand.on(Street.FIFTH, rules(S000, structure=POT_LIMIT), SMALL, {1: 900, 2: stack}, dead=50).open(1)
    assert hand.play("1 bet 50").legal.endswith(f"RAISE (to 100 to {most})")


def test_o_36_antes_and_bring_in_are_in_the_pot() -> None:
    stacks = dict.fromkeys(range(1, 7), 5000)
    amounts = stakes("150/300", ante=50, bring_in=75)
    hand = Hand(rules(S000, structure=POT_LIMIT), amounts, stacks).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 75), COMPLETE (to 300 to 525)"
    assert hand.play("2 complete 300").legal == "FOLD, CALL (pays 300), RAISE (to 600 to 1275)"


def test_o_36_a_house_whose_minimum_is_the_bring_in_raises_by_it() -> None:
    stacks = dict.fromkeys(range(1, 7), 5000)
    hand_rules = rules(S000, structure=POT_LIMIT, big_bet_minimum=BigBetMinimum.BRING_IN)
    hand = Hand(hand_rules, stakes("150/300", ante=50, bring_in=75), stacks).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 75), COMPLETE (to 150 to 525)"


@pytest.mark.parametrize(
    ("option", "facts"),
    [
        (AbsentBringIn.FOLD_PASS_ON, [(2, "FOLD"), (4, "FOLD"), (3, "FOLD")]),
        (AbsentBringIn.POST_THEN_FOLD, [(2, "BRING_IN"), (2, "FOLD"), (3, "FOLD"), (4, "FOLD")]),
    ],
)
def test_o_45_everybody_is_away(option: AbsentBringIn, facts: list[tuple[int, str]]) -> None:
    amounts = stakes("50/100", ante=5, bring_in=20)
    hand = Hand(S000_LIMIT, amounts, dict.fromkeys(range(1, 5), 100)).open(2, 4, 3, 1)
    seen: list[tuple[int, str]] = []
    while hand.next == "ACT":
        hand.expire(clock(CLOCK_S000, absent_bring_in=option), ActionCause.ABSENT)
        seen += [(fact.seat, str(fact.kind)) for fact in hand.facts if isinstance(fact, ActionTaken)]
    assert seen == facts
    assert hand.next == "UNCONTESTED"
    hand.settle()
    posted = 20 if option is AbsentBringIn.POST_THEN_FOLD else 0
    assert hand.stacks == {1: 115 + posted, 2: 95 - posted, 3: 95, 4: 95}


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("2 raise -5", Reason.REQUEST_INVALID),
        ("2 raise 0", Reason.REQUEST_INVALID),
        ("2 raise", Reason.REQUEST_INVALID),
        ("2 raise 15", Reason.AMOUNT_NOT_LEGAL),
        ("2 raise 9223372036854775807", Reason.AMOUNT_NOT_LEGAL),
        ("2 call 3", Reason.REQUEST_INVALID),
        ("2 fold 3", Reason.REQUEST_INVALID),
        ("2 check", Reason.ACTION_NOT_LEGAL),
        ("2 bet 20", Reason.ACTION_NOT_LEGAL),
        ("2 bring_in", Reason.ACTION_NOT_LEGAL),
        ("1 call", Reason.NOT_YOUR_TURN),
        ("7 call", Reason.NOT_YOUR_TURN),
    ],
)
def test_o_51_bad_amounts_are_refused_and_nothing_is_changed(action: str, reason: Reason) -> None:
    hand = Hand.on(Street.FOURTH, S000_LIMIT, SMALL, {1: 200, 2: 30}, dead=5).open(1).play("1 bet 10")
    before = hand.outcome
    with pytest.raises(DomainError) as refused:
        hand.play(action)
    assert refused.value.reason is reason
    assert hand.outcome is before
    assert hand.legal == "FOLD, CALL (pays 10), RAISE (to 20)"


def test_o_52_eight_large_stacks_add_up() -> None:
    stacks = dict.fromkeys(range(1, 9), 400_000_000)
    hand = Hand(rules(S000, structure=NO_LIMIT), SMALL, stacks).open(1).play("1 bring_in", "2 complete 399999999")
    for seat in (3, 4, 5, 6, 7, 8, 1):
        hand.play(f"{seat} call")
    assert hand.pots == [(3_200_000_000, (1, 2, 3, 4, 5, 6, 7, 8))]


def test_o_53_an_ante_is_no_part_of_a_bet() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 100, 2: 100, 3: 5}).open(1)
    assert hand.stacks == {1: 95, 2: 95, 3: 0}
    assert hand.outcome.pot_total_chips == 15
    assert hand.legal == "BRING_IN (pays 3), COMPLETE (to 10)"
    assert hand.play("1 bring_in").legal.startswith("FOLD, CALL (pays 3)")
