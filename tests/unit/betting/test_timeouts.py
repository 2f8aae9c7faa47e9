"""Clocks that end and players who are away (rules 130-137, 144, 145, 149; C31-C34, C36, C48)."""

import pytest

from services.betting.domain.actions import ActionCause, ActionKind
from services.betting.domain.facts import ActionTaken, SeatFrozen
from services.betting.domain.state import SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.rules import (
    AbsentBringIn,
    AfterProtect,
    ClockRules,
    HandRules,
    ProtectScope,
    SitOutPays,
    Timeout,
    TimeoutBringIn,
    TimeoutFree,
)
from tests.support.betting_hand import (
    CLOCK_S000,
    CLOCK_S003,
    CLOCK_S004,
    LIMIT,
    S000,
    S003,
    S004,
    Hand,
    clock,
    rules,
    stakes,
)

SMALL = stakes("10/20", ante=1, bring_in=3)
STACKS = {1: 500, 2: 500, 3: 500}
S000_LIMIT = rules(S000, structure=LIMIT)


def done(hand: Hand) -> list[str]:
    """What was done for the seat, as a list of actions."""
    taken = [str(fact.kind) for fact in hand.facts if isinstance(fact, ActionTaken)]
    return taken + ["FREEZE" for fact in hand.facts if isinstance(fact, SeatFrozen)]


def after_third(hand_rules: HandRules = S003) -> Hand:
    """Fourth street open, seat 1 first, everybody having paid 3 on third."""
    hand = Hand(hand_rules, SMALL, STACKS).open(1).play("1 bring_in", "2 call", "3 call")
    return hand.open(1)


@pytest.mark.parametrize(
    ("clock_rules", "sits_out"), [(CLOCK_S000, True), (CLOCK_S004, False)], ids=["tournament", "classic"]
)
def test_the_clock_checks_where_it_is_free_and_folds_to_a_wager(clock_rules: ClockRules, sits_out: bool) -> None:
    hand = after_third(S004)
    assert hand.expire(clock_rules).sits_out is sits_out
    assert done(hand) == ["CHECK"]
    hand.play("2 bet 10")
    assert hand.expire(clock_rules).sits_out is sits_out
    assert done(hand) == ["FOLD"]


@pytest.mark.parametrize(
    ("free", "timeout", "action"),
    [
        (TimeoutFree.CHECK, Timeout.FREEZE_IF_BET, "CHECK"),
        (TimeoutFree.POLICY, Timeout.FREEZE_IF_BET, "FREEZE"),
        (TimeoutFree.POLICY, Timeout.CHECK_FOLD, "CHECK"),
        (TimeoutFree.FOLD, Timeout.CHECK_FOLD, "FOLD"),
        (TimeoutFree.FOLD, Timeout.FREEZE_IF_BET, "FOLD"),
    ],
)
def test_the_clock_ends_where_a_check_is_free(free: TimeoutFree, timeout: Timeout, action: str) -> None:
    hand = after_third()
    hand.expire(clock(CLOCK_S003, timeout=timeout, timeout_free=free))
    assert done(hand) == [action]


def test_a_frozen_seat_keeps_its_chips_and_acts_no_more() -> None:
    hand = after_third().play("1 bet 10")
    hand.expire(CLOCK_S003)
    assert hand.outcome.state.seats[1].status is SeatStatus.FROZEN
    assert hand.stacks[2] == 496
    hand.play("3 call").open(2)
    assert hand.turn == 3
    hand.play("3 check", "1 check").open(2).play("3 check", "1 check").open(2).play("3 check", "1 check")
    assert hand.next == "SHOWDOWN"
    assert hand.pots == [(12, (1, 2, 3)), (20, (1, 3))]
    hand.settle((2,), (3,))
    assert hand.stacks == {1: 486, 2: 508, 3: 506}


