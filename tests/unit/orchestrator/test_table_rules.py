"""What the table itself decides: who is dealt in, from where, clocks to the moment, coming back, who may see what."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from services.orchestrator.domain import decisions
from services.orchestrator.domain.asking import check_may_see
from services.orchestrator.domain.clocks import bank_used_seconds
from services.orchestrator.domain.dealing import CardSource
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.fold import apply
from services.orchestrator.domain.hand import Hand, HandSeat, OpenTurn
from services.orchestrator.domain.hand_facts import ActionTaken, HandStarted, SeatDealtIn, StreetDealt
from services.orchestrator.domain.next_step import (
    ActForAbsent,
    Await,
    CashOutSeat,
    DealStreet,
    ExpireTurn,
    ExposeHands,
    SettleHand,
    StartTimeBank,
    next_step,
)
from services.orchestrator.domain.sheets import dealing_order
from services.orchestrator.domain.table import Table, TableSeat
from services.orchestrator.domain.table_facts import Presence, PresenceChanged
from services.orchestrator.domain.wagering import ActionCause, ActionKind, LegalActions
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode, Street
from shared.kernel.rules import (
    AllInExposure,
    AnteToggle,
    AskToSee,
    DealerPosition,
    ReturnWhen,
    RuleSet,
    SitOutPays,
    Stakes,
    TimeBankActivation,
    TimeBankRefill,
)
from shared.kernel.rules.presets import PRESETS

NOW = datetime(2026, 1, 1, 20, tzinfo=UTC)
SECOND = timedelta(seconds=1)
STAKES = Stakes(ante_chips=1, bring_in_chips=3, lower_limit_chips=10, upper_limit_chips=20)
ROOM, TOURNAMENT = PRESETS["card_room"], PRESETS["regulated_tournament"]


def with_hand(rules: RuleSet, **changes: Any) -> RuleSet:
    return replace(rules, hand=replace(rules.hand, **changes))


def with_clock(rules: RuleSet, **changes: Any) -> RuleSet:
    return replace(rules, clock=replace(rules.clock, **changes))


def seat(number: int, presence: Presence = Presence.PLAYING, **changes: Any) -> TableSeat:
    whole = TableSeat(
        seat=number,
        player_id=f"player-{number}",
        stack_chips=1000,
        presence=presence,
        absent_since=NOW if presence in {Presence.SITTING_OUT, Presence.TIMED_OUT} else None,
        auto_ante=True,
        time_bank_seconds=60,
        protections_used=0,
        seated_version=1,
    )
    return replace(whole, **changes)


def table(*seats: TableSeat, rules: RuleSet = ROOM, mode: Mode = Mode.CASH, hand: Hand | None = None) -> Table:
    return Table(
        table_id="table",
        version=1,
        name="",
        mode=mode,
        tournament_id="",
        stakes=STAKES,
        rules=rules,
        level=0,
        decision_seconds=0,
        hands_max=0,
        scripted=False,
        scripted_hands=(),
        seats=seats,
        hand=hand,
    )


def in_play(*seats: HandSeat, rules: RuleSet = ROOM, **changes: Any) -> Hand:
    hand = Hand(
        hand_id="hand",
        hand_number=1,
        first_version=2,
        seats=seats,
        stakes=STAKES,
        rules=rules.hand,
        level=0,
        scripted=False,
        street=Street.FOURTH,
    )
    return replace(hand, **changes)


def dealt_in(number: int, **changes: Any) -> HandSeat:
    whole = HandSeat(seat=number, player_id=f"player-{number}", start_chips=1000, stack_chips=990, hand_chips=10)
    return replace(whole, **changes)


def turn_of(number: int, bank_seconds: int = 0) -> OpenTurn:
    return OpenTurn(
        turn_id=1,
        seat=number,
        player_id=f"player-{number}",
        deadline=NOW,
        legal=LegalActions(seat=number, actions=()),
        bank_seconds=bank_seconds,
    )


@pytest.mark.parametrize(
    ("position", "hand_number", "order"),
    [
        (DealerPosition.FIXED, 1, [1, 4, 7]),
        (DealerPosition.FIXED, 5, [1, 4, 7]),
        (DealerPosition.ROTATE, 1, [1, 4, 7]),
        (DealerPosition.ROTATE, 2, [4, 7, 1]),
        (DealerPosition.ROTATE, 5, [7, 1, 4]),
        (DealerPosition.ROTATE, 8, [1, 4, 7]),
        (DealerPosition.ROTATE, 9, [1, 4, 7]),
    ],
)
def test_the_dealer_sits_before_seat_one_or_moves_one_seat_a_hand(
    position: DealerPosition, hand_number: int, order: list[int]
) -> None:
    seats = (seat(1), seat(4), seat(7))
    rules = with_hand(ROOM, dealer_position=position)
    assert [each.seat for each in dealing_order(table(*seats, rules=rules), hand_number)] == order


def test_at_a_cash_table_who_is_away_or_does_not_pay_the_ante_is_not_dealt_in() -> None:
    seats = (seat(1), seat(2, Presence.SITTING_OUT), seat(3, auto_ante=False), seat(4, stack_chips=0), seat(5))
    assert [each.seat for each in table(*seats).ready_seats] == [1, 5]


@pytest.mark.parametrize(
    ("pays", "dealt"),
    [(SitOutPays.ANTE, [1, 2, 3]), (SitOutPays.ANTE_AND_BRING_IN, [1, 2, 3]), (SitOutPays.NOTHING, [1, 3])],
)
def test_in_a_tournament_who_is_away_is_dealt_in_unless_the_rules_say_no(pays: SitOutPays, dealt: list[int]) -> None:
    seats = (seat(1), seat(2, Presence.TIMED_OUT), seat(3, auto_ante=False))
    rules = with_clock(TOURNAMENT, sit_out_pays=pays)
    assert [each.seat for each in table(*seats, rules=rules, mode=Mode.TOURNAMENT).ready_seats] == dealt


def test_a_player_switches_the_automatic_ante_where_the_rules_let_him() -> None:
    assert decisions.set_auto_ante(table(seat(1)), "player-1", auto_ante=True) == ()
    (changed,) = decisions.set_auto_ante(table(seat(1)), "player-1", auto_ante=False)
    after = apply(table(seat(1)), Recorded(table_id="table", version=2, hand_id="", at=NOW, fact=changed))
    assert not after.ready_seats
    for refusing in (
        table(seat(1), rules=replace(ROOM, cash=replace(ROOM.cash, ante_toggle=AnteToggle.OFF))),
        table(seat(1), rules=ROOM, mode=Mode.TOURNAMENT),
    ):
        with pytest.raises(DomainError) as refused:
            decisions.set_auto_ante(refusing, "player-1", auto_ante=False)
        assert refused.value.reason is Reason.RULES_INVALID


def test_the_moment_of_the_deadline_belongs_to_the_player() -> None:
    hand = in_play(dealt_in(1), dealt_in(2), turn=turn_of(1))
    rules = with_clock(ROOM, time_bank_seconds=0)
    waiting = table(seat(1, time_bank_seconds=0), seat(2), rules=rules, hand=hand)
    assert isinstance(next_step(waiting, NOW), Await)
    assert next_step(waiting, NOW + SECOND) == ExpireTurn(turn_of(1))


@pytest.mark.parametrize(
    ("activation", "left", "running", "expected"),
    [
        (TimeBankActivation.AUTO, 60, 0, StartTimeBank),
        (TimeBankActivation.AUTO, 0, 0, ExpireTurn),
        (TimeBankActivation.AUTO, 60, 60, ExpireTurn),
        (TimeBankActivation.MANUAL, 60, 0, ExpireTurn),
    ],
)
def test_the_bank_begins_where_the_decision_time_ends(
    activation: TimeBankActivation, left: int, running: int, expected: type
) -> None:
    hand = in_play(dealt_in(1), dealt_in(2), turn=turn_of(1, running))
    rules = with_clock(TOURNAMENT, time_bank_activation=activation)
    asked = table(seat(1, time_bank_seconds=left), seat(2), rules=rules, mode=Mode.TOURNAMENT, hand=hand)
    assert isinstance(next_step(asked, NOW + SECOND), expected)


def test_o_44_one_reserve_is_used_in_portions_over_the_whole_event() -> None:
    """Fifteen seconds a decision and a bank of 30: 27 seconds leave 18, 25 seconds leave 8, and 23 are the end."""
    bank = 30
    for seconds, left in ((12, 30), (27, 18), (25, 8), (23, 0)):
        asked_at = NOW
        running = seconds > 15
        deadline = asked_at + (15 + (bank if running else 0)) * SECOND
        turn = replace(turn_of(1), deadline=deadline, bank_seconds=bank if running else 0)
        bank -= bank_used_seconds(turn, asked_at + seconds * SECOND)
        assert bank == left


@pytest.mark.parametrize(
    ("refill", "hand_number", "seconds"),
    [
        (TimeBankRefill.NONE, 11, 5),
        (TimeBankRefill.HANDS, 1, 5),
        (TimeBankRefill.HANDS, 10, 5),
        (TimeBankRefill.HANDS, 11, 30),
        (TimeBankRefill.HANDS, 12, 5),
    ],
)
def test_the_bank_is_full_again_after_so_many_hands(refill: TimeBankRefill, hand_number: int, seconds: int) -> None:
    rules = with_clock(TOURNAMENT, time_bank_seconds=30, time_bank_refill=refill, time_bank_refill_hands=10)
    before = table(seat(1, time_bank_seconds=5), seat(2), rules=rules, mode=Mode.TOURNAMENT)
    started = HandStarted(
        hand_number=hand_number,
        seats=tuple(SeatDealtIn(seat=n, player_id=f"player-{n}", stack_chips=9, absent=False) for n in (1, 2)),
        stakes=STAKES,
        rules=rules.hand,
        level=0,
        seed_commitment=b"",
        deck_root=b"",
        shuffle_version="",
        scripted=False,
    )
    after = apply(before, Recorded(table_id="table", version=2, hand_id="hand", at=NOW, fact=started))
    assert after.seats[0].time_bank_seconds == seconds


def test_who_is_away_in_the_hand_is_acted_for_before_the_clock_ends() -> None:
    hand = in_play(dealt_in(1, absent=True), dealt_in(2), turn=turn_of(1))
    assert next_step(table(seat(1), seat(2), hand=hand), NOW - SECOND) == ActForAbsent(turn_of(1))


@pytest.mark.parametrize(
    ("presence", "changes", "at_once"),
    [
        (Presence.TIMED_OUT, {"return_timeout": ReturnWhen.AT_ONCE}, True),
        (Presence.TIMED_OUT, {"return_timeout": ReturnWhen.NEXT_HAND}, False),
        (Presence.SITTING_OUT, {"return_voluntary": ReturnWhen.NEXT_HAND}, False),
        (Presence.SITTING_OUT, {"return_voluntary": ReturnWhen.AT_ONCE}, True),
    ],
)
def test_who_comes_back_plays_again_at_once_or_with_the_next_hand(
    presence: Presence, changes: dict[str, ReturnWhen], *, at_once: bool
) -> None:
    hand = in_play(dealt_in(1, absent=True), dealt_in(2), turn=turn_of(1))
    away = table(seat(1, presence), seat(2), rules=with_clock(TOURNAMENT, **changes), mode=Mode.TOURNAMENT, hand=hand)
    (back,) = decisions.come_back(away, "player-1")
    assert isinstance(back, PresenceChanged)
    assert back.at_once is at_once
    after = apply(away, Recorded(table_id="table", version=2, hand_id="hand", at=NOW, fact=back))
    assert after.hand is not None
    assert after.hand.seat(1).absent is not at_once
    assert after.seats[0].presence is Presence.PLAYING


def test_sitting_out_by_choice_holds_from_the_next_hand_on() -> None:
    hand = in_play(dealt_in(1), dealt_in(2), turn=turn_of(1))
    (left,) = decisions.sit_out(table(seat(1), seat(2), hand=hand), "player-1")
    after = apply(
        table(seat(1), seat(2), hand=hand), Recorded(table_id="table", version=2, hand_id="hand", at=NOW, fact=left)
    )
    assert after.hand is not None
    assert not after.hand.seat(1).absent
    assert [each.seat for each in after.ready_seats] == [2]
    assert decisions.sit_out(after, "player-1") == ()


@pytest.mark.parametrize(
    ("exposure", "seats", "expected"),
    [
        (AllInExposure.IMMEDIATE, (dealt_in(1, all_in=True), dealt_in(2)), ExposeHands()),
        (AllInExposure.SHOWDOWN_ORDER, (dealt_in(1, all_in=True), dealt_in(2)), DealStreet(Street.FIFTH)),
        (AllInExposure.IMMEDIATE, (dealt_in(1, all_in=True), dealt_in(2), dealt_in(3)), DealStreet(Street.FIFTH)),
        (AllInExposure.IMMEDIATE, (dealt_in(1, frozen=True), dealt_in(2)), DealStreet(Street.FIFTH)),
        (AllInExposure.IMMEDIATE, (dealt_in(1, folded=True), dealt_in(2)), SettleHand()),
    ],
)
def test_all_in_hands_lie_open_once_betting_is_dead(
    exposure: AllInExposure, seats: tuple[HandSeat, ...], expected: object
) -> None:
    rules = with_hand(TOURNAMENT, all_in_exposure=exposure)
    hand = in_play(*seats, rules=rules)
    whole = table(*(seat(each.seat) for each in seats), rules=rules, mode=Mode.TOURNAMENT, hand=hand)
    assert next_step(whole, NOW) == expected


def test_a_cash_seat_is_lost_after_sitting_out_too_long_and_never_in_a_tournament() -> None:
    rules = with_clock(ROOM, seat_lost_seconds=60)
    seats = (seat(1), seat(2), seat(3, Presence.SITTING_OUT))
    lost = next_step(table(*seats, rules=rules), NOW + 61 * SECOND)
    assert isinstance(lost, CashOutSeat)
    assert lost.seat.seat == 3
    kept = (
        next_step(table(*seats, rules=rules), NOW + 60 * SECOND),
        next_step(table(*seats, rules=with_clock(ROOM, seat_lost_seconds=0)), NOW + 61 * SECOND),
        next_step(table(*seats, rules=rules, mode=Mode.TOURNAMENT), NOW + 61 * SECOND),
    )
    assert not any(isinstance(each, CashOutSeat) for each in kept)


RIVER = StreetDealt(street=Street.SEVENTH, seats=(), common_card=None, burned_count=0, source=CardSource.STUB)


def called(number: int) -> ActionTaken:
    return ActionTaken(
        turn_id=1,
        seat=number,
        kind=ActionKind.CALL,
        paid_chips=20,
        to_chips=20,
        all_in=False,
        cause=ActionCause.PLAYER,
        stack_chips=900,
        time_bank_used_seconds=0,
    )


@pytest.mark.parametrize(
    ("rule", "facts", "asker", "seen"),
    [
        (AskToSee.NONE, (RIVER, called(2)), "player-2", False),
        (AskToSee.HISTORY, (), "player-2", True),
        (AskToSee.HISTORY, (), "player-4", True),  # folded, but dealt in
        (AskToSee.HISTORY, (), "stranger", False),
        (AskToSee.CALLER_VS_AGGRESSOR, (RIVER, called(2)), "player-2", True),
        (AskToSee.CALLER_VS_AGGRESSOR, (called(2), RIVER), "player-2", False),  # called before the river
        (AskToSee.CALLER_VS_AGGRESSOR, (RIVER, called(4)), "player-4", False),  # did not stay
        (AskToSee.CALLER_VS_AGGRESSOR, (RIVER,), "player-3", False),
    ],
)
def test_who_may_ask_to_see_a_mucked_hand(rule: AskToSee, facts: tuple[object, ...], asker: str, *, seen: bool) -> None:
    seats = (dealt_in(1, mucked=True), dealt_in(2), dealt_in(3), dealt_in(4, folded=True))
    hand = in_play(*seats, rules=with_hand(ROOM, ask_to_see=rule), last_aggressor_seat=1)
    if seen:
        check_may_see(hand, facts, asker, 1)
        return
    with pytest.raises(DomainError) as refused:
        check_may_see(hand, facts, asker, 1)
    assert refused.value.reason is Reason.NOT_PERMITTED


def test_a_hand_that_was_folded_or_shown_is_no_mucked_hand_to_ask_for() -> None:
    hand = in_play(dealt_in(1, folded=True), dealt_in(2), rules=with_hand(ROOM, ask_to_see=AskToSee.HISTORY))
    for number in (1, 2, 5):
        with pytest.raises(DomainError) as refused:
            check_may_see(hand, (), "player-2", number)
        assert refused.value.reason is Reason.NOT_FOUND
