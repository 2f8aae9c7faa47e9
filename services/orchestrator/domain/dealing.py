"""What the dealer answers: cards of a street, hands to compare, proofs, lots (rules 5, 84-91)."""

from dataclasses import dataclass
from enum import StrEnum

from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules import HandRules

SEAL_BYTES = 32 + 12 + 16
"""What a seal adds to its cards: ephemeral public key, nonce, tag."""


class CardSource(StrEnum):
    """Where the cards of a street came from (rules 86-90)."""

    STUB = "STUB"  # The stub.
    RESHUFFLED_STUB_AND_BURNS = "RESHUFFLED_STUB_AND_BURNS"  # Stub and burned cards, shuffled together.
    COMMON_FROM_STUB = "COMMON_FROM_STUB"  # One common card from the stub.
    COMMON_FROM_BURNS = "COMMON_FROM_BURNS"  # One common card from the burned cards.
    COMMON_FROM_STUB_AND_BURNS = "COMMON_FROM_STUB_AND_BURNS"  # One common card from stub and burned cards.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedSeat:
    """Cards of a seat as a script wants them, in deal order; face down where any unused card will do."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Cards of one hand chosen beforehand, for replays and tests."""

    seats: tuple[ScriptedSeat, ...]
    common_card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKey:
    """The X25519 public key that a seat wants its down cards sealed to."""

    seat: int
    public_key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandToDeal:
    """A hand that the dealer is asked to prepare a deck for."""

    hand_id: str
    table_id: str
    hand_number: int
    """Number of the hand at its table, from 1 without a gap."""
    seats: tuple[int, ...]
    """Seats dealt in, in dealing order."""
    rules: HandRules
    entropy_seats: tuple[int, ...] = ()
    script: Script | None = None
    seat_keys: tuple[SeatKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """What the dealer bound itself to before the first card."""

    shuffle_version: str
    seed_commitment: bytes
    deck_root: bytes
    """Empty until the deck is fixed."""
    scripted: bool
    scripted_decks_allowed: bool
    """The hand was opened by a dealer that may be told its cards: no real table plays it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtCards:
    """Cards that one seat got on one street."""

    seat: int
    down_cards: tuple[Card, ...]
    up_cards: tuple[Card, ...]
    sealed_down_cards: bytes = b""
    """Instead of ``down_cards`` for a seat with a key."""

    @property
    def down_count(self) -> int:
        """How many cards it got face down; a seal holds one byte a card."""
        sealed = len(self.sealed_down_cards)
        return sealed - SEAL_BYTES if sealed else len(self.down_cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetDeal:
    """A street as dealt."""

    dealt: tuple[DealtCards, ...]
    """By seat, in dealing order; empty where a common card was turned."""
    common_card: Card | None
    burned_count: int
    source: CardSource
    stub_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatHandCards:
    """All own cards of a seat in deal order, without a common card."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The proof that one card of the committed deck is what it is."""

    position: int
    card: Card
    salt: bytes
    path: tuple[bytes, ...]
    seat: int
    """The seat that got it; 0 = the common card."""
    street: Street | None
    face_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCards:
    """Hands that were shown, and the proofs of their down cards."""

    hands: tuple[SeatHandCards, ...]
    openings: tuple[Opening, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lots:
    """A random order of entries, provable by its seed (rules 187-192)."""

    drawn: tuple[str, ...]
    draw_id: str
