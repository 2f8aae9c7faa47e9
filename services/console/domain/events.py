"""Events of a table that the console follows, past tense, fields as in the contract; the others arrive as Other."""

from dataclasses import dataclass

from services.console.domain.betting import ActionCause, ActionKind, Turn
from services.console.domain.table import Presence
from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules.hand import Stakes


@dataclass(frozen=True, slots=True)
class PlayerSeated:
    """A player sat down."""

    seat: int
    player_id: str
    stack_chips: int


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A player left the seat."""

    seat: int
    player_id: str


@dataclass(frozen=True, slots=True)
class ChipsAdded:
    """Chips came to a seat between hands."""

    seat: int
    added_chips: int
    stack_chips: int


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A player sat out, came back or asked to leave."""

    seat: int
    presence: Presence


@dataclass(frozen=True, slots=True)
class TablePaused:
    """The table was paused."""

    cause: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """The table goes on."""


@dataclass(frozen=True, slots=True)
class TableStalled:
    """The table waits for another service."""

    waiting_for: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is closed."""


@dataclass(frozen=True, slots=True)
class StakesChanged:
    """Other amounts hold from the next hand on."""

    stakes: Stakes
    level: int


@dataclass(frozen=True, slots=True)
class HandSeat:
    """A seat dealt into a hand; chips before the ante."""

    seat: int
    player_id: str
    stack_chips: int


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A hand started."""

    hand_number: int
    seats: tuple[HandSeat, ...]
    stakes: Stakes
    level: int


@dataclass(frozen=True, slots=True)
class AntePosted:
    """An ante was paid."""

    seat: int
    chips: int
    all_in: bool
    stack_chips: int


@dataclass(frozen=True, slots=True)
class SeatCards:
    """Cards of one seat on one street, as the viewer may see them."""

    seat: int
    down_cards: tuple[Card, ...] = ()
    up_cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class StreetDealt:
    """A street was dealt."""

    street: Street
    seats: tuple[SeatCards, ...]
    common_card: Card | None = None


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A seat is to act."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """A seat acted."""

    turn_id: int
    seat: int
    kind: ActionKind
    paid_chips: int
    to_chips: int
    """Street total now."""
    all_in: bool
    stack_chips: int
    cause: ActionCause | None = None


@dataclass(frozen=True, slots=True)
class SeatFrozen:
    """A seat was frozen by the clock."""

    seat: int


@dataclass(frozen=True, slots=True)
class UncalledBetReturned:
    """Chips that nobody matched went back."""

    seat: int
    chips: int
    stack_chips: int


@dataclass(frozen=True, slots=True)
class HandShown:
    """A seat showed its hand; its own cards in deal order."""

    seat: int
    cards: tuple[Card, ...]
    description_en: str


@dataclass(frozen=True, slots=True)
class HandMucked:
    """A seat hid its hand."""

    seat: int


@dataclass(frozen=True, slots=True)
class PotShare:
    """What one seat gets from one pot, odd chips included."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class PotAward:
    """How one pot was paid; index 0 is the main pot."""

    pot_index: int
    chips: int
    shares: tuple[PotShare, ...]


@dataclass(frozen=True, slots=True)
class PotAwarded:
    """A pot was paid."""

    award: PotAward


@dataclass(frozen=True, slots=True)
class SeatResult:
    """Chips of one player in a hand."""

    seat: int
    player_id: str
    before_chips: int
    after_chips: int


@dataclass(frozen=True, slots=True)
class HandEnded:
    """The hand is over."""

    hand_number: int
    results: tuple[SeatResult, ...]
    rake_chips: int


@dataclass(frozen=True, slots=True)
class HandVoided:
    """The hand cannot go on; chips are as at its start (rule 106)."""

    hand_number: int
    cause: str
    results: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True)
class PlayerEliminated:
    """A player is out of the tournament."""

    seat: int
    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True)
class Other:
    """An event that the console does not follow."""

    name: str


Fact = (
    PlayerSeated
    | PlayerLeft
    | ChipsAdded
    | PresenceChanged
    | TablePaused
    | TableResumed
    | TableStalled
    | TableClosed
    | StakesChanged
    | HandStarted
    | AntePosted
    | StreetDealt
    | TurnStarted
    | ActionTaken
    | SeatFrozen
    | UncalledBetReturned
    | HandShown
    | HandMucked
    | PotAwarded
    | HandEnded
    | HandVoided
    | PlayerEliminated
    | Other
)


@dataclass(frozen=True, slots=True)
class TableEvent:
    """One numbered event of a table."""

    version: int
    hand_id: str
    fact: Fact
