"""Proofs of a hand: openings of cards that may be seen, and the public record. Hidden cards stay hidden for ever."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from services.dealer.domain.answers import commitment_of
from services.dealer.domain.commitment import fix_deck, prove_deck
from services.dealer.domain.hand import CardSource, Commitment, HandRecord, SeatEntropy, SeatKey, Step, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.rules import DealingRules
from services.dealer.domain.streets import COMMON_SEAT, MIXED_SOURCES, Given
from services.dealer.domain.table_deck import TableDeck, deck_after
from shared.kernel.cards import Card
from shared.kernel.game import Street


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The proof that one card of the committed deck is what it is."""

    position: int
    card: Card
    salt: bytes
    path: tuple[bytes, ...]
    seat: int
    street: Street
    face_up: bool


def openings_shown(record: HandRecord, secrets: HandSecrets, number: int) -> tuple[Opening, ...]:
    """The proofs of the down cards of the seats that showed in a step."""
    deck = deck_after(record, secrets, record.steps[:number])
    seats = record.steps[number].seats
    given = (each for each in deck.dealing.given if each.seat in seats and not each.face_up)
    return _openings(record, secrets, deck, given)


def own_openings(record: HandRecord, secrets: HandSecrets, seat: int) -> tuple[Opening, ...]:
    """The proofs of a seat's own cards so far, and of the common card."""
    deck = deck_after(record, secrets, record.steps)
    given = (each for each in deck.dealing.given if each.seat in {seat, COMMON_SEAT})
    return _openings(record, secrets, deck, given)


def public_openings(record: HandRecord, secrets: HandSecrets) -> tuple[Opening, ...]:
    """The proofs of every card that everybody saw: up cards, the common card, down cards that were shown."""
    deck = deck_after(record, secrets, record.steps)
    given = (each for each in deck.dealing.given if each.face_up or _shown(record, each))
    return _openings(record, secrets, deck, given)


def _shown(record: HandRecord, given: Given) -> bool:
    """Was this card dealt to a seat before it showed? A card dealt after that is opened when it is shown."""
    dealt_yet = False
    for step in record.steps:
        dealt_yet = dealt_yet or (step.step == StepName.DEAL_STREET and given.position in step.positions)
        if dealt_yet and step.step == StepName.OPEN_CARDS and given.seat in step.seats:
            return True
    return False


def _openings(record: HandRecord, secrets: HandSecrets, deck: TableDeck, given: Iterable[Given]) -> tuple[Opening, ...]:
    """Openings in the order of the deal; a scripted deck has nothing to prove, so no salt and no path."""
    proof = None
    if not record.terms.scripted:
        proof = prove_deck(record.terms, secrets.seed, record.entropy, deck.fixed)
    return tuple(
        Opening(
            position=each.position,
            card=deck.cards[each.position],
            salt=proof.salts[each.position] if proof else b"",
            path=proof.path(each.position) if proof else (),
            seat=each.seat,
            street=each.street,
            face_up=each.face_up,
        )
        for each in given
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicStep:
    """One step as the public record shows it."""

    step: str
    street: Street | None
    seats: tuple[int, ...]
    source: CardSource | None
    positions: tuple[int, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSeats:
    """To which keys down cards were sealed; the cards of all other seats were given in clear."""

    keys: tuple[SeatKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The public record of a hand: enough to check every card that was shown, and no other card."""

    hand_id: str
    table_id: str
    hand_number: int
    seats: tuple[int, ...]
    commitment: Commitment
    entropy: tuple[SeatEntropy, ...]
    steps: tuple[PublicStep, ...]
    openings: tuple[Opening, ...]
    closed: bool
    void_reason: str
    rules_digest: bytes
    reshuffle_key: bytes
    rules: DealingRules
    sealed_seats: SealedSeats


def proof_of(record: HandRecord, secrets: HandSecrets) -> Proof:
    """The public record as it stands."""
    mixed = any(step.source in MIXED_SOURCES for step in record.steps)
    return Proof(
        hand_id=record.terms.hand_id,
        table_id=record.terms.table_id,
        hand_number=record.terms.hand_number,
        seats=record.terms.seats,
        commitment=commitment_of(record),
        entropy=record.entropy,
        steps=tuple(_public(step) for step in record.steps),
        openings=public_openings(record, secrets),
        closed=record.closed,
        void_reason=record.void_reason,
        rules_digest=record.terms.rules_digest,
        reshuffle_key=fix_deck(record.terms, secrets.seed, record.entropy).river_key if mixed else b"",
        rules=record.terms.rules,
        sealed_seats=SealedSeats(keys=record.terms.seat_keys),
    )


def _public(step: Step) -> PublicStep:
    return PublicStep(
        step=step.step,
        street=step.street,
        seats=step.seats,
        source=step.source,
        positions=step.positions,
        at=step.at,
    )
