"""What happens to a table between and around its hands, as facts in the past tense.

A fact mirrors the event of the contract with the same name; fields that the contract's event lacks are the table's own
memory and are named in ``domain/visibility.py`` as hidden.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from services.orchestrator.domain.dealing import Script
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.game import Mode
from shared.kernel.rules import RuleSet, Stakes


class Presence(StrEnum):
    """Where a player at a table stands."""

    PLAYING = "PLAYING"
    SITTING_OUT = "SITTING_OUT"  # By choice.
    TIMED_OUT = "TIMED_OUT"  # Because the clock ended.
    LEAVING = "LEAVING"  # Goes when the hand is over.
    DISCONNECTED = "DISCONNECTED"  # Because the connection was lost.

    @property
    def away(self) -> bool:
        """Sits out, for whatever reason."""
        return self in {Presence.SITTING_OUT, Presence.TIMED_OUT, Presence.DISCONNECTED}


class Halt(StrEnum):
    """What kept a table from going on."""

    PAUSE = "PAUSE"  # Somebody paused it.
    STALL = "STALL"  # A service was away.
    BREAK = "BREAK"  # A break of the tournament.
    OUTAGE = "OUTAGE"  # The orchestrator itself was down.


class LeaveCause(StrEnum):
    """Why a player left a seat."""

    REQUESTED = "REQUESTED"
    SAT_OUT_TOO_LONG = "SAT_OUT_TOO_LONG"
    ELIMINATED = "ELIMINATED"
    MOVED = "MOVED"
    TABLE_CLOSED = "TABLE_CLOSED"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened:
    """The table was opened."""

    name: str
    mode: Mode
    tournament_id: str
    """Empty for a cash table."""
    stakes: Stakes
    rules: RuleSet
    scripted: bool
    level: int
    """Level of the tournament, counted from 1; 0 for a cash table."""
    decision_seconds: int
    """Seconds for a decision in this level; 0 = as the clock rules say (rule 128)."""
    hands_max: int
    """The table pauses itself after this many hands; 0 = never."""
    scripted_hands: tuple[Script, ...]
    """Cards of the first hands, chosen by the caller of a table that claims no fairness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSeated:
    """A player sat down."""

    seat: int
    player_id: str
    stack_chips: int
    presence: Presence
    auto_ante: bool
    time_bank_seconds: int
    """What is left of the time bank; it moves along with the player (rules 138, 191)."""
    protections_used: int
    """Protected hands used in this session (C48)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft:
    """A player left the seat."""

    seat: int
    player_id: str
    stack_chips: int
    cause: LeaveCause


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsAdded:
    """Chips came to a seat between hands."""

    seat: int
    added_chips: int
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceChanged:
    """A player sat out, came back or asked to leave."""

    seat: int
    presence: Presence
    cause: ActionCause
    at_once: bool
    """It holds inside the hand in progress; else from the next hand on (C35)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionChanged:
    """The connection of a player was lost, or is there again (rules 148-149)."""

    seat: int
    connected: bool
    deadline: datetime | None
    """The clock of the open turn with the extra seconds that it got; None where it got none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoAnteChanged:
    """A player switched the automatic ante (rule 19)."""

    seat: int
    auto_ante: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKeyRegistered:
    """A player registered a key for the own down cards, or took it back; it holds from the next hand on."""

    seat: int
    public_key: bytes
    """X25519; empty: none any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyAsked:
    """The dealer is bound to the seed of the next hand: players may add entropy to its deck."""

    hand_number: int
    hand_id: str
    seats: tuple[int, ...]
    """Seats that the hand will deal in, in dealing order."""
    asked_seats: tuple[int, ...]
    """Those of them whose players are there."""
    seed_commitment: bytes
    deadline: datetime
    """Who has added nothing by then is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyAdded:
    """A player added entropy to the deck of the next hand."""

    seat: int
    entropy: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyClosed:
    """The time is over and nothing more may be added, before the dealer is asked to fix the deck without the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePaused:
    """The table was paused."""

    cause: str
    clocks_too: bool
    """The hand in progress stands still as well."""
    remaining_millis: int
    """What was left on the clock that was stopped (rule 141)."""
    by_director: bool
    """The whole tournament pauses: the sheet of the next hand ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResumed:
    """The table goes on."""

    after: Halt
    deadline: datetime | None
    """The clock of whoever is to act, restored; None where no clock was running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStalled:
    """The table waits for another service."""

    waiting_for: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed:
    """The table is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StakesChanged:
    """Other amounts hold from the next hand on (rule 152)."""

    stakes: Stakes
    level: int
    decision_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEliminated:
    """A player is out of the tournament."""

    seat: int
    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakStarted:
    """A break began: no hand starts before it is over (rule 151)."""

    until: datetime


TableFact = (
    TableOpened
    | PlayerSeated
    | PlayerLeft
    | ChipsAdded
    | PresenceChanged
    | ConnectionChanged
    | AutoAnteChanged
    | SeatKeyRegistered
    | EntropyAsked
    | EntropyAdded
    | EntropyClosed
    | TablePaused
    | TableResumed
    | TableStalled
    | TableClosed
    | StakesChanged
    | PlayerEliminated
    | BreakStarted
)
