"""When levels end, by time, by hands, by the first or the last of both."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from services.orchestrator.domain.levels import break_after, ends_at, hands_left, level_is_over
from services.orchestrator.domain.sheet import Wait, WaitReason
from services.orchestrator.domain.tournament import SeatedPlayer, TableInPlay, Tournament
from services.orchestrator.domain.tournament_facts import (
    HandPlayed,
    NumberedEvent,
    TournamentBreakBegan,
    TournamentEvent,
    TournamentPaused,
    TournamentResumed,
)
from services.orchestrator.domain.tournament_fold import after
from services.orchestrator.domain.tournament_step import BeginBreak, EndBreak, Hold, Sight, next_step
from shared.kernel.rules import Break, LevelTrigger
from shared.kernel.rules.presets import PRESETS

PRESET = PRESETS["classic"]
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TIME, HANDS = LevelTrigger.TIME, LevelTrigger.HANDS
FIRST, LAST = LevelTrigger.FIRST_OF_BOTH, LevelTrigger.LAST_OF_BOTH


def tournament(
    trigger: LevelTrigger = TIME, hands: tuple[int, ...] = (0,), seconds: int = 600, level: int = 1
) -> Tournament:
    """A level of 600 seconds and 8 hands, with these hands played at each table."""
    levels = tuple(replace(each, level_seconds=seconds, level_hands=8) for each in PRESET.tournament.levels)
    tables = {f"t{at}": TableInPlay(table_id=f"t{at}", hands_in_level=count) for at, count in enumerate(hands)}
    seated = [
        SeatedPlayer(player_id=f"{table_id}p{seat}", table_id=table_id, seat=seat)
        for table_id in tables
        for seat in (1, 2)
    ]
    return Tournament(
        tournament_id="t",
        version=2,
        name="t",
        seats_per_table=8,
        rules=replace(PRESET, tournament=replace(PRESET.tournament, levels=levels, level_trigger=trigger)),
        players={player.player_id: player for player in seated},
        tables=tables,
        level=level,
        level_began_at=BEGAN,
    )


@pytest.mark.parametrize(
    ("trigger", "hands", "seconds_gone", "over"),
    [
        (TIME, (20,), 599, False),
        (TIME, (0,), 600, True),
        (HANDS, (7,), 9999, False),
        (HANDS, (8,), 0, True),
        (HANDS, (9, 7), 0, False),
        (HANDS, (9, 8), 0, True),
        (FIRST, (8,), 0, True),
        (FIRST, (0,), 600, True),
        (FIRST, (7,), 599, False),
        (LAST, (8,), 599, False),
        (LAST, (7,), 600, False),
        (LAST, (8,), 600, True),
    ],
)
def test_a_level_is_over_when_its_trigger_says_so(
    trigger: LevelTrigger, hands: tuple[int, ...], seconds_gone: int, over: bool
) -> None:
    assert level_is_over(tournament(trigger, hands), BEGAN + timedelta(seconds=seconds_gone)) is over


def test_a_table_that_cannot_play_holds_no_level_up() -> None:
    state = tournament(HANDS, (8, 0))
    players = {key: player for key, player in state.players.items() if key != "t1p1"}
    assert level_is_over(replace(state, players=players), BEGAN)


def test_the_last_level_repeats_for_ever() -> None:
    state = tournament(TIME, level=len(PRESET.tournament.levels))
    assert not level_is_over(state, BEGAN + timedelta(days=1))
    assert ends_at(state) is None
    assert hands_left(state) == 0
    assert state.terms == state.rules.tournament.levels[-1]


def test_both_triggers_fall_back_on_the_one_that_has_a_length() -> None:
    assert level_is_over(tournament(LAST, (8,), seconds=0), BEGAN)
    assert level_is_over(tournament(FIRST, (8,), seconds=0), BEGAN)


def test_the_clock_of_a_level_stands_still_in_a_pause() -> None:
    paused = replace(tournament(TIME), paused_at=BEGAN + timedelta(seconds=100))
    assert not level_is_over(paused, BEGAN + timedelta(hours=5))
    assert ends_at(paused) is None


def test_a_break_follows_its_level_once() -> None:
    state = tournament()
    rules = replace(
        state.rules, tournament=replace(state.rules.tournament, breaks=(Break(after_level=1, length_seconds=60),))
    )
    state = replace(state, rules=rules)
    assert break_after(state) == Break(after_level=1, length_seconds=60)
    assert break_after(replace(state, last_break_level=1)) is None
    assert break_after(replace(state, level=2)) is None


def test_watchers_see_how_many_hands_the_slowest_table_still_plays() -> None:
    assert hands_left(tournament(HANDS, (7, 3))) == 5
    assert hands_left(tournament(TIME, (7, 3))) == 0


def test_a_table_whose_match_is_over_holds_no_level_up() -> None:
    state = tournament(HANDS, (3, 8))
    assert not level_is_over(state, BEGAN)
    over = replace(state.tables["t0"], match_over=True)
    assert level_is_over(replace(state, tables={**state.tables, "t0": over}), BEGAN)


def test_a_break_lasts_no_longer_than_its_length_because_a_clock_was_set_back() -> None:
    playing = tournament()
    breaks = (Break(after_level=1, length_seconds=60),)
    rules = replace(playing.rules, tournament=replace(playing.rules.tournament, breaks=breaks))
    state = recorded(replace(playing, rules=rules), TournamentBreakBegan(until=BEGAN + timedelta(seconds=60)), BEGAN)
    assert next_step(state, "t0", Sight(BEGAN)) == Hold(Wait(reason=WaitReason.BREAK, until=state.break_ends_at))
    now = BEGAN - timedelta(hours=1)
    assert next_step(state, "t0", Sight(now)) == BeginBreak(60)
    until = now + timedelta(seconds=60)
    state = recorded(state, TournamentBreakBegan(until=until), now)
    assert next_step(state, "t0", Sight(now)) == Hold(Wait(reason=WaitReason.BREAK, until=until))
    assert next_step(state, "t0", Sight(until)) == EndBreak()


def test_a_level_lasts_no_longer_than_its_length_from_the_first_hand_after_a_clock_was_set_back() -> None:
    now = BEGAN - timedelta(hours=1)
    state = recorded(tournament(), HandPlayed(table_id="t0", hand_number=1, players=()), now)
    assert not level_is_over(state, now + timedelta(seconds=599))
    assert level_is_over(state, now + timedelta(seconds=600))


def test_a_clock_that_is_set_back_in_a_pause_changes_nothing_of_what_is_left_of_a_level() -> None:
    state = recorded(tournament(), TournamentPaused(), BEGAN + timedelta(seconds=400))
    now = BEGAN - timedelta(hours=1)
    state = recorded(state, TournamentResumed(), now)
    assert not level_is_over(state, now + timedelta(seconds=199))
    assert level_is_over(state, now + timedelta(seconds=200))


def recorded(state: Tournament, event: TournamentEvent, at: datetime) -> Tournament:
    return after(state, NumberedEvent(tournament_id="t", version=state.version + 1, at=at, event=event))
