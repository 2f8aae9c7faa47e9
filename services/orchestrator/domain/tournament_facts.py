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
    absent_player_ids: tuple[str, ...] = ()
    """Entrants who were not connected (rule 148)."""


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
class PlaceChanged:
    """A place given before is another one now: somebody entered late, or again (rules 200, 201)."""

    player_id: str
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LateRegistrationClosed:
    """Nobody can enter any more: few places remain before the prizes (rule 200)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPlayed:
    """A hand of a table was booked; it counts for the level (rule 153)."""

    table_id: str
    hand_number: int
    players: tuple[PlayerCarry, ...]
    hand_for_hand_round: int = 0
    """Round of hand for hand that it was booked in; 0 = none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """A match is over: who reaches the next round is known, but for lots among equal players (rule 156)."""

    table_id: str
    qualified_player_ids: tuple[str, ...]
    lots_player_ids: tuple[str, ...]
    lots_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifiersDrawn:
    """Lots decided who of equal players reaches the next round."""

    table_id: str
    qualified_player_ids: tuple[str, ...]
    draw_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBegan:
    """The next round began at new tables (rule 205)."""

    round: int
    seats: tuple[TournamentSeat, ...]
    draw_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandForHandRoundBegan:
    """All tables play one hand and wait for each other (rules 185, 186)."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandForHandRoundEnded:
    """All tables have played the hand of the round; its exclusions are ranked."""

    round: int


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
    | MatchEnded
    | QualifiersDrawn
    | RoundBegan
    | HandForHandRoundBegan
    | HandForHandRoundEnded
    | PlaceChanged
    | LateRegistrationClosed
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
    MatchEnded,
    QualifiersDrawn,
    RoundBegan,
    HandForHandRoundBegan,
    HandForHandRoundEnded,
    PlaceChanged,
    LateRegistrationClosed,
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
