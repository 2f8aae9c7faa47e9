"""What happens in a hand, as facts in the past tense. No fact holds a down card that was not shown (design D11)."""

from dataclasses import dataclass
from datetime import datetime

from services.orchestrator.domain.dealing import CardSource
from services.orchestrator.domain.ranking import HandCategory
from services.orchestrator.domain.table_facts import EntropyAdded
from services.orchestrator.domain.wagering import ActionCause, ActionKind, LegalActions, Pot, PotAward
from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules import HandRules, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatDealtIn:
    """A seat dealt into a hand."""

    seat: int
    player_id: str
    stack_chips: int
    """Chips before the ante."""
    absent: bool
    """The server acts for the player at once (rules 143-145)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetCards:
    """Cards of one seat on one street: how many lie down, which lie up."""

    seat: int
    down_count: int
    up_cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """Chips of one player in a hand."""

    seat: int
    player_id: str
    before_chips: int
    after_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOpening:
    """Proof of one card against the deck root of the hand."""

    position: int
    card: Card
    salt: bytes
    path: tuple[bytes, ...]
    seat: int
    """The seat that got it; 0 = the common card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandStarted:
    """A hand started."""

    hand_number: int
    seats: tuple[SeatDealtIn, ...]
    """In dealing order: clockwise from dealer's left."""
    stakes: Stakes
    rules: HandRules
    level: int
    seed_commitment: bytes
    deck_root: bytes
    shuffle_version: str
    scripted: bool
    entropy: tuple[EntropyAdded, ...] = ()
    """What the players added to the deck, in the order in which it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AntePosted:
    """An ante was paid (rule 15)."""

    seat: int
    chips: int
    all_in: bool
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetDealt:
    """A street was dealt (rule 5)."""

    street: Street
    seats: tuple[StreetCards, ...]
    common_card: Card | None
    burned_count: int
    source: CardSource


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetOpened:
    """The betting of a street was opened (rules 23-36, 79-83)."""

    street: Street
    opening_order: tuple[int, ...]
    open_pair_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A seat is to act (rules 70, 128)."""

    turn_id: int
    seat: int
    player_id: str
    deadline: datetime
    legal: LegalActions


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBankStarted:
    """The time bank runs for the turn (rule 138)."""

    turn_id: int
    seat: int
    deadline: datetime
    bank_seconds: int
    """What the bank held when it started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTaken:
    """A seat acted."""

    turn_id: int
    seat: int
    kind: ActionKind
    paid_chips: int
    to_chips: int
    all_in: bool
    cause: ActionCause
    stack_chips: int
    time_bank_used_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFrozen:
    """A seat was frozen by the clock (rules 105, 132)."""

    seat: int
    cause: ActionCause
    turn_id: int
    time_bank_used_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UncalledBetReturned:
    """Chips that nobody matched went back (rule 101)."""

    seat: int
    chips: int
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetClosed:
    """The betting of a street is over (rule 83)."""

    street: Street
    pots: tuple[Pot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownStarted:
    """Hands are to be shown, in this order (rules 107-110)."""

    show_order: tuple[int, ...]
    must_show_seats: tuple[int, ...]
    deadline: datetime | None
    """Until when the others may choose to show or to muck; None where they muck at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown:
    """A seat showed its hand."""

    seat: int
    cards: tuple[Card, ...]
    """Its own cards in deal order."""
    best_five: tuple[Card, ...]
    """The five that play; none for a hand shown uncontested or before the river, unless a prize hangs on it (C45)."""
    description_en: str
    description_it: str
    category: HandCategory | None
    """Kind of hand, where five cards play: feats hang on it (rule 179)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMucked:
    """A seat hid its hand (rule 110)."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PotAwarded:
    """A pot was paid (rules 102, 123-127)."""

    award: PotAward


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnded:
    """The hand is over."""

    hand_number: int
    results: tuple[SeatResult, ...]
    rake_chips: int
    street_reached: Street | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandVoided:
    """The hand cannot go on; chips are as at its start (rule 106)."""

    hand_number: int
    cause: str
    results: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBooked:
    """The ledger booked the hand."""

    hand_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningsPublished:
    """The dealer opened the cards that everybody saw."""

    openings: tuple[CardOpening, ...]


HandFact = (
    HandStarted
    | AntePosted
    | StreetDealt
    | StreetOpened
    | TurnStarted
    | TimeBankStarted
    | ActionTaken
    | SeatFrozen
    | UncalledBetReturned
    | StreetClosed
    | ShowdownStarted
    | HandShown
    | HandMucked
    | PotAwarded
    | HandEnded
    | HandVoided
    | HandBooked
    | OpeningsPublished
)
