"""Which cards a viewer may see: what the dealer's own disk says was dealt, against what a message shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from sevenstud.common.v1.card_pb2 import Card

from services.dealer.adapters.hand_store import StoredHands
from services.dealer.adapters.vault import Vault
from services.dealer.domain.hand import HandRecord
from services.dealer.domain.sealing_keys import parse_keys
from services.dealer.domain.streets import COMMON_SEAT
from services.dealer.domain.table_deck import deck_after
from services.dealer.ports import Found
from tests.sim.nodes import KEYS
from tests.sim.store import SimDisk

_CARD: Final = Card.DESCRIPTOR.full_name
_HIDDEN: Final = {0, 53}


@dataclass(frozen=True, slots=True)
class Dealt:
    """The cards of a hand as the dealer has them."""

    own: dict[int, tuple[int, ...]]
    """All own cards by seat, in deal order."""
    public: frozenset[int]
    """Up cards and the common card."""


NOTHING: Final = Dealt({}, frozenset())


@dataclass(slots=True)
class DealersCards:
    """Reads the dealer's disk from outside."""

    disk: SimDisk
    _hands: StoredHands | None = None
    _known: dict[tuple[str, bytes], Dealt] = field(default_factory=dict[tuple[str, bytes], Dealt])

    def of(self, hand_id: str) -> Dealt:
        """What was dealt so far."""
        rows = self.disk.read("SELECT record, sealed FROM dealer_hands WHERE hand_id = ?", (hand_id,))
        if not rows:
            return NOTHING
        record, sealed = rows[0]
        assert isinstance(record, bytes)
        assert isinstance(sealed, bytes)
        known = self._known.get((hand_id, record))
        if known is None:
            known = self._known[hand_id, record] = self._read(hand_id, record, sealed)
        return known

    def record(self, hand_id: str) -> HandRecord:
        """What the dealer wrote down about a hand."""
        return self.found(hand_id).record

    def found(self, hand_id: str) -> Found:
        """The same with its secrets."""
        ((record, sealed),) = self.disk.read("SELECT record, sealed FROM dealer_hands WHERE hand_id = ?", (hand_id,))
        assert isinstance(record, bytes)
        assert isinstance(sealed, bytes)
        return self._opened(hand_id, record, sealed)

    def _opened(self, hand_id: str, record: bytes, sealed: bytes) -> Found:
        hands = self._hands = self._hands or StoredHands(None, Vault(parse_keys(KEYS)))  # type: ignore[arg-type]  # it reads no row
        return hands._opened(hand_id, record, sealed)

    def _read(self, hand_id: str, record: bytes, sealed: bytes) -> Dealt:
        found = self._opened(hand_id, record, sealed)
        deck = deck_after(found.record, found.secrets, found.record.steps)
        own: dict[int, tuple[int, ...]] = {}
        public = set[int]()
        for given in deck.dealing.given:
            card = int(deck.cards[given.position])
            if given.seat != COMMON_SEAT:
                own[given.seat] = (*own.get(given.seat, ()), card)
            if given.face_up or given.seat == COMMON_SEAT:
                public.add(card)
        return Dealt(own, frozenset(public))


def cards_in(message: Message) -> set[int]:
    """Every card that a message shows, wherever it stands."""
    return {card for card in _cards(message) if card not in _HIDDEN}


def _cards(message: Message) -> Iterator[int]:
    for each, value in message.ListFields():
        if not _leads_to_cards(each):
            continue
        values = value if each.is_repeated else (value,)
        if each.type == FieldDescriptor.TYPE_ENUM:
            yield from values
        else:
            for part in values:
                yield from _cards(part)


@lru_cache(maxsize=4096)
def _leads_to_cards(each: FieldDescriptor) -> bool:
    if each.type == FieldDescriptor.TYPE_ENUM:
        kind = each.enum_type
        return kind is not None and bool(kind.full_name == _CARD)
    return each.type == FieldDescriptor.TYPE_MESSAGE and _carries(each.message_type)


@lru_cache(maxsize=1024)
def _carries(descriptor: Descriptor) -> bool:
    return any(_leads_to_cards(each) for each in descriptor.fields)


def twice(cards: Any) -> set[int]:
    """Cards that are there more than once."""
    listed = list(cards)
    return {card for card in listed if listed.count(card) > 1}
