"""Whether a hand may be under way on the sheet that is open at a table."""

from services.tournament_ledger.domain.tournament import Entrant, TablePlay, Tournament

PLAYERS_MIN = 2
"""A hand needs two players with chips."""


def can_be_dealt(table: TablePlay) -> bool:
    """Whether a hand can be under way on the open sheet."""
    return sum(line.chips > 0 for line in table.sheet) >= PLAYERS_MIN


def in_hand(tournament: Tournament, entrant: Entrant) -> bool:
    """Whether the player may be in a hand that is under way."""
    table = tournament.tables.get(entrant.table_id)
    if table is None or not can_be_dealt(table):
        return False
    return any(line.player_id == entrant.player_id and line.chips for line in table.sheet)
