"""A tournament in play: what its log amounts to. The fold knows no decisions, the decisions change nothing."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

from services.orchestrator.domain.booking import Placement
from services.orchestrator.domain.table_facts import Presence
from services.orchestrator.domain.tournament_facts import TournamentSeat
from shared.kernel.rules import Level, RuleSet

_TABLE = attrgetter("table_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatedPlayer:
    """A player who has no place yet."""

    player_id: str
    table_id: str
    seat: int
    moves: int = 0
    """How often the player was moved."""
    newcomer: bool = False
    """Moved here, and no hand was booked here since."""
    time_bank_seconds: int | None = None
    """As of the last hand; None before the first."""
    sitting_out: bool = False
    presence: Presence | None = None
    disconnected: bool = False
    protections_used: int | None = None
    """None before the first hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableInPlay:
    """A table of the tournament that is not broken."""

    table_id: str
    hands_played: int = 0
    """Number of the last hand that was booked."""
    hands_in_level: int = 0
    hand_for_hand_round: int = 0
    """The last round of hand for hand that it played in."""
    match_over: bool = False
    """Its match is over, and the next round has not begun (rule 155)."""
    lots_player_ids: tuple[str, ...] = ()
    """Equal players among whom lots decide about the next round (rule 156)."""
    lots_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """The state of a tournament in play."""

    tournament_id: str
    version: int
    name: str
    seats_per_table: int
    rules: RuleSet
    players: Mapping[str, SeatedPlayer]
    """Everybody without a place, by player id."""
    tables: Mapping[str, TableInPlay]
    """Tables not broken, in the order they came."""
    level: int = 0
    level_began_at: datetime | None = None
    """Moved forward by the length of every pause, so that the clock of the level stands still in pauses."""
    paused_at: datetime | None = None
    break_ends_at: datetime | None = None
    """Set while a break lasts."""
    last_break_level: int = 0
    """The last level that was followed by a break."""
    tables_opened_count: int = 0
    round: int = 0
    """Round of matches, from 1; 0 where the formula has none."""
    hand_for_hand_round: int = 0
    """Round of hand for hand in progress; 0 = none (rule 185)."""
    hand_for_hand_ended: int = 0
    """The last round of hand for hand that is over."""
    placed: Mapping[str, tuple[Placement, ...]] = field(default_factory=dict[str, tuple[Placement, ...]])
    """Places given, by the table at which the player sat last."""
    late_entries_closed: bool = False
    """Nobody can enter any more, though the level would allow it (rule 200)."""
    ended: bool = False
    cancelled: bool = False
    winner_player_id: str = ""

    @property
    def terms(self) -> Level:
        """The level's amounts and lengths; the last level of the structure repeats for ever (rule 208)."""
        levels = self.rules.tournament.levels
        return levels[min(max(self.level, 1), len(levels)) - 1]

    def at_table(self, table_id: str) -> tuple[SeatedPlayer, ...]:
        """Players of a table, by seat."""
        return tuple(sorted((each for each in self.players.values() if each.table_id == table_id), key=_seat))

    def places(self) -> dict[str, int]:
        """Places given, by player."""
        return {each.player_id: each.place for placed in self.placed.values() for each in placed}

    def counts(self) -> dict[str, int]:
        """Players at each table."""
        return dict.fromkeys(self.tables, 0) | Counter(map(_TABLE, self.players.values()))


def _seat(player: SeatedPlayer) -> int:
    return player.seat


def seat_of(player: SeatedPlayer) -> TournamentSeat:
    """Where a player sits, as the contract says it."""
    return TournamentSeat(table_id=player.table_id, seat=player.seat, player_id=player.player_id)
