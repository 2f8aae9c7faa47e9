"""For auditors, who have the seed of a hand or of lots: the deck, the river key and the lots anew.

Beside `verifier.py`, it imports nothing of ours.
"""

import base64
import hashlib
import hmac

from tests.fairness.verifier import (
    CARDS_IN_DECK,
    Record,
    entropy,
    packed,
    raw,
    require,
    sha,
    shuffled,
    stream,
    terms,
)


def text(value: bytes) -> str:
    """Bytes in the JSON form."""
    return base64.b64encode(value).decode()


def hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """RFC 5869 with SHA-256, one block."""
    extracted = hmac.new(salt or bytes(32), secret, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def deck_from_seed(record: Record, seed: bytes) -> tuple[list[int], bytes]:
    """The whole deck, and the river key."""
    deck_key = hkdf(seed, entropy(record), packed(b"deck", terms(record)))
    return shuffled(range(1, CARDS_IN_DECK + 1), stream(deck_key, b"deck")), river_key_from_seed(record, seed)


def river_key_from_seed(record: Record, seed: bytes) -> bytes:
    """The key that a reshuffle or a common card is drawn with."""
    committed = sha(packed(b"sevenstud seed 1", record["hand_id"].encode(), seed))
    require(committed == raw(record["commitment"]["seed_commitment"]), "the seed is another")
    return hkdf(seed, entropy(record), packed(b"river", terms(record)))


def verify_lots(request: Record, lots: Record) -> None:
    """The lots come from the seed that is shown with them."""
    seed, draw_id = raw(lots["seed"]), lots["draw_id"].encode()
    committed = sha(packed(b"sevenstud seed 1", draw_id, seed))
    require(committed == raw(lots["seed_commitment"]), "the seed is another")
    texts = (lots["shuffle_version"], request["purpose"], request["subject_id"])
    bound = packed(*(text.encode() for text in texts), draw_id)
    key = hkdf(seed, b"", packed(b"lots", bound, packed(*(entry.encode() for entry in request["entries"]))))
    require(shuffled(request["entries"], stream(key, b"lots")) == lots["drawn"], "the lots are others")
