"""What the tournament ledger is told and answers: money, chips and places between hands."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from shared.kernel.game import Street
from shared.kernel.rules import Feat, RuleSet, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount of real money in the smallest unit of its currency."""

    amount_minor: int
    currency: str


class LedgerState(StrEnum):
    """Where a tournament stands for the ledger (``TournamentState`` of the contract)."""

    REGISTERING = "REGISTERING"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    CANCELLED = "CANCELLED"


class StartKind(StrEnum):
    """How a tournament begins (rule 160)."""

    SCHEDULED = "SCHEDULED"
    SIT_AND_GO = "SIT_AND_GO"
    ON_COMMAND = "ON_COMMAND"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedTerms:
    """What of an announcement the director needs."""

    name: str
    entrants_min: int
    entrants_max: int
    seats_per_table: int
    start: StartKind
    starts_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match of the round in play (rules 155, 156)."""

    table_id: str
    over: bool
    qualified_player_ids: tuple[str, ...]
    lots_player_ids: tuple[str, ...]
    """Equal players among whom lots decide."""
    lots_count: int
    """How many of them reach the next round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTournament:
    """A tournament as the ledger has it."""

    tournament_id: str
    announcement: AnnouncedTerms
    rules: RuleSet
    state: LedgerState
    entrants: int
    players_left: int
    prizes_minor: tuple[int, ...]
    level: int
    version: int
    round: int = 0
    """Round of matches, from 1; 0 where the formula has none."""
    matches: tuple[Match, ...] = ()
    """Matches of that round, where there are several."""
    late_entries_open: bool = False
    """Players may still enter, or enter again (rules 200, 201)."""


class EntrantState(StrEnum):
    """Where an entrant stands."""

    REGISTERED = "REGISTERED"
    PLAYING = "PLAYING"
    DECIDING = "DECIDING"
    OUT = "OUT"
    WINNER = "WINNER"
    WITHDRAWN = "WITHDRAWN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of the standings."""

    player_id: str
    state: EntrantState
    chips: int
    reserve_chips: int
    place: int
    """0 = none yet."""
    prize_minor: int
    table_id: str
    """Empty where the player has no seat."""
    seat: int
    decides_until: datetime | None
    chosen_table: int = 0
    """Table chosen for the first hand, by its number; 0 = lots decide (rule 187)."""
    chosen_seat: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAssignment:
    """Where a player sits."""

    player_id: str
    table_id: str
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandResult:
    """One player's chips before and after a hand."""

    player_id: str
    before_chips: int
    after_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatShown:
    """A feat shown in a hand (rule 179)."""

    player_id: str
    feat: Feat
    uncontested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandToBook:
    """A hand that is over, as the ledger books it, once for each hand id."""

    hand_id: str
    tournament_id: str
    """Empty for a cash table."""
    table_id: str
    hand_number: int
    results: tuple[HandResult, ...]
    rake_chips: int
    street_reached: Street | None
    feats: tuple[FeatShown, ...]
    voided: bool
    hand_for_hand_round: int = 0
    """Round of hand for hand in progress; 0 = none."""
    deck_root: bytes = b""
    """What bound the deck before its first card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A place given, and its prize."""

    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedHand:
    """The ledger's answer to a booked hand."""

    placements: tuple[Placement, ...]
    state: LedgerState | None
    """None for a cash table."""
    players_left: int
    deciding_player_ids: tuple[str, ...]
    hand_for_hand_round: int = 0
    """Round of hand for hand that it was booked in; 0 = none."""
    match: Match | None = None
    """The match of the table, where the hand ended it and others are played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedRound:
    """The ledger's answer to the end of a round of hand for hand."""

    placements: tuple[Placement, ...]
    state: LedgerState
    players_left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSeat:
    """A seat of the ledger's sheet."""

    seat: int
    player_id: str
    chips: int
    reserve_chips: int
    decides_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSheet:
    """What the next hand of a table starts from, purchases and releases included."""

    seats: tuple[LedgerSeat, ...]
    level: int
    stakes: Stakes | None
    """None for a cash table."""
    state: LedgerState | None
    players_left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentAnnounced:
    """A tournament was announced."""

    tournament: LedgerTournament


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRegistered:
    """A player registered."""

    player_id: str
    entrants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPlaced:
    """A player has a final place."""

    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsPurchased:
    """A player bought chips that come with the next hand."""

    player_id: str
    chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEnteredLate:
    """A player entered after play began, for the first time or again, and waits for a seat (rules 200, 201)."""

    player_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LateRegistrationClosed:
    """Nobody can enter any more: few places remain before the prizes (rule 200)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizesFixed:
    """The prize table is frozen."""

    prizes_minor: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFinished:
    """The ledger paid the last prize."""

    winner_player_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentCancelled:
    """The tournament was cancelled."""

    cause: str


LedgerFact = (
    TournamentAnnounced
    | PlayerRegistered
    | PlayerPlaced
    | ChipsPurchased
    | PlayerEnteredLate
    | LateRegistrationClosed
    | PrizesFixed
    | TournamentFinished
    | TournamentCancelled
)
"""The facts that change what the director does; others pass by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedFact:
    """A fact of a tournament, numbered by its entry in the ledger's book."""

    tournament_id: str
    version: int
    fact: LedgerFact | None
    """None for a fact that is none of the director's business."""
