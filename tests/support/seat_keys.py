"""A player with a key of its own: opens seals as the README of the dealer says, with no code of ours."""

from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared.kernel.cards import Card


def _place(hand_id: str, seat: int, street: str) -> bytes:
    parts = (b"sevenstud sealed seat 1", hand_id.encode(), bytes([seat]), street.encode())
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


@dataclass(frozen=True)
class SeatHolder:
    """Whoever holds the private key."""

    private: X25519PrivateKey = field(default_factory=X25519PrivateKey.generate)

    @property
    def public_key(self) -> bytes:
        return self.private.public_key().public_bytes_raw()

    def unsealed(self, sealed: bytes, hand_id: str, seat: int, street: str) -> list[Card]:
        """The cards; InvalidTag where they were sealed for another key, hand, seat or street."""
        ephemeral, nonce, content = sealed[:32], sealed[32:44], sealed[44:]
        secret = self.private.exchange(X25519PublicKey.from_public_bytes(ephemeral))
        place = _place(hand_id, seat, street)
        key = HKDF(SHA256(), 32, ephemeral + self.public_key, place).derive(secret)
        return [Card(number) for number in AESGCM(key).decrypt(nonce, content, place)]
