"""When a level ends, and when it is time for a break (rules 151-154, 208)."""

from datetime import datetime, timedelta

from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import LevelBegan
from shared.kernel.rules import Break, LevelTrigger, TournamentRules

_TIMED = {LevelTrigger.TIME, LevelTrigger.FIRST_OF_BOTH, LevelTrigger.LAST_OF_BOTH}
_COUNTED = {LevelTrigger.HANDS, LevelTrigger.FIRST_OF_BOTH, LevelTrigger.LAST_OF_BOTH}
_PLAYERS_OF_A_HAND = 2


def level_is_over(state: Tournament, now: datetime) -> bool:
    """Must the next level begin before the next hand (rules 152-153)? The last one never ends (rule 208)."""
    if state.level >= len(state.rules.tournament.levels):
        return False
    ends = [end for end in (_time_is_up(state, now), _hands_are_played(state)) if end is not None]
    if state.rules.tournament.level_trigger is LevelTrigger.LAST_OF_BOTH:
        return bool(ends) and all(ends)
    return any(ends)


def ends_at(state: Tournament) -> datetime | None:
    """When time ends the level; None where it does not, or while the clock stands still."""
    length = _level_seconds(state)
    if length is None or state.level_began_at is None or state.paused_at is not None or state.ended:
        return None
    return None if state.break_ends_at is not None else state.level_began_at + timedelta(seconds=length)


def level_began(rules: TournamentRules, level: int, at: datetime) -> LevelBegan:
    """The event of a level that begins."""
    terms = rules.levels[level - 1]
    timed = rules.level_trigger in _TIMED and terms.level_seconds and level < len(rules.levels)
    ends = at + timedelta(seconds=terms.level_seconds) if timed else None
    return LevelBegan(level=level, stakes=terms.stakes, ends_at=ends)


def hands_left(state: Tournament) -> int:
    """Hands until hands end the level, at the slowest table (rule 153); 0 where they do not."""
    length = _level_hands(state)
    return 0 if length is None or state.ended else max(0, length - _slowest(state))


def break_after(state: Tournament) -> Break | None:
    """The break that follows the level and was not taken yet (rule 151)."""
    if state.last_break_level >= state.level:
        return None
    return next((each for each in state.rules.tournament.breaks if each.after_level == state.level), None)


def break_seconds(state: Tournament) -> int:
    """How long the break lasts that was taken last (rule 151)."""
    breaks = state.rules.tournament.breaks
    return next((each.length_seconds for each in breaks if each.after_level == state.last_break_level), 0)


def _time_is_up(state: Tournament, now: datetime) -> bool | None:
    length = _level_seconds(state)
    if length is None or state.level_began_at is None:
        return None
    return (state.paused_at or now) - state.level_began_at >= timedelta(seconds=length)


def _hands_are_played(state: Tournament) -> bool | None:
    length = _level_hands(state)
    return None if length is None else _slowest(state) >= length


def _level_seconds(state: Tournament) -> int | None:
    if state.rules.tournament.level_trigger not in _TIMED or state.level >= len(state.rules.tournament.levels):
        return None
    return state.terms.level_seconds or None


def _level_hands(state: Tournament) -> int | None:
    if state.rules.tournament.level_trigger not in _COUNTED or state.level >= len(state.rules.tournament.levels):
        return None
    return state.terms.level_hands or None


def _slowest(state: Tournament) -> int:
    """Hands of the level at the table that played fewest; a table that cannot play holds nobody up."""
    counts = state.counts()
    hands = [
        table.hands_in_level
        for table in state.tables.values()
        if counts[table.table_id] >= _PLAYERS_OF_A_HAND and not table.match_over
    ]
    return min(hands, default=0)
