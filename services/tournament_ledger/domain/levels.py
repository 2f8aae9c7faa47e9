"""Levels and moves, as the director tells them (rules 152-154, 189-192)."""

from services.tournament_ledger.domain.amounts import invalid
from services.tournament_ledger.domain.closing import settle
from services.tournament_ledger.domain.facts import LevelStarted, PlayerMoved
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.purchases import release_at_deadline
from services.tournament_ledger.domain.refusals import not_registered, seat_taken
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import EntrantState, TournamentState
from shared.kernel.errors import out_of_step


def record_level(steps: Steps, level: int) -> None:
    """Begin the next level; second halves whose deadline it is come into play, closed purchases fix the prizes."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    last = len(tournament.rules.tournament.levels)
    if level != tournament.level + 1 or level > last:
        expected = f"level {tournament.level + 1}" if tournament.level < last else f"level {last} for ever"
        raise out_of_step(f"level {level}", expected)
    steps.add(EntryKind.LEVEL_STARTED, (LevelStarted(level),))
    release_at_deadline(steps)
    settle(steps)


def record_move(steps: Steps, player_id: str, table_id: str, seat: int, draw_id: str) -> None:
    """Give a player another seat; chips, reserve and purchases go along (rule 191)."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    entrant = tournament.entrant(player_id)
    if entrant.state not in {EntrantState.PLAYING, EntrantState.DECIDING}:
        raise not_registered(player_id)
    most = tournament.announcement.seats_per_table
    if seat > most:
        raise invalid("to.seat", f"1 to {most}, the seats of a table of this tournament")
    others = (each for each in tournament.at_table(table_id) if each.player_id != player_id)
    if any(each.seat == seat for each in others):
        raise seat_taken(seat)
    steps.add(EntryKind.PLAYER_MOVED, (PlayerMoved(player_id, table_id, seat, draw_id),))
