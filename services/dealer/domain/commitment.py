"""What binds the house before the first card (trust: commit, contribute, open).

seed -> seed commitment, published -> entropy of seats -> keys by HKDF -> deck by the one shuffle -> salted leaves
-> root. The river key, for a reshuffle or a common card, comes from the same seed under a label of its own and is
committed to as well; opening it shows how positions were mixed and not one card.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from services.dealer.domain.hand import HandTerms, SeatEntropy
from services.dealer.domain.merkle import SALT_SIZE, card_leaf, node, path_of, terms_leaf, tree
from services.dealer.domain.shuffle import SHUFFLE_VERSION, shuffle
from services.dealer.domain.stream import byte_stream, derive_each, packed, stream_start
from shared.kernel.cards import DECK_SIZE, FULL_DECK, Card

SEED_SIZE = 32
SEED_LABEL = b"sevenstud seed 1"
RIVER_LABEL = b"sevenstud river 1"


def seed_commitment(subject_id: str, seed: bytes) -> bytes:
    """SHA-256 over label, hand (or draw) and seed: published before anything else is known."""
    return hashlib.sha256(packed(SEED_LABEL, subject_id.encode(), seed)).digest()


def river_commitment(hand_id: str, river_key: bytes) -> bytes:
    """SHA-256 over label, hand and river key."""
    return hashlib.sha256(packed(RIVER_LABEL, hand_id.encode(), river_key)).digest()


def terms_bytes(terms: HandTerms) -> bytes:
    """The hand that a deck belongs to: any other hand, table, seating or rules give another deck."""
    return packed(
        SHUFFLE_VERSION.encode(),
        terms.hand_id.encode(),
        terms.table_id.encode(),
        terms.hand_number.to_bytes(8, "big"),
        bytes(terms.seats),
        terms.rules_digest,
        bytes((terms.scripted,)),
    )


def entropy_bytes(entropy: Sequence[SeatEntropy]) -> bytes:
    """Entropy of the seats in the order of their numbers."""
    ordered = sorted(entropy, key=lambda each: each.seat)
    return packed(*(bytes((each.seat,)) + each.entropy for each in ordered))


@dataclass(frozen=True, slots=True)
class FixedDeck:
    """A deck that nobody can change any more, and the keys beside it; all of it is secret."""

    cards: tuple[Card, ...]
    """The committed order, position 0 first."""
    salt_key: bytes
    river_key: bytes


@dataclass(frozen=True, slots=True)
class DeckProof:
    """What proves a deck, card by card."""

    salts: tuple[bytes, ...]
    levels: tuple[tuple[bytes, ...], ...]
    public_leaf: bytes

    @property
    def root(self) -> bytes:
        """The root that is published."""
        return node(self.levels[-1][0], self.public_leaf)

    def path(self, position: int) -> tuple[bytes, ...]:
        """The proof of one position, from its leaf up to the root."""
        return (*path_of(self.levels, position), self.public_leaf)


def fix_deck(terms: HandTerms, seed: bytes, entropy: Sequence[SeatEntropy]) -> FixedDeck:
    """The deck of a hand: the same seed, entropy and terms always give the same one."""
    bound, added = terms_bytes(terms), entropy_bytes(entropy)
    labels = (b"deck", b"salts", b"river")
    deck_key, salt_key, river_key = derive_each(seed, added, [packed(label, bound) for label in labels])
    return FixedDeck(shuffle(FULL_DECK, byte_stream(deck_key, b"deck")), salt_key, river_key)


def prove_deck(terms: HandTerms, seed: bytes, entropy: Sequence[SeatEntropy], deck: FixedDeck) -> DeckProof:
    """The tree over a deck, and the leaf over what is public about its hand."""
    salts = _salts(deck.salt_key)
    leaves = tuple(map(card_leaf, range(len(deck.cards)), salts, deck.cards))
    river = river_commitment(terms.hand_id, deck.river_key)
    seed_bound = seed_commitment(terms.hand_id, seed)
    public = terms_leaf(packed(terms_bytes(terms), seed_bound, entropy_bytes(entropy), river))
    return DeckProof(salts, tree(leaves), public)


def _salts(key: bytes) -> tuple[bytes, ...]:
    drawn = stream_start(key, b"salts", SALT_SIZE * DECK_SIZE)
    return tuple(drawn[at : at + SALT_SIZE] for at in range(0, len(drawn), SALT_SIZE))
