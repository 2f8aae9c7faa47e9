"""The record of one hand: its public terms, what it committed to, and the steps taken. Secrets stand apart."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from services.dealer.domain.rules import DealingRules
from shared.kernel.game import Street

STREETS = tuple(Street)


class CardSource(StrEnum):
    """Where the cards of a street came from (rules 87-91)."""

    STUB = "STUB"  # The stub.
    RESHUFFLED_STUB_AND_BURNS = "RESHUFFLED_STUB_AND_BURNS"  # Stub and burned cards, shuffled together.
    COMMON_FROM_STUB = "COMMON_FROM_STUB"  # One common card from the stub.
    COMMON_FROM_BURNS = "COMMON_FROM_BURNS"  # One common card from the burned cards.
    COMMON_FROM_STUB_AND_BURNS = "COMMON_FROM_STUB_AND_BURNS"  # One common card from both.


COMMON_SOURCES = frozenset(source for source in CardSource if source.startswith("COMMON"))


class StepName(StrEnum):
    """The steps of a hand, by the name that its record gives them."""

    OPEN_HAND = "open_hand"
    CONTRIBUTE_ENTROPY = "contribute_entropy"
    FIX_DECK = "fix_deck"
    DEAL_STREET = "deal_street"
    REVEAL_FOR_RANKING = "reveal_for_ranking"
    OPEN_CARDS = "open_cards"
    CLOSE_HAND = "close_hand"
    VOID_HAND = "void_hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a hand, without the id of the request: equal questions have the same answer."""

    step: StepName
    street: Street | None = None
    seats: tuple[int, ...] = ()
    payload: bytes = b""
    """The entropy added, or the reason of a void."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step taken: the question, and which positions of the committed deck it used."""

    step: str
    street: Street | None = None
    seats: tuple[int, ...] = ()
    payload: bytes = b""
    source: CardSource | None = None
    positions: tuple[int, ...] = ()
    """Burned first, then dealt."""
    fixed_deck: bool = False
    """The deck was fixed by this step."""
    at: datetime

    @property
    def question(self) -> Question:
        """What was asked."""
        return Question(step=StepName(self.step), street=self.street, seats=self.seats, payload=self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKey:
    """The X25519 public key that the down cards of a seat are sealed to."""

    seat: int
    public_key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTerms:
    """What a hand is opened with; all of it is public."""

    hand_id: str
    table_id: str
    hand_number: int
    seats: tuple[int, ...]
    """Seats dealt in, in dealing order."""
    entropy_seats: tuple[int, ...]
    rules: DealingRules
    rules_digest: bytes
    """SHA-256 over all rules of the hand; bound into the deck."""
    scripted: bool
    seat_keys: tuple[SeatKey, ...] = ()
    """Seats whose down cards are given sealed; the deck does not depend on them."""

    def key_of(self, seat: int) -> bytes:
        """The key that the seat's down cards are sealed to; empty where they are not sealed."""
        return next((each.public_key for each in self.seat_keys if each.seat == seat), b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatEntropy:
    """Bytes that a seat added after the seed was committed to."""

    seat: int
    entropy: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """What is published about the deck of a hand before its first card."""

    shuffle_version: str
    seed_commitment: bytes
    deck_root: bytes
    """Empty until the deck is fixed."""
    reshuffle_commitment: bytes
    """Empty until the deck is fixed."""
    scripted: bool
    scripted_decks_allowed: bool
    """The hand was opened by a dealer that may be told its cards: no real table plays it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRecord:
    """The durable record of a hand without its secrets; its version is the number of its steps."""

    terms: HandTerms
    shuffle_version: str
    seed_commitment: bytes
    deck_root: bytes = b""
    reshuffle_commitment: bytes = b""
    steps: tuple[Step, ...] = ()
    scripted_decks_allowed: bool = False
    """The dealer was started with scripted decks allowed when it opened the hand."""

    @property
    def version(self) -> int:
        """How many steps were taken."""
        return len(self.steps)

    @property
    def entropy(self) -> tuple[SeatEntropy, ...]:
        """Entropy added so far, in the order it came."""
        given = (step for step in self.steps if step.step == StepName.CONTRIBUTE_ENTROPY)
        return tuple(SeatEntropy(seat=step.seats[0], entropy=step.payload) for step in given)

    @property
    def last_step(self) -> str:
        """The name of the newest step."""
        return self.steps[-1].step

    @property
    def closed(self) -> bool:
        """The hand was closed."""
        return self.last_step == StepName.CLOSE_HAND

    @property
    def voided(self) -> bool:
        """The hand was voided."""
        return self.last_step == StepName.VOID_HAND

    @property
    def void_reason(self) -> str:
        """Why it was voided; empty if it was not."""
        return self.steps[-1].payload.decode() if self.voided else ""
