"""Facts of matches, rounds and hand for hand (rules 155-158, 185, 186, 205), and of who directs them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """Where a player sits."""

    player_id: str
    table_id: str
    seat: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over: who reaches the next round is known, but for lots among equal players."""

    table_id: str
    qualified_player_ids: tuple[str, ...]
    lots_player_ids: tuple[str, ...]
    lots_count: int


@dataclass(frozen=True, slots=True)
class QualifiersDrawn:
    """Lots decided who of equal players reaches the next round."""

    table_id: str
    qualified_player_ids: tuple[str, ...]
    draw_id: str


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The next round began at new tables."""

    round: int
    seats: tuple[SeatAssignment, ...]
    draw_id: str
    stack_chips: int
    """What everybody begins it with; 0 = the chips that were carried on."""
    level: int


@dataclass(frozen=True, slots=True)
class HandForHandRoundEnded:
    """All tables have played the hand of a round: its exclusions count as those of one hand."""

    round: int


@dataclass(frozen=True, slots=True)
class DirectorChanged:
    """Another process of the orchestrator directs the tournament from here on."""

    director_id: str
