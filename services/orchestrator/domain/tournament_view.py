"""A tournament in play as everybody may see it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from services.orchestrator.domain import levels
from services.orchestrator.domain.tournament import Tournament, seat_of
from services.orchestrator.domain.tournament_facts import TournamentSeat
from shared.kernel.rules import Stakes


class PlayState(StrEnum):
    """Where a tournament in play stands."""

    PLAYING = "PLAYING"
    BREAK = "BREAK"
    PAUSED = "PAUSED"
    FINISHED = "FINISHED"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentView:
    """A tournament as it is being played."""

    tournament_id: str
    version: int
    state: PlayState
    level: int
    stakes: Stakes
    level_ends_at: datetime | None
    level_hands_left: int
    break_ends_at: datetime | None
    table_ids: tuple[str, ...]
    seats: tuple[TournamentSeat, ...]
    players_left: int
    winner_player_id: str
    round: int
    hand_for_hand_round: int


def view_of(state: Tournament) -> TournamentView:
    """The view of a state."""
    seats = sorted((seat_of(player) for player in state.players.values()), key=lambda each: (each.table_id, each.seat))
    return TournamentView(
        tournament_id=state.tournament_id,
        version=state.version,
        state=_play_state(state),
        level=state.level,
        stakes=state.terms.stakes,
        level_ends_at=levels.ends_at(state),
        level_hands_left=levels.hands_left(state),
        break_ends_at=state.break_ends_at,
        table_ids=() if state.ended else tuple(state.tables),
        seats=tuple(seats),
        players_left=len(seats),
        winner_player_id=state.winner_player_id,
        round=state.round,
        hand_for_hand_round=state.hand_for_hand_round,
    )


def _play_state(state: Tournament) -> PlayState:
    if state.ended:
        return PlayState.FINISHED
    if state.paused_at is not None:
        return PlayState.PAUSED
    return PlayState.PLAYING if state.break_ends_at is None else PlayState.BREAK
