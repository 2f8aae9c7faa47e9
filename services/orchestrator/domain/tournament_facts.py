"""What happens in a tournament in play, in the past tense: the director's log holds nothing else."""

from dataclasses import dataclass
from datetime import datetime

from services.orchestrator.domain.sheet import PlayerCarry
from shared.kernel.rules import RuleSet, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSeat:
    """A seat of a tournament."""

    table_id: str
    seat: int
    player_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentBegan:
    """Play began; seats were drawn by lot (rule 187)."""

    seats: tuple[TournamentSeat, ...]
    draw_id: str
    name: str
    seats_per_table: int
    rules: RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelBegan:
    """A level began (rule 152)."""

    level: int
    stakes: Stakes
    ends_at: datetime | None
    """None where time does not end it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentBreakBegan:
    """A break began for all tables (rule 151)."""

    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentBreakEnded:
    """The break is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPaused:
    """The operator paused the tournament."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentResumed:
    """The tournament goes on after a pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatChanged:
    """A player was moved (rules 188-192)."""

    player_id: str
    from_table_id: str
    to: TournamentSeat
    draw_id: str
    """Empty where no lots were needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBroken:
    """A table was broken: its players sit elsewhere (rule 188)."""

    table_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerOut:
    """A player has a final place (rule 183)."""

    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPlayed:
    """A hand of a table was booked; it counts for the level (rule 153)."""

    table_id: str
    hand_number: int
    players: tuple[PlayerCarry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentEnded:
    """The tournament is over."""

    winner_player_id: str
    """Empty for a cancelled tournament."""
    cancelled: bool


TournamentEvent = (
    TournamentBegan
    | LevelBegan
    | TournamentBreakBegan
    | TournamentBreakEnded
    | TournamentPaused
    | TournamentResumed
    | SeatChanged
    | TableBroken
    | PlayerOut
    | HandPlayed
    | TournamentEnded
)
EVENT_KINDS: tuple[type[TournamentEvent], ...] = (
    TournamentBegan,
    LevelBegan,
    TournamentBreakBegan,
    TournamentBreakEnded,
    TournamentPaused,
    TournamentResumed,
    SeatChanged,
    TableBroken,
    PlayerOut,
    HandPlayed,
    TournamentEnded,
)
"""All kinds; the name of each is the name of its message in the log and in the contract."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedEvent:
    """An event with its number, from 1 without a gap, and its time."""

    tournament_id: str
    version: int
    at: datetime
    event: TournamentEvent
