"""Pots paid to the last odd chip, and the house's share (rules 102, 103, 123-127, 196)."""

import pytest

from services.betting.domain.rake import shares_by_weight
from services.betting.domain.settlement import PotShare, split
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.rules import RakeCap, RakeRules
from tests.support.betting_hand import NO_LIMIT, S003, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)


def rake(
    basis_points: int = 500, *, unit: int = 1, no_fourth: bool = False, caps: tuple[RakeCap, ...] = ()
) -> RakeRules:
    return RakeRules(basis_points=basis_points, caps=caps, unit_chips=unit, no_fourth_street_no_rake=no_fourth)


def showdown(dead: int = 50) -> Hand:
    """Three seats at the river, 50 each in, no wager."""
    hand = Hand.on(Street.SEVENTH, S003, SMALL, {1: 100, 2: 100, 3: 100}, dead=dead).open(1)
    return hand.play("1 check", "2 check", "3 check")


def side_pots() -> Hand:
    """Main pot 303 and side pot 200."""
    hand_rules = rules(S003, structure=NO_LIMIT)
    hand = Hand.on(Street.SEVENTH, hand_rules, SMALL, {1: 200, 2: 100, 3: 200}, dead=1).open(1)
    return hand.play("1 bet 200", "2 call", "3 call")


@pytest.mark.parametrize(
    ("chips", "winners", "unit", "paid"),
    [
        (25, (1, 2), 1, [(13, 1), (12, 0)]),
        (101, (3, 1, 2), 1, [(34, 1), (34, 1), (33, 0)]),
        (100, (1,), 1, [(100, 0)]),
        (110, (1, 2), 10, [(60, 10), (50, 0)]),
        (113, (1, 2), 10, [(60, 10), (53, 3)]),
        (103, (1, 2), 10, [(53, 3), (50, 0)]),
        (7, (1, 2), 10, [(7, 7), (0, 0)]),
        (129, (1, 2, 3), 10, [(49, 9), (40, 0), (40, 0)]),
    ],
)
def test_each_odd_piece_goes_to_another_winner(
    chips: int, winners: tuple[int, ...], unit: int, paid: list[tuple[int, int]]
) -> None:
    shares = split(chips, winners, unit)
    expected = zip(winners, paid, strict=True)
    assert shares == tuple(PotShare(seat=seat, chips=all_, odd_chips=odd) for seat, (all_, odd) in expected)
    assert sum(share.chips for share in shares) == chips


def test_main_and_side_pot_are_paid_by_themselves() -> None:
    hand = side_pots()
    assert hand.pots == [(303, (1, 2, 3)), (200, (1, 3))]
    settled = hand.settle((2, 3), (3,))
    assert [(award.pot_index, award.chips, award.uncontested) for award in settled.awards] == [
        (0, 303, False),
        (1, 200, False),
    ]
    assert hand.stacks == {1: 0, 2: 152, 3: 351}
    assert (hand.next, hand.pots, hand.outcome.pot_total_chips) == ("END", [], 0)


@pytest.mark.parametrize(
    ("winners", "said"),
    [
        (((), (1,)), "pot 0: name its winners out of seats 1, 2, 3"),
        (((2,), (2,)), "pot 1: seat 2 cannot win it; eligible: 1, 3"),
        (((1, 1), (1,)), "pot 0: name each winning seat once"),
        (((1,), (1,), (1,)), "pot 2 does not exist: there are pots 0 to 1"),
    ],
)
def test_winners_that_cannot_be_are_refused_by_pot(winners: tuple[tuple[int, ...], ...], said: str) -> None:
    hand = side_pots()
    with pytest.raises(DomainError) as refused:
        hand.settle(*winners)
    assert refused.value.reason is Reason.REQUEST_INVALID
    assert said in refused.value.message
    assert hand.next == "SHOWDOWN"


def test_a_hand_is_not_settled_before_its_betting_is_over() -> None:
    hand = Hand.on(Street.SEVENTH, S003, SMALL, {1: 100, 2: 100}, dead=5).open(1)
    with pytest.raises(DomainError) as refused:
        hand.settle((1,))
    assert refused.value.reason is Reason.OUT_OF_STEP
    assert refused.value.metadata == {"step": "Settle", "expected": "Act or Expire"}


def test_a_hand_is_settled_once() -> None:
    hand = showdown()
    hand.settle((1,))
    with pytest.raises(DomainError) as refused:
        hand.settle((2,))
    assert refused.value.reason is Reason.OUT_OF_STEP


def test_the_house_takes_its_share_before_the_split() -> None:
    hand = showdown()
    settled = hand.settle((1, 2), rake=rake())
    assert (settled.rake_chips, settled.awards[0].rake_chips, settled.awards[0].chips) == (7, 7, 150)
    assert [share.chips for share in settled.awards[0].shares] == [72, 71]
    assert sum(hand.stacks.values()) == 450 - 7


@pytest.mark.parametrize(
    ("rules_of_rake", "taken"),
    [
        (rake(0), 0),
        (rake(500), 7),
        (rake(500, unit=5), 5),
        (rake(500, caps=(RakeCap(players_min=2, cap_chips=3),)), 3),
        (rake(500, caps=(RakeCap(players_min=2, cap_chips=3), RakeCap(players_min=3, cap_chips=6))), 6),
        (rake(500, caps=(RakeCap(players_min=4, cap_chips=1),)), 7),
        (rake(500, unit=5, caps=(RakeCap(players_min=2, cap_chips=4),)), 0),
        (rake(10_000), 150),
    ],
)
def test_the_size_of_the_rake(rules_of_rake: RakeRules, taken: int) -> None:
    assert showdown().settle((1,), rake=rules_of_rake).rake_chips == taken


def test_rake_comes_from_each_pot_in_proportion() -> None:
    hand = side_pots()
    settled = hand.settle((2,), (3,), rake=rake(1000))
    assert settled.rake_chips == 50
    assert [award.rake_chips for award in settled.awards] == [30, 20]


@pytest.mark.parametrize(("total", "weights", "shares"), [(50, (303, 200), (30, 20)), (3, (1, 1, 1, 0), (1, 1, 1, 0))])
def test_a_share_in_proportion_never_passes_its_pot(
    total: int, weights: tuple[int, ...], shares: tuple[int, ...]
) -> None:
    assert shares_by_weight(total, weights) == shares


@pytest.mark.parametrize(("no_fourth", "taken"), [(True, 0), (False, 1)])
def test_a_hand_that_ended_on_third_street_may_be_free_of_rake(*, no_fourth: bool, taken: int) -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 100, 2: 100, 3: 100, 4: 100}).open(1)
    hand.play("1 bring_in", "2 complete 10", "3 fold", "4 fold", "1 fold")
    assert hand.settle(rake=rake(500, no_fourth=no_fourth)).rake_chips == taken


def test_a_hand_run_out_after_all_ins_on_third_street_is_raked() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 15, 2: 15}).open(1)
    hand.play("1 complete 10", "2 call").open(1).open(1).open(1).open(1)
    assert hand.settle((1,), rake=rake(1000, no_fourth=True)).rake_chips == 3


def test_uncalled_chips_are_never_raked() -> None:
    hand = Hand.on(Street.SEVENTH, rules(S003, structure=NO_LIMIT), SMALL, {1: 1000, 2: 100}, dead=10).open(1)
    hand.play("1 bet 1000", "2 fold")
    assert hand.settle(rake=rake(1000)).rake_chips == 2
