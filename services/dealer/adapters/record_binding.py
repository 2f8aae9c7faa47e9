"""The record of a hand bound to its seed: what a dealer did not write, no dealer believes.

A record is public and stands in clear beside the sealed seed. Whoever can write to the database could otherwise say
that a seat showed, or that it was dealt other positions, and have the dealer open any card of the deck to it.
"""

import hashlib
import hmac

from sevenstud.dealer.stored.v1 import hand_record_pb2 as stored

from services.dealer.adapters.vault import SealBroken
from services.dealer.domain.stream import derive, packed

LABEL = b"sevenstud hand record 1"
MAC_SIZE = 32
_LENGTH_DELIMITED = 2
_HEAD = bytes((stored.HandRecord.BINDING_FIELD_NUMBER << 3 | _LENGTH_DELIMITED, MAC_SIZE))


def bound(hand_id: str, seed: bytes, record: bytes) -> bytes:
    """A serialised record with its binding as the last field."""
    return record + _HEAD + _mac(hand_id, seed, record)


def check_bound(hand_id: str, seed: bytes, content: bytes) -> None:
    """Refuse a record that was changed (SealBroken)."""
    record, head, mac = content[: -MAC_SIZE - 2], content[-MAC_SIZE - 2 : -MAC_SIZE], content[-MAC_SIZE:]
    if head != _HEAD or not hmac.compare_digest(mac, _mac(hand_id, seed, record)):
        raise SealBroken(f"the record of hand {hand_id} was changed by somebody else than a dealer")


def _mac(hand_id: str, seed: bytes, record: bytes) -> bytes:
    return hmac.digest(derive(seed, b"", packed(LABEL, hand_id.encode())), record, hashlib.sha256)
