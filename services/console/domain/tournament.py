"""A tournament in play as watchers see it: who sits where, who is out, who won; fields as in the contract."""

from dataclasses import dataclass
from enum import StrEnum


class PlayState(StrEnum):
    """Where a tournament in play stands."""

    PLAYING = "PLAYING"
    BREAK = "BREAK"
    PAUSED = "PAUSED"
    FINISHED = "FINISHED"


@dataclass(frozen=True, slots=True)
class TournamentSeat:
    """A seat of a tournament."""

    table_id: str
    seat: int
    player_id: str


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament as it is being played."""

    tournament_id: str
    version: int
    state: PlayState | None
    level: int
    table_ids: tuple[str, ...]
    seats: tuple[TournamentSeat, ...]
    players_left: int
    winner_player_id: str


@dataclass(frozen=True, slots=True)
class TournamentBegan:
    """Play began; seats were drawn by lot."""

    seats: tuple[TournamentSeat, ...]


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """The next round began at new tables."""

    round: int
    seats: tuple[TournamentSeat, ...]


@dataclass(frozen=True, slots=True)
class TournamentBreakBegan:
    """A break began for all tables."""


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """A player was moved."""

    player_id: str
    from_table_id: str
    to: TournamentSeat


@dataclass(frozen=True, slots=True)
class PlayerOut:
    """A player has a place."""

    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True)
class TournamentEnded:
    """Over."""

    winner_player_id: str


@dataclass(frozen=True, slots=True)
class OtherNews:
    """An event that the console does not follow."""

    name: str


News = TournamentBegan | RoundBegan | TournamentBreakBegan | SeatChanged | PlayerOut | TournamentEnded | OtherNews


@dataclass(frozen=True, slots=True)
class TournamentEvent:
    """One numbered event of a tournament."""

    version: int
    news: News
