"""Where a tournament stands between hands: the fold of its facts (see domain.fold)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from services.tournament_ledger.domain.announcement import Announcement
from services.tournament_ledger.domain.facts import SheetLine
from services.tournament_ledger.domain.facts_deals import Deal
from services.tournament_ledger.domain.prizes import fund_share
from services.tournament_ledger.domain.refusals import not_registered, wrong_state
from shared.kernel.rules import Feat, RuleSet, Stakes


class TournamentState(StrEnum):
    """Where a tournament stands."""

    REGISTERING = "REGISTERING"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    CANCELLED = "CANCELLED"


class EntrantState(StrEnum):
    """Where an entrant stands."""

    REGISTERED = "REGISTERED"
    PLAYING = "PLAYING"
    DECIDING = "DECIDING"
    OUT = "OUT"
    WINNER = "WINNER"
    WITHDRAWN = "WITHDRAWN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """One player in a tournament."""

    player_id: str
    number: int
    """The order of registering, from 1."""
    state: EntrantState = EntrantState.REGISTERED
    chips: int = 0
    """Chips as of the last sheet or hand."""
    pending_chips: int = 0
    """Chips bought or released that come into play with the next sheet."""
    pending_rebuys: int = 0
    """Rebuys among the pending chips: they may still be dropped (rule 163)."""
    reserve_chips: int = 0
    place: int = 0
    prize_minor: int = 0
    bonus_minor: int = 0
    rebuys: int = 0
    add_on: bool = False
    spent_minor: int = 0
    house_minor: int = 0
    """What of spent_minor went to the house."""
    table_id: str = ""
    seat: int = 0
    decides_until: datetime | None = None
    bust_hand: int = 0
    """Which hand of the tournament took the last chips; orders places."""
    bust_chips: int = 0
    """Chips at the start of that hand."""
    bust_table_id: str = ""
    """Its table: a player who decides may be moved meanwhile."""
    re_entries: int = 0
    """How often the player entered again after having been excluded (rule 201)."""
    chosen_table: int = 0
    """Table chosen for the first hand, by its number; 0 = lots decide (rule 187)."""
    chosen_seat: int = 0
    qualified: bool = False
    """The player reached the next round and waits for it (rule 156)."""

    @property
    def stack_chips(self) -> int:
        """What the player would have in the next hand, reserve left out."""
        return self.chips + self.pending_chips


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlay:
    """What the ledger knows of a table of a tournament."""

    table_id: str
    hand_number: int = 0
    """The last hand recorded."""
    open_hand_number: int = 0
    """The hand whose sheet is open; 0 = none."""
    sheet: tuple[SheetLine, ...] = ()
    round: int = 0
    """Round of its match, from 1; 0 where there are no rounds."""
    match_over: bool = False
    qualified_player_ids: tuple[str, ...] = ()
    """Who reached the next round from here."""
    lots_player_ids: tuple[str, ...] = ()
    """Equal players among whom lots decide."""
    lots_count: int = 0
    """How many of them reach the next round."""


@dataclass(frozen=True, slots=True)
class BonusPaid:
    """A feat that was paid for."""

    feat: Feat
    player_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament."""

    tournament_id: str
    announcement: Announcement
    rules: RuleSet
    announced_at: datetime
    state: TournamentState = TournamentState.REGISTERING
    level: int = 0
    fund_minor: int = 0
    """Prize fund in all, paid prizes included."""
    paid_minor: int = 0
    """Prizes paid."""
    bonus_left_minor: int = 0
    prizes_fixed: bool = False
    prizes_minor: tuple[int, ...] = ()
    chips_total: int = 0
    hands_count: int = 0
    version: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    bonuses: tuple[BonusPaid, ...] = ()
    round: int = 0
    """Round of matches in play, from 1; 0 where the formula has none."""
    hand_for_hand_round: int = 0
    """Round of hand for hand whose exclusions are not ranked yet; 0 = none."""
    hand_for_hand_ended: int = 0
    """The last round that ended."""
    hand_for_hand_hand: int = 0
    """Which hand of the tournament the exclusions of the open round count as."""
    deal: Deal | None = None
    """The agreed split that waits to be accepted."""
    deals_count: int = 0
    late_closed: bool = False
    """Nobody can enter any more, though the level would allow it (rule 200)."""
    director_id: str = ""
    """Which process of the orchestrator directs it; empty: nobody said."""
    entrants: Mapping[str, Entrant] = field(default_factory=lambda: MappingProxyType({}))
    tables: Mapping[str, TablePlay] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def fee_minor(self) -> int:
        """The entry fee."""
        return self.announcement.fee.amount_minor

    @property
    def currency(self) -> str:
        """The currency of everything that is paid."""
        return self.announcement.fee.currency

    @property
    def entrants_count(self) -> int:
        """Players registered and not withdrawn."""
        return sum(entrant.state is not EntrantState.WITHDRAWN for entrant in self.entrants.values())

    @property
    def fund_before_start(self) -> int:
        """What the registrations so far will bring into the prize fund (rule 173)."""
        return self.entrants_count * fund_share(self.fee_minor, self.rules.tournament.prize_share_basis_points)

    @property
    def stakes(self) -> Stakes:
        """Amounts of the level; the last level repeats for ever (rule 208)."""
        levels = self.rules.tournament.levels
        return levels[min(max(self.level, 1), len(levels)) - 1].stakes

    def remaining(self) -> tuple[Entrant, ...]:
        """Entrants without a place: with chips, with a reserve, or deciding."""
        return tuple(entrant for entrant in self.entrants.values() if _unplaced(entrant))

    @property
    def players_left(self) -> int:
        """How many have no place yet; the winner counts."""
        return sum(_unplaced(entrant) or entrant.state is EntrantState.WINNER for entrant in self.entrants.values())

    def entrant(self, player_id: str) -> Entrant:
        """The player's part in it, or NOT_REGISTERED."""
        found = self.entrants.get(player_id)
        if found is None or found.state is EntrantState.WITHDRAWN:
            raise not_registered(player_id)
        return found

    def at_table(self, table_id: str) -> tuple[Entrant, ...]:
        """Entrants without a place who sit at a table, by seat."""
        here = (each for each in self.entrants.values() if each.table_id == table_id and _unplaced(each))
        return tuple(sorted(here, key=_seat))

    def matches(self) -> tuple[TablePlay, ...]:
        """Tables of the round in play, where the formula has rounds."""
        return tuple(each for each in self.tables.values() if self.round and each.round == self.round)

    def need(self, *states: TournamentState) -> None:
        """Refuse unless the tournament is in one of these states."""
        if self.state not in states:
            raise wrong_state(self.state, *states)


def _unplaced(entrant: Entrant) -> bool:
    return entrant.state is EntrantState.PLAYING or entrant.state is EntrantState.DECIDING


def _seat(entrant: Entrant) -> int:
    return entrant.seat


def with_table(tournament: Tournament, table: TablePlay) -> Tournament:
    """The tournament with one of its tables changed or added."""
    return replace(tournament, tables=MappingProxyType({**tournament.tables, table.table_id: table}))


def with_entrants(entrants: Mapping[str, Entrant], changed: Iterable[Entrant]) -> Mapping[str, Entrant]:
    """The entrants with some of them changed or added."""
    return MappingProxyType({**entrants, **{entrant.player_id: entrant for entrant in changed}})
