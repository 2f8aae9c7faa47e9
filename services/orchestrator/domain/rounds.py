"""Rounds of matches: what a table needs whose match is over (rules 155-158, 205)."""

from dataclasses import dataclass

from services.orchestrator.domain.tournament import Tournament


@dataclass(frozen=True, slots=True)
class DrawQualifiers:
    """Players of a match are tied for the last places in the next round: lots decide."""

    table_id: str
    player_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BeginRound:
    """All matches are over: who is left meets again at new tables."""

    round: int


def after_match(state: Tournament, table_id: str) -> DrawQualifiers | BeginRound | None:
    """What a table whose match is over brings about; None: the other matches go on."""
    table = state.tables[table_id]
    if table.lots_player_ids:
        return DrawQualifiers(table_id, table.lots_player_ids)
    if all(each.match_over and not each.lots_player_ids for each in state.tables.values()):
        return BeginRound(state.round + 1)
    return None
