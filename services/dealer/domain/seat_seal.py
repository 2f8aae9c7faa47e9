"""Down cards sealed to the key of a seat, so that whoever carries them to the player learns nothing (trust 2.6).

An ephemeral X25519 key meets the seat's public key; HKDF makes of their secret a key for AES-256-GCM that holds for one
hand, seat and street. The ephemeral key comes from the seed of the hand and the cards, so that the same question has
the same answer, and no key and nonce ever seal two different texts.
"""

from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from services.dealer.domain.stream import derive, packed
from shared.kernel.cards import Card
from shared.kernel.game import Street

SEAL_LABEL = b"sevenstud sealed seat 1"
EPHEMERAL_LABEL = b"sevenstud sealed seat ephemeral 1"
NONCE_LABEL = b"sevenstud sealed seat nonce 1"
NONCE_SIZE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """For whom and when cards were dealt: a seal of one place opens at no other."""

    hand_id: str
    seat: int
    street: Street

    def bound(self, label: bytes) -> bytes:
        """The place in bytes, under a label."""
        return packed(label, self.hand_id.encode(), bytes((self.seat,)), self.street.value.encode())


def sealed_cards(cards: tuple[Card, ...], public_key: bytes, seed: bytes, place: Place) -> bytes:
    """Ephemeral public key, nonce, ciphertext with tag; the same for the same cards, key, seed and place."""
    plain = bytes(cards)
    own = packed(public_key, plain)
    ephemeral = X25519PrivateKey.from_private_bytes(derive(seed, b"", place.bound(EPHEMERAL_LABEL) + own))
    nonce = derive(seed, b"", place.bound(NONCE_LABEL) + own)[:NONCE_SIZE]
    ephemeral_public = ephemeral.public_key().public_bytes_raw()
    secret = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    bound = place.bound(SEAL_LABEL)
    cipher = AESGCM(derive(secret, ephemeral_public + public_key, bound))
    return ephemeral_public + nonce + cipher.encrypt(nonce, plain, bound)
