"""What there is to check: the dealer's public record, a seat's own openings, and what the table published."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)


class Mismatch(Exception):  # noqa: N818  # what the house says is not so
    """The first thing that does not hold."""


def require(holds: bool, what: str) -> None:  # noqa: FBT001  # reads as a sentence
    """Stop at what does not hold."""
    if not holds:
        raise Mismatch(what)


class CardSource(StrEnum):
    """Where the cards of a street came from (rules 87-91)."""

    STUB = "STUB"  # The stub.
    RESHUFFLED_STUB_AND_BURNS = "RESHUFFLED_STUB_AND_BURNS"  # Stub and burned cards, shuffled together.
    COMMON_FROM_STUB = "COMMON_FROM_STUB"  # One common card from the stub.
    COMMON_FROM_BURNS = "COMMON_FROM_BURNS"  # One common card from the burned cards.
    COMMON_FROM_STUB_AND_BURNS = "COMMON_FROM_STUB_AND_BURNS"  # One common card from both.

    @property
    def common(self) -> bool:
        """One card for all."""
        return self.startswith("COMMON")

    @property
    def mixed(self) -> bool:
        """The river key shuffled it."""
        return self not in {CardSource.STUB, CardSource.COMMON_FROM_STUB}


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingRules:
    """Burning, and what happens when the cards run out (rules 84-91)."""

    burn_streets: BurnStreets
    river_burn_shortfall: RiverBurnShortfall
    exhaustion: Exhaustion
    common_card_source: CommonCardSource
    burn_after_reshuffle: BurnAfterReshuffle


def dealing_rules(rules: HandRules) -> DealingRules:
    """What of the rules of a hand the dealer lives by."""
    return DealingRules(**{name: getattr(rules, name) for name in DealingRules.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """What was published before the first card."""

    shuffle_version: str
    seed_commitment: bytes
    deck_root: bytes
    reshuffle_commitment: bytes
    scripted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatEntropy:
    """Bytes that a seat added."""

    seat: int
    entropy: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKey:
    """The key that the dealer sealed a seat's down cards to."""

    seat: int
    public_key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSeats:
    """The seats whose down cards the dealer sealed; those of all others it gave in clear."""

    keys: tuple[SeatKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStep:
    """One step of the dealer."""

    step: str
    street: Street | None
    seats: tuple[int, ...]
    source: CardSource | None
    positions: tuple[int, ...]
    at: datetime
    """By the dealer's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The proof of one card."""

    position: int
    card: Card
    salt: bytes
    path: tuple[bytes, ...]
    seat: int
    """0 is the common card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerRecord:
    """The public record of a hand, as GetProof gives it."""

    hand_id: str
    table_id: str
    hand_number: int
    seats: tuple[int, ...]
    commitment: Commitment
    entropy: tuple[SeatEntropy, ...]
    steps: tuple[RecordedStep, ...]
    openings: tuple[Opening, ...]
    void_reason: str
    rules_digest: bytes
    reshuffle_key: bytes
    rules: DealingRules
    sealed_seats: SealedSeats | None = None
    """None: the dealer is of an earlier release and does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOpenings:
    """A seat's own openings, as GetOpenings gives them."""

    openings: tuple[Opening, ...]
    commitment: Commitment


@dataclass(frozen=True, slots=True)
class StreetSeen:
    """A street as the table showed it to the viewer."""

    street: Street
    seats: tuple[int, ...]
    """Who got a card, in dealing order; none for a common card."""
    cards: tuple[tuple[int, Card], ...]
    """Seat and card, of every up card; seat 0 is the common card."""
    down_cards: tuple[tuple[int, Card], ...]
    """Seat and card, of the down cards that the viewer was given or may see."""
    burned_count: int
    source: CardSource
    before: datetime
    """When the last thing happened at the table before this street, by the table's clock."""
    at: datetime
    """When the table showed the street."""
    live: tuple[int, ...]
    """Who had not folded by then, in dealing order, by the actions that the table published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecord:
    """A hand as the table published it: what GetHand gives to a viewer."""

    hand_id: str
    table_id: str
    hand_number: int
    seats: tuple[int, ...]
    rules: HandRules
    shuffle_version: str
    seed_commitment: bytes
    deck_root: bytes
    scripted: bool
    entropy: tuple[SeatEntropy, ...]
    started_version: int
    first_card_version: int
    """0: no card was dealt."""
    first_action_version: int
    streets: tuple[StreetSeen, ...]
    shown: tuple[tuple[int, tuple[Card, ...]], ...]
    """Seat and all its own cards in deal order, of hands that were shown."""
    openings: tuple[Opening, ...]
    voided: bool
    last_action_at: datetime | None = None
    """When the last seat acted, by the table's clock; None: nobody did."""
    compared_seats: tuple[int, ...] = ()
    """Seats whose hands were compared at the showdown; none where there was none."""
    folded_seats: tuple[int, ...] = ()
    sealed_seats: tuple[int, ...] = ()
    """Seats whose down cards the viewer was given sealed: the own one."""
    viewer_seats: tuple[int, ...] = ()
    """Own seat of the viewer, by whose down cards were given; several where all of them mucked, none for spectators."""

    @property
    def called_off(self) -> bool:
        """Voided before its deck was bound to anything and a card was dealt."""
        return self.voided and not (self.deck_root or self.streets or self.shown or self.openings)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All there is about a hand."""

    record: DealerRecord | None = None
    table: TableRecord | None = None
    own: OwnOpenings | None = None
    seat: int = 0
    """Of the player who asked, by the table's beginning of the hand; 0: not dealt in, or nobody asked as a player."""
    seat_key: bytes = b""
    """The public key that the player registered; empty: nobody says."""
    stranger: str = ""
    """The player who asked and was not dealt in, by the table's beginning of the hand."""
