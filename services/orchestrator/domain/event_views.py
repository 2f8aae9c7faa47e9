"""Events whose public form differs from the fact behind it. Every other fact is public as it stands."""

from dataclasses import dataclass
from datetime import datetime

from services.orchestrator.domain import hand_facts, table_facts
from services.orchestrator.domain.dealing import CardSource
from services.orchestrator.domain.table_facts import Presence
from services.orchestrator.domain.views import Turn
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.cards import Card
from shared.kernel.game import Mode, Street
from shared.kernel.rules import HandRules, RuleSet, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened:
    """The table was opened."""

    name: str
    mode: Mode
    tournament_id: str
    stakes: Stakes
    rules: RuleSet
    scripted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSeated:
    """A player sat down."""

    seat: int
    player_id: str
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceChanged:
    """A player sat out, came back or asked to leave."""

    seat: int
    presence: Presence
    cause: ActionCause


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKeyRegistered:
    """A seat's down cards are sealed from the next hand on, or no longer."""

    seat: int
    sealed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePaused:
    """The table was paused."""

    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResumed:
    """The table goes on."""

    deadline: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StakesChanged:
    """Other amounts hold from the next hand on."""

    stakes: Stakes
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSeat:
    """A seat dealt into a hand."""

    seat: int
    player_id: str
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandStarted:
    """A hand started."""

    hand_number: int
    seats: tuple[HandSeat, ...]
    stakes: Stakes
    rules: HandRules
    level: int
    seed_commitment: bytes
    deck_root: bytes
    shuffle_version: str
    scripted: bool
    entropy: tuple[table_facts.EntropyAdded, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCards:
    """Cards of one seat on one street, as the viewer may see them."""

    seat: int
    down_cards: tuple[Card, ...]
    up_cards: tuple[Card, ...]
    sealed_down_cards: bytes
    """For the seat's owner alone, where they are sealed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetDealt:
    """A street was dealt."""

    street: Street
    seats: tuple[SeatCards, ...]
    common_card: Card | None
    burned_count: int
    source: CardSource


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A seat is to act."""

    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBankStarted:
    """The time bank runs for the turn."""

    turn_id: int
    seat: int
    deadline: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFrozen:
    """A seat was frozen by the clock."""

    seat: int
    cause: ActionCause


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownStarted:
    """Hands are to be shown, in this order."""

    show_order: tuple[int, ...]
    must_show_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown:
    """A seat showed its hand."""

    seat: int
    cards: tuple[Card, ...]
    best_five: tuple[Card, ...]
    description_en: str
    description_it: str


EventView = (
    TableOpened
    | PlayerSeated
    | table_facts.PlayerLeft
    | table_facts.ChipsAdded
    | PresenceChanged
    | table_facts.ConnectionChanged
    | table_facts.AutoAnteChanged
    | SeatKeyRegistered
    | table_facts.EntropyAsked
    | table_facts.EntropyAdded
    | table_facts.EntropyClosed
    | TablePaused
    | TableResumed
    | table_facts.TableStalled
    | table_facts.TableClosed
    | StakesChanged
    | HandStarted
    | hand_facts.AntePosted
    | StreetDealt
    | hand_facts.StreetOpened
    | TurnStarted
    | TimeBankStarted
    | hand_facts.ActionTaken
    | SeatFrozen
    | hand_facts.UncalledBetReturned
    | hand_facts.StreetClosed
    | ShowdownStarted
    | HandShown
    | hand_facts.HandMucked
    | hand_facts.PotAwarded
    | hand_facts.HandEnded
    | hand_facts.HandVoided
    | hand_facts.HandBooked
    | table_facts.PlayerEliminated
    | table_facts.BreakStarted
    | hand_facts.OpeningsPublished
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvent:
    """One event of a table, as the viewer may see it; every viewer gets every number."""

    table_id: str
    version: int
    at: datetime
    hand_id: str
    event: EventView
