"""Following a table by its events alone."""

from services.console.domain import events
from services.console.domain.betting import ActionKind, LegalAction
from services.console.domain.table import TableState
from shared.kernel.cards import parse_cards
from shared.kernel.game import Street
from tests.support.console_table import HIDDEN, action, empty_table, play, seated, started, third_street, turn


def test_players_sit_in_the_order_of_their_seats() -> None:
    table = play(
        empty_table(),
        events.PlayerSeated(seat=5, player_id="eva", stack_chips=100),
        events.PlayerSeated(seat=2, player_id="bob", stack_chips=100),
    )
    assert [seat.player_id for seat in table.seats] == ["bob", "eva"]


def test_a_whole_hand_moves_chips_and_loses_none() -> None:
    table = seated(1000, 1000, 300)
    chips = table.chips_total
    hand: list[events.Fact] = [
        started(table),
        events.AntePosted(seat=1, chips=10, all_in=False, stack_chips=990),
        events.AntePosted(seat=2, chips=10, all_in=False, stack_chips=990),
        events.AntePosted(seat=3, chips=10, all_in=False, stack_chips=290),
        third_street("2c", "Ah", "Kd"),
        action(1, ActionKind.BRING_IN, 20, 20, 970),
        action(2, ActionKind.COMPLETE, 50, 50, 940),
        action(3, ActionKind.FOLD, 0, 0, 290),
        action(1, ActionKind.FOLD, 0, 20, 970),
        events.UncalledBetReturned(seat=2, chips=30, stack_chips=970),
    ]
    for fact in hand:
        table = play(table, fact)
        assert table.chips_total == chips
    assert table.pot_total_chips == 70
    table = play(table, events.PotAwarded(events.PotAward(0, 70, (events.PotShare(2, 70),))))
    assert [seat.stack_chips for seat in table.seats] == [970, 1040, 290]
    assert table.chips_total == chips


def test_an_all_in_winner_who_was_paid_is_no_longer_all_in() -> None:
    table = seated(1000, 300)
    table = play(table, started(table), action(2, ActionKind.CALL, 300, 300, 0))
    assert table.seats[1].all_in
    table = play(table, events.PotAwarded(events.PotAward(0, 300, (events.PotShare(2, 300),))))
    assert not table.seats[1].all_in


def test_who_lost_all_chips_stays_all_in_and_the_others_do_not() -> None:
    table = seated(1000, 300)
    table = play(
        table, started(table), action(1, ActionKind.RAISE, 1000, 1000, 0), action(2, ActionKind.CALL, 300, 300, 0)
    )
    results = (events.SeatResult(1, "a", 1000, 1300), events.SeatResult(2, "b", 300, 0))
    table = play(table, events.HandEnded(hand_number=1, results=results, rake_chips=0))
    assert [seat.all_in for seat in table.seats] == [False, True]


def test_a_new_street_clears_what_was_bet_and_adds_a_card() -> None:
    table = seated(1000, 1000)
    table = play(table, started(table), third_street("2c", "Ah"), action(1, ActionKind.BRING_IN, 20, 20, 980))
    assert table.seats[0].street_chips == 20
    fourth = events.StreetDealt(
        street=Street.FOURTH,
        seats=(
            events.SeatCards(1, up_cards=parse_cards("9s")),
            events.SeatCards(2, up_cards=parse_cards("9d")),
        ),
    )
    table = play(table, fourth)
    assert table.street is Street.FOURTH
    assert table.seats[0].street_chips == 0
    assert table.seats[0].up_cards == parse_cards("2c9s")
    assert table.seats[0].down_cards == HIDDEN


def test_a_shown_hand_turns_its_down_cards_up() -> None:
    table = seated(1000, 1000)
    table = play(table, started(table), third_street("2c", "Ah"))
    shown = events.HandShown(seat=2, cards=parse_cards("KsKd Ah9d3c4c Kh"), description_en="three kings")
    table = play(table, shown)
    assert table.seats[1].down_cards == parse_cards("KsKdKh")
    assert table.seats[1].up_cards == parse_cards("Ah9d3c4c")


def test_the_turn_is_over_when_the_seat_has_acted() -> None:
    table = seated(1000, 1000)
    table = play(table, started(table), third_street("2c", "Ah"))
    table = play(table, turn(table, 1, LegalAction(ActionKind.BRING_IN, pay_chips=20)))
    assert table.turn is not None
    assert table.turn.seat == 1
    assert play(table, action(1, ActionKind.BRING_IN, 20, 20, 980)).turn is None


def test_a_voided_hand_gives_everything_back() -> None:
    table = seated(1000, 500)
    started_table = play(table, started(table), events.AntePosted(seat=1, chips=10, all_in=False, stack_chips=990))
    back = tuple(
        events.SeatResult(seat.seat, seat.player_id, seat.stack_chips, seat.stack_chips) for seat in table.seats
    )
    void = play(started_table, events.HandVoided(hand_number=1, cause="deck lost", results=back))
    assert [seat.stack_chips for seat in void.seats] == [1000, 500]
    assert void.pot_total_chips == 0


def test_cards_and_folds_of_the_last_hand_are_gone_with_the_next() -> None:
    table = seated(1000, 1000)
    table = play(table, started(table), third_street("2c", "Ah"), action(1, ActionKind.FOLD, 0, 0, 1000))
    table = play(table, started(table))
    assert table.hand_number == 2
    assert all(seat.live and not seat.up_cards for seat in table.seats)


def test_a_player_who_is_out_leaves_the_table() -> None:
    table = play(seated(1000, 0), events.PlayerEliminated(seat=2, player_id="b", place=2, prize_minor=0))
    assert [seat.player_id for seat in table.seats] == ["a"]


def test_a_stalled_table_says_whom_it_waits_for_until_it_goes_on() -> None:
    stalled = play(seated(1, 1), events.TableStalled(waiting_for="betting"))
    assert (stalled.state, stalled.waiting_for) == (TableState.STALLED, "betting")
    going_on = play(stalled, events.TableResumed())
    assert (going_on.state, going_on.waiting_for) == (TableState.PLAYING, "")


def test_an_event_that_the_console_does_not_know_changes_only_the_version() -> None:
    before = seated(1000, 1000)
    later = play(before, events.Other("openings_published"))
    assert later.version == before.version + 1
    assert later.seats == before.seats
