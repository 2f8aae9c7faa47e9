"""Bytes for the shuffle: keys by HKDF (RFC 5869, SHA-256) under a label of their own, streams by SHAKE-256.

Nothing here draws randomness: a seed of 32 fresh bytes of the operating system comes in from outside.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from itertools import chain, count

KEY_SIZE = 32
BLOCK_SIZE = 272  # two rates of SHAKE-256: a whole deck needs 54 bytes on average, so one block serves it


def packed(*parts: bytes) -> bytes:
    """The parts one after another, each led by its length in four bytes, so that no two lists give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def derive(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """A key of 32 bytes from a secret, by HKDF with SHA-256; another info gives an unrelated key."""
    return derive_each(secret, salt, (info,))[0]


def derive_each(secret: bytes, salt: bytes, infos: Sequence[bytes]) -> tuple[bytes, ...]:
    """A key for each info."""
    extracted = hmac.digest(salt or bytes(KEY_SIZE), secret, "sha256")
    return tuple(hmac.digest(extracted, info + b"\x01", "sha256") for info in infos)


def byte_stream(key: bytes, label: bytes) -> Iterator[int]:
    """An endless stream of bytes: block n is SHAKE-256(key, label, n), 272 bytes each."""
    head = packed(key, label)
    return chain.from_iterable(_block(head, number) for number in count())


def stream_start(key: bytes, label: bytes, size: int) -> bytes:
    """The first bytes of the same stream, all at once."""
    head = packed(key, label)
    return b"".join(_block(head, block) for block in range(-(-size // BLOCK_SIZE)))[:size]


def _block(head: bytes, block: int) -> bytes:
    return hashlib.shake_256(head + block.to_bytes(8, "big")).digest(BLOCK_SIZE)