@pytest.mark.parametrize(("option", "sits_out"), [(AfterProtect.SIT_OUT, True), (AfterProtect.STAY, False)])
def test_what_follows_a_protected_hand(option: AfterProtect, sits_out: bool) -> None:
    hand = after_third().play("1 bet 10")
    expired = hand.expire(clock(CLOCK_S003, after_protect=option))
    assert (expired.protected, expired.sits_out) == (True, sits_out)


@pytest.mark.parametrize(("used", "action"), [(0, "FREEZE"), (1, "FREEZE"), (2, "FOLD"), (9, "FOLD")])
def test_protection_may_be_limited_in_a_session(used: int, action: str) -> None:
    hand = after_third().play("1 bet 10")
    expired = hand.expire(clock(CLOCK_S003, protect_limit_per_session=2), protections_used=used)
    assert done(hand) == [action]
    assert expired.protected is (action == "FREEZE")


@pytest.mark.parametrize(("scope", "action"), [(ProtectScope.HAND, "FREEZE"), (ProtectScope.STREET, "FOLD")])
def test_a_wager_of_an_earlier_street_may_protect_or_not(scope: ProtectScope, action: str) -> None:
    hand = after_third().play("1 bet 10")
    hand.expire(clock(CLOCK_S003, protect_scope=scope))
    assert done(hand) == [action]


def test_a_wager_of_the_same_street_protects_under_both() -> None:
    hand = after_third().play("1 bet 10", "2 raise 20", "3 call")
    hand.expire(clock(CLOCK_S003, protect_scope=ProtectScope.STREET))
    assert done(hand) == ["FREEZE"]


@pytest.mark.parametrize(("counts", "action"), [(True, "FREEZE"), (False, "FOLD")])
def test_the_ante_may_protect(counts: bool, action: str) -> None:
    hand = Hand(S003, SMALL, STACKS).open(1).play("1 bring_in")
    hand.expire(clock(CLOCK_S003, ante_counts_as_bet=counts))
    assert done(hand) == [action]


def test_an_ante_is_of_third_street_where_only_the_street_protects() -> None:
    ante_of_street = clock(CLOCK_S003, ante_counts_as_bet=True, protect_scope=ProtectScope.STREET)
    hand = Hand(S003, SMALL, STACKS).open(1).play("1 bring_in")
    hand.expire(ante_of_street)
    assert done(hand) == ["FREEZE"]
    later = after_third().play("1 bet 10")
    later.expire(ante_of_street)
    assert done(later) == ["FOLD"]


@pytest.mark.parametrize(
    ("option", "action", "turn"),
    [
        (TimeoutBringIn.POST, "BRING_IN", 3),
        (TimeoutBringIn.FOLD_PASS_ON, "FOLD", 1),
        (TimeoutBringIn.FOLD_PASS_LEFT, "FOLD", 3),
    ],
)
def test_the_clock_ends_at_the_bring_in(option: TimeoutBringIn, action: str, turn: int) -> None:
    hand = Hand(S003, SMALL, STACKS).open(2, 1, 3)
    hand.expire(clock(CLOCK_S003, timeout_bring_in=option))
    assert (done(hand), hand.turn) == ([action], turn)


def test_a_bring_in_posted_by_the_clock_protects_the_next_time() -> None:
    hand = Hand(S003, SMALL, STACKS).open(1)
    expired = hand.expire(CLOCK_S003)
    assert (done(hand), expired.sits_out) == (["BRING_IN"], False)
    hand.play("2 complete 10", "3 call")
    assert hand.expire(CLOCK_S003).protected
    assert hand.pots == [(12, (1, 2, 3)), (14, (2, 3))]


def test_the_tournament_clock_folds_the_bring_in_and_sits_out() -> None:
    hand = Hand(S000_LIMIT, SMALL, STACKS).open(2, 1, 3)
    assert hand.expire(CLOCK_S000).sits_out
    assert (done(hand), hand.turn) == (["FOLD"], 1)


