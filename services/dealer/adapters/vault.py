"""Sealing at rest: AES-256-GCM under a key for each hand alone, derived from a key of the ring.

Sealed bytes: 0x01, length of the key id, key id, nonce of 12, ciphertext with tag. The header and the id of the hand
are authenticated too, so that bytes of another hand, or under another key, do not open.
"""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.sealing_keys import SealingKeys
from services.dealer.domain.stream import derive, packed
from services.dealer.ports import Entropy

FORMAT = 1
NONCE_SIZE = 12
HEAD_SIZE = 2  # format and length of the key id
LABEL = b"sevenstud sealed hand 1"


class SealBroken(Exception):  # noqa: N818  # read as a sentence: the seal is broken
    """Sealed bytes that were changed, belong to another hand, or lie under a key that is not in the ring."""


class KeyMissing(SealBroken):
    """Sealed bytes whose key is not in the ring: nothing is wrong with them."""


class Vault:
    """Seals the secrets of hands and opens them again."""

    def __init__(self, keys: SealingKeys, entropy: Entropy | None = None) -> None:
        """Use this key ring; nonces are drawn."""
        self._keys = keys
        self._entropy = entropy or SystemEntropy()

    @property
    def key_ids(self) -> frozenset[str]:
        """The keys at hand."""
        return frozenset(self._keys.keys)

    def seal(self, hand_id: str, plain: bytes) -> bytes:
        """Secrets of a hand, sealed under the current key."""
        header = _header(self._keys.current_id)
        nonce = self._entropy.nonce(NONCE_SIZE)
        sealed = self._cipher(self._keys.current_id, hand_id).encrypt(nonce, plain, _bound(header, hand_id))
        return header + nonce + sealed

    def open(self, hand_id: str, sealed: bytes) -> bytes:
        """Secrets of a hand, or SealBroken."""
        key_id = key_id_of(sealed)
        header = _header(key_id)
        if key_id not in self._keys.keys or not sealed.startswith(header):
            raise KeyMissing(f"hand {hand_id} is sealed under the key {key_id!r}, which is not in the ring")
        nonce, rest = sealed[len(header) : len(header) + NONCE_SIZE], sealed[len(header) + NONCE_SIZE :]
        try:
            return self._cipher(key_id, hand_id).decrypt(nonce, rest, _bound(header, hand_id))
        except (InvalidTag, ValueError) as fault:
            raise SealBroken(f"the seal of hand {hand_id} does not open under the key {key_id!r}") from fault

    def _cipher(self, key_id: str, hand_id: str) -> AESGCM:
        return AESGCM(derive(self._keys.keys[key_id], b"", packed(LABEL, hand_id.encode())))


def key_id_of(sealed: bytes) -> str:
    """The id of the key that bytes were sealed under."""
    if len(sealed) < HEAD_SIZE or sealed[0] != FORMAT:
        raise SealBroken("these bytes are no sealed hand of a known format")
    return sealed[HEAD_SIZE : HEAD_SIZE + sealed[1]].decode("ascii", errors="replace")


def _header(key_id: str) -> bytes:
    name = key_id.encode("ascii", errors="replace")
    return bytes((FORMAT, len(name))) + name


def _bound(header: bytes, hand_id: str) -> bytes:
    return packed(header, hand_id.encode())
