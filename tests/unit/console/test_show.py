"""What there is to see of a table, as lines and as a picture."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from services.console.adapters.rich_screen import picture
from services.console.adapters.screen import PlainScreen
from services.console.domain import events
from services.console.domain.betting import ActionCause, ActionKind, LegalAction
from services.console.domain.narration import stakes_text, told
from services.console.domain.outline import outline
from services.console.domain.show import LINES_KEPT, Show, seen
from services.console.domain.table import Presence, TableView
from shared.kernel.cards import parse_cards
from tests.support.console_table import STAKES, action, play, seated, started, third_street, turn


def _event(version: int, fact: events.Fact) -> events.TableEvent:
    return events.TableEvent(version=version, hand_id="h1", fact=fact)


def _show(*facts: events.Fact) -> Show:
    show = seen(Show(), seated(1000, 1000))
    for number, fact in enumerate(facts, start=2):
        show = seen(show, _event(number, fact))
    return show


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (action(1, ActionKind.FOLD, 0, 0, 1000), "a folds"),
        (action(1, ActionKind.BRING_IN, 20, 20, 980), "a brings in for 20"),
        (action(2, ActionKind.COMPLETE, 50, 50, 950), "b completes to 50"),
        (action(2, ActionKind.RAISE, 1000, 1000, 0), "b raises to 1,000, all-in"),
        (action(2, ActionKind.CHECK, 0, 0, 0), "b checks"),
        (events.ActionTaken(1, 1, ActionKind.FOLD, 0, 0, False, 5, ActionCause.CLOCK), "a folds (time is up)"),
        (events.UncalledBetReturned(1, 30, 970), "a takes back 30 that nobody called"),
        (events.HandShown(1, parse_cards("AsKs"), "ace high"), "a shows AsKs: ace high"),
        (events.HandMucked(2), "b mucks"),
        (events.PotAwarded(events.PotAward(0, 90, (events.PotShare(1, 90),))), "the pot of 90 goes to a 90"),
        (
            events.PotAwarded(events.PotAward(1, 91, (events.PotShare(1, 46), events.PotShare(2, 45)))),
            "side pot 1 of 91 goes to a 46 and b 45",
        ),
        (events.PlayerEliminated(2, "b", 2, 0), "b is out in place 2"),
        (events.StakesChanged(STAKES, 3), "level 3: ante 10, bring-in 20, 50/100"),
        (events.TableStalled("betting"), "the table waits for betting"),
        (events.HandVoided(7, "deck lost", ()), "hand 7 is void: deck lost"),
        (third_street("2c", "Ah"), "third street  a 2c  b Ah"),
        (events.Other("openings_published"), ""),
    ],
)
def test_events_are_told_in_words(fact: events.Fact, line: str) -> None:
    assert told(_event(2, fact), seated(1000, 1000)) == line


def test_hands_and_actions_are_counted() -> None:
    ended = events.HandEnded(hand_number=1, results=(), rake_chips=0)
    show = _show(action(1, ActionKind.BRING_IN, 20, 20, 980), action(2, ActionKind.FOLD, 0, 0, 1000), ended)
    assert (show.hands_count, show.actions_count) == (1, 2)


def test_only_the_last_lines_are_kept() -> None:
    show = _show(*[events.HandMucked(1)] * (LINES_KEPT + 5))
    assert len(show.lines) == LINES_KEPT


def test_without_a_terminal_only_the_outline_of_a_hand_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    screen = PlainScreen(every_line=False)
    screen.take(seated(1000, 1000))
    screen.take(_event(2, action(1, ActionKind.BRING_IN, 20, 20, 980)))
    screen.take(_event(3, events.PotAwarded(events.PotAward(0, 40, (events.PotShare(2, 40),)))))
    assert capsys.readouterr().out == "the pot of 40 goes to b 40\n"


def test_every_event_is_printed_where_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    screen = PlainScreen(every_line=True)
    screen.take(seated(1000, 1000))
    screen.take(_event(2, action(1, ActionKind.BRING_IN, 20, 20, 980)))
    assert capsys.readouterr().out == (
        "one (t1): level 1: ante 10, bring-in 20, 50/100\n"
        "  seat 1  a            1,000\n"
        "  seat 2  b            1,000\n"
        "  no hand yet\n"
        "a brings in for 20\n"
    )


def _last_line(table: TableView) -> str:
    return outline(table)[-1].strip()


def test_who_comes_late_is_told_street_pot_and_whose_turn_it_is() -> None:
    table = seated(1000, 990)
    table = play(table, started(table), third_street("2c", "Ah"), action(1, ActionKind.BRING_IN, 20, 20, 980))
    table = play(table, turn(table, 2, LegalAction(ActionKind.FOLD)))
    assert outline(table)[1:] == (
        "  seat 1  a              980  2c",
        "  seat 2  b              990  Ah",
        "  hand 1, third street, pot 20, b is to act",
    )


def test_the_outline_says_who_is_away_and_who_folded() -> None:
    table = seated(1000, 990)
    table = play(table, started(table), third_street("2c", "Ah"), action(1, ActionKind.FOLD, 0, 0, 1000))
    table = play(table, events.PresenceChanged(2, Presence.TIMED_OUT))
    assert outline(table)[1].endswith("1,000  folded")
    assert outline(table)[2].endswith("990  Ah  timed out")


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        (events.TableClosed(), "the table is closed"),
        (events.TablePaused("tea"), "no hand yet; the table is paused"),
        (events.TableStalled("dealer"), "no hand yet; the table waits for dealer"),
    ],
)
def test_the_outline_says_why_nothing_moves(fact: events.Fact, says: str) -> None:
    assert _last_line(play(seated(1000, 1000), fact)) == says


def test_a_cash_table_has_no_level() -> None:
    table = replace(seated(1000, 1000), level=0)
    assert outline(table)[0] == "one (t1): ante 10, bring-in 20, 50/100"
    assert told(_event(2, replace(started(table), level=0)), table) == (
        "hand 1: 2 players, ante 10, bring-in 20, 50/100"
    )
    drawn = _drawn(seen(Show(), table))
    assert "level" not in drawn
    assert "hand 0" not in drawn


def test_a_hand_that_was_shown_belongs_to_the_outline_of_a_hand(capsys: pytest.CaptureFixture[str]) -> None:
    screen = PlainScreen(every_line=False)
    screen.take(seated(1000, 1000))
    screen.take(_event(2, events.HandShown(1, parse_cards("AsKs"), "ace high")))
    assert capsys.readouterr().out == "a shows AsKs: ace high\n"


def _drawn(show: Show) -> str:
    out = io.StringIO()
    Console(file=out, width=120, force_terminal=False).print(picture(show, "Robots' evening"))
    return out.getvalue()


def test_the_picture_shows_seats_pot_turn_and_face_down_cards() -> None:
    table = seated(1000, 990)
    table = play(table, started(table), third_street("2c", "Ah"), action(1, ActionKind.BRING_IN, 20, 20, 980))
    table = play(table, turn(table, 2, LegalAction(ActionKind.FOLD)))
    drawn = _drawn(seen(Show(), table))
    for part in ("Robots' evening", "hand 1", "third street", "pot 20", "980", "▒▒ ▒▒", "2c", "Ah", "to act"):
        assert part in drawn


def test_the_picture_waits_for_a_table() -> None:
    assert "waiting for the first hand" in _drawn(Show())


def test_no_amounts_are_no_words() -> None:
    assert stakes_text(None) == ""


@pytest.mark.parametrize("name", ["\x1b[2J Friday", "Fri\nday", "Fri\u202eday", "[/red] Friday [bold]"])
def test_a_name_that_steers_a_terminal_is_shown_harmless(name: str) -> None:
    table = replace(seated(1000, 1000), name=name)
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(picture(seen(Show(), table), "sevenstud"))
    shown = name.replace("\x1b", "\ufffd").replace("\n", "\ufffd").replace("\u202e", "\ufffd")
    assert shown in console.export_text()
    assert shown in outline(table)[0]