def test_who_is_away_checks_and_folds_and_never_freezes() -> None:
    hand = after_third()
    expired = hand.expire(CLOCK_S003, ActionCause.ABSENT)
    assert (done(hand), expired.sits_out, expired.protected) == (["CHECK"], False, False)
    hand.play("2 bet 10")
    hand.expire(CLOCK_S003, ActionCause.ABSENT)
    assert done(hand) == ["FOLD"]
    assert hand.facts[0] == ActionTaken(
        seat=3, kind=ActionKind.FOLD, paid_chips=0, to_chips=0, all_in=False, cause=ActionCause.ABSENT
    )


@pytest.mark.parametrize(
    ("absent", "pays", "actions", "status"),
    [
        (AbsentBringIn.FOLD_PASS_ON, SitOutPays.ANTE, ["FOLD"], SeatStatus.FOLDED),
        (AbsentBringIn.POST_THEN_FOLD, SitOutPays.ANTE, ["BRING_IN", "FOLD"], SeatStatus.FOLDED),
        (AbsentBringIn.FOLD_PASS_ON, SitOutPays.ANTE_AND_BRING_IN, ["BRING_IN"], SeatStatus.ACTIVE),
    ],
)
def test_an_absent_player_has_the_low_card(
    absent: AbsentBringIn, pays: SitOutPays, actions: list[str], status: SeatStatus
) -> None:
    hand = Hand(S000_LIMIT, SMALL, STACKS).open(2, 1, 3)
    hand.expire(clock(CLOCK_S000, absent_bring_in=absent, sit_out_pays=pays), ActionCause.ABSENT)
    assert done(hand) == actions
    assert hand.outcome.state.seats[1].status is status


def test_a_bring_in_posted_for_a_killed_hand_is_dead_money() -> None:
    hand = Hand(S004, SMALL, STACKS).open(2)
    hand.expire(clock(CLOCK_S004, absent_bring_in=AbsentBringIn.POST_THEN_FOLD), ActionCause.ABSENT)
    assert hand.legal == "FOLD, CALL (pays 3), COMPLETE (to 10)"
    hand.play("3 call", "1 fold")
    hand.settle()
    assert hand.stacks == {1: 499, 2: 496, 3: 505}


@pytest.mark.parametrize("clock_rules", [CLOCK_S000, CLOCK_S003, CLOCK_S004])
def test_a_lost_connection_ends_in_sit_out(clock_rules: ClockRules) -> None:
    hand = after_third().play("1 bet 10")
    assert hand.expire(clock_rules, ActionCause.DISCONNECTED).sits_out


def test_a_player_does_not_act_by_the_clock() -> None:
    hand = after_third()
    with pytest.raises(DomainError) as refused:
        hand.expire(CLOCK_S003, ActionCause.PLAYER)
    assert refused.value.reason is Reason.REQUEST_INVALID


def test_a_clock_that_is_not_running_cannot_end() -> None:
    hand = after_third()
    with pytest.raises(DomainError) as other_seat:
        hand.expire(CLOCK_S003, seat=2)
    assert other_seat.value.reason is Reason.NOT_YOUR_TURN
    assert other_seat.value.metadata == {"seat": "2", "turn_seat": "1"}
    hand.play("1 check", "2 check", "3 check")
    with pytest.raises(DomainError) as between:
        hand.expire(CLOCK_S003, seat=1)
    assert between.value.reason is Reason.OUT_OF_STEP


def test_all_frozen_seats_but_one_leave_nothing_to_decide() -> None:
    hand = Hand.on(Street.FIFTH, S003, SMALL, {1: 100, 2: 100, 3: 100}, dead=5).open(1)
    hand.play("1 bet 20", "2 call", "3 call").open(1)
    hand.expire(CLOCK_S003)
    hand.expire(CLOCK_S003)
    assert (hand.turn, hand.next) == (0, "DEAL_STREET")
    assert hand.open(1).next == "SHOWDOWN"
