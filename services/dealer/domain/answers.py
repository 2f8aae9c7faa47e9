"""The answers of a hand, worked out from its record: the answer of a step is the same whenever it is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from services.dealer.domain.hand import CardSource, Commitment, HandRecord, Step
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.seat_seal import Place, sealed_cards
from services.dealer.domain.streets import COMMON_SEAT, Given
from services.dealer.domain.table_deck import TableDeck, deck_after
from shared.kernel.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtCards:
    """The cards of one street for one seat."""

    seat: int
    down_cards: tuple[Card, ...]
    """None where they are sealed."""
    up_cards: tuple[Card, ...]
    sealed_down_cards: bytes = b""
    """The down cards sealed to the seat's key; empty where it has none, or got none on this street."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetDealt:
    """One street as it was dealt."""

    dealt: tuple[DealtCards, ...]
    common_card: Card | None
    burned_count: int
    """Cards burned for this street."""
    source: CardSource
    stub_count: int
    """Cards left undealt, burned ones not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCards:
    """All own cards of a seat in deal order."""

    seat: int
    cards: tuple[Card, ...]


def commitment_of(record: HandRecord, steps: Sequence[Step] | None = None) -> Commitment:
    """What was published of the deck after those steps; after all of them if none are named."""
    fixed = any(step.fixed_deck for step in (record.steps if steps is None else steps))
    return Commitment(
        shuffle_version=record.shuffle_version,
        seed_commitment=record.seed_commitment,
        deck_root=record.deck_root if fixed else b"",
        reshuffle_commitment=record.reshuffle_commitment if fixed else b"",
        scripted=record.terms.scripted,
        scripted_decks_allowed=record.scripted_decks_allowed,
    )


def street_dealt(record: HandRecord, secrets: HandSecrets, number: int) -> StreetDealt:
    """The street that a step dealt."""
    step = record.steps[number]
    deck = deck_after(record, secrets, record.steps[: number + 1])
    given = tuple(each for each in deck.dealing.given if each.street is step.street)
    if step.source is None:
        raise ValueError("the step dealt no street")
    common = next((deck.cards[each.position] for each in given if each.seat == COMMON_SEAT), None)
    return StreetDealt(
        dealt=()
        if common
        else tuple(_sealed(_dealt_to(seat, given, deck), record, secrets, step) for seat in step.seats),
        common_card=common,
        burned_count=len(step.positions) - len(given),
        source=step.source,
        stub_count=len(deck.dealing.stub),
    )


def _dealt_to(seat: int, given: Iterable[Given], deck: TableDeck) -> DealtCards:
    own = [each for each in given if each.seat == seat]
    return DealtCards(
        seat=seat,
        down_cards=tuple(deck.cards[each.position] for each in own if not each.face_up),
        up_cards=tuple(deck.cards[each.position] for each in own if each.face_up),
    )


def _sealed(dealt: DealtCards, record: HandRecord, secrets: HandSecrets, step: Step) -> DealtCards:
    """The cards of a seat as they may leave the dealer: sealed where the seat has a key."""
    key = record.terms.key_of(dealt.seat)
    if not key or not dealt.down_cards or step.street is None:
        return dealt
    place = Place(hand_id=record.terms.hand_id, seat=dealt.seat, street=step.street)
    return replace(dealt, down_cards=(), sealed_down_cards=sealed_cards(dealt.down_cards, key, secrets.seed, place))


def hands_shown(record: HandRecord, secrets: HandSecrets, number: int) -> tuple[SeatCards, ...]:
    """All own cards of the seats that a step named, as dealt when it was taken."""
    deck = deck_after(record, secrets, record.steps[:number])
    return tuple(
        SeatCards(
            seat=seat,
            cards=tuple(deck.cards[each.position] for each in deck.dealing.given if each.seat == seat),
        )
        for seat in record.steps[number].seats
    )
