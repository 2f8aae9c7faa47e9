"""What the dealer needs from outside: entropy, time, a durable store, and somebody who counts what it does."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from services.dealer.domain.hand import HandRecord, Step
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.live_watch import CardCounts
from services.dealer.domain.live_watch import Look as WatchLook
from services.dealer.domain.lots import DrawLots, Lots
from shared.kernel.cards import Card


class Entropy(Protocol):
    """Where seeds come from, and all else that nobody may foresee."""

    def seed(self) -> bytes:
        """32 fresh bytes, never given before."""
        ...

    def nonce(self, size: int) -> bytes:
        """Fresh bytes for a seal or a name."""
        ...


class Clock(Protocol):
    """The time that steps are recorded with."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request id was used for before."""

    hand_id: str
    step_number: int


@dataclass(frozen=True, slots=True)
class Found:
    """A hand as it is stored, opened and checked against its commitment."""

    record: HandRecord
    secrets: HandSecrets


@dataclass(frozen=True, slots=True)
class Look:
    """A hand and a request id, read at one moment."""

    found: Found | None
    asked: Asked | None
    """What this request id was answered with; None for a new one."""
    last_number: int = 0
    """Number of the last hand opened at the table asked about; 0 before the first."""


class HandStore(Protocol):
    """The durable hands: one row each. Writes raise shared.storage.WriteConflict when somebody else was first."""

    async def look(self, hand_id: str, request_id: str = "", table_id: str = "") -> Look:
        """The hand, what the request id was used for, and which hand of the table was the last."""
        ...

    async def add(self, record: HandRecord, secrets: HandSecrets, request_id: str, shuffle_id: str) -> None:
        """Keep a hand just opened, and in the same write that its shuffle is used."""
        ...

    async def save(self, record: HandRecord, secrets: HandSecrets, request_id: str) -> None:
        """Keep the step just taken, bound to the hand's seed; the row must have the version before it."""
        ...

    async def remember(self, request_id: str, asked: Asked) -> None:
        """Keep that a new request id asked what was answered before."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw of lots as it is stored."""

    command: DrawLots
    lots: Lots


class DrawStore(Protocol):
    """The durable draws of lots."""

    async def find(self, draw_id: str) -> Drawn | None:
        """The draw, or None."""
        ...

    async def add(self, drawn: Drawn, at: datetime, shuffle_id: str) -> None:
        """Keep a draw, and in the same write that its shuffle is used; WriteConflict when its id is taken."""
        ...


@dataclass(frozen=True, slots=True)
class ShuffleCount:
    """How many shuffles there were."""

    purpose: str
    outcome: str
    """begun, used or voided."""
    count: int


@dataclass(frozen=True, slots=True)
class NewHand:
    """A hand that nobody opened yet, with the number that is due at its table, asked for under an unused request id."""

    hand_id: str
    table_id: str
    hand_number: int
    request_id: str


class ShuffleBook(Protocol):
    """The durable count of shuffles: each begins before its seed is drawn and ends used or voided."""

    async def begin(self, purpose: str, subject_id: str) -> str:
        """Write down that a shuffle for a hand or for lots is about to be drawn; its id."""
        ...

    async def begin_hand(self, hand: NewHand) -> str:
        """The same for a hand that is new at this moment; WriteConflict where it is not, or its number is not due."""
        ...

    async def void(self, shuffle_id: str, reason: str) -> bool:
        """Write down that a shuffle will never be used; False where it was used after all."""
        ...


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The counts of the live watch as they are stored."""

    version: int
    """0 before the first."""
    counts: CardCounts


class WatchBook(Protocol):
    """The durable counts of the live watch."""

    async def read(self) -> KeptCounts:
        """What is kept; nothing counted where it cannot be read any more."""
        ...

    async def save(self, version: int, counts: CardCounts) -> None:
        """Keep other counts in place of those of that version; WriteConflict where somebody else was first."""
        ...


class DeckWatch(Protocol):
    """Who counts the decks that were really played."""

    async def count(self, deck: Sequence[Card]) -> None:
        """The whole deck of a real hand that was closed and is durable; never raises because of the store."""
        ...


class Witness(Protocol):
    """Counts and logs what the dealer does; it is never told a card, a seed or a salt."""

    def shuffle_drawn(self, purpose: str) -> None:
        """A shuffle was begun and its seed is drawn, for a hand or for lots."""
        ...

    def shuffle_used(self, purpose: str) -> None:
        """A hand was opened, or lots were drawn, with a shuffle; it is durable."""
        ...

    def shuffle_voided(self, purpose: str, reason: str) -> None:
        """A shuffle will never be used; it is durable."""
        ...

    def hand_opened(self, record: HandRecord) -> None:
        """A hand was opened and is durable."""
        ...

    def step_taken(self, record: HandRecord, step: Step) -> None:
        """A step was taken and is durable."""
        ...

    def lots_drawn(self, purpose: str) -> None:
        """Lots were drawn and are durable."""
        ...

    def own_openings_given(self, hand_id: str, seat: int) -> None:
        """A seat was given the openings of its own cards."""
        ...

    def decks_looked_at(self, look: WatchLook) -> None:
        """The live watch looked at the decks of closed hands."""
        ...
