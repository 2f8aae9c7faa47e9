"""The sums behind a proof, written anew from the README of the dealer; none of its code is used."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import Enum
from typing import TypeVar, cast

from shared.kernel.cards import Card
from shared.kernel.rules.hand import HandRules

T = TypeVar("T")
BLOCK_SIZE = 272
BYTE = 256
_BEFORE_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def packed(*parts: bytes) -> bytes:
    """Each part led by its length in four bytes, big endian."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def sha(*parts: bytes) -> bytes:
    """SHA-256 over the parts, one after another."""
    return hashlib.sha256(b"".join(parts)).digest()


def stream(key: bytes, label: bytes) -> Iterator[int]:
    """Block n is SHAKE-256 over key, label and n."""
    block = 0
    while True:
        yield from hashlib.shake_256(packed(key, label) + block.to_bytes(8, "big")).digest(BLOCK_SIZE)
        block += 1


def shuffled(items: Sequence[T], source: Iterator[int]) -> tuple[T, ...]:
    """Fisher-Yates from the last place down; a byte beyond the last whole share is thrown away (rule 3)."""
    order = list(items)
    for size in range(len(order), 1, -1):
        share = BYTE // size
        byte = next(source)
        while byte >= share * size:
            byte = next(source)
        order[size - 1], order[byte // share] = order[byte // share], order[size - 1]
    return tuple(order)


def card_leaf(position: int, salt: bytes, card: Card) -> bytes:
    """The hash that a card was hidden in."""
    return sha(b"\x00", bytes((position,)), salt, bytes((card,)))


def climb(leaf: bytes, position: int, path: Sequence[bytes]) -> bytes:
    """The root that a leaf leads to."""
    for depth, sibling in enumerate(path):
        leaf = sha(b"\x01", sibling, leaf) if position >> depth & 1 else sha(b"\x01", leaf, sibling)
    return leaf


def rules_digest(rules: HandRules) -> bytes:
    """SHA-256 over one line name=value a rule, sorted by name, values as in the JSON form of the contract."""
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return sha("".join(f"{name}={_text(values[name])}\n" for name in sorted(values) if values[name] != ()).encode())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(_text(item) for item in cast("tuple[object, ...]", value))
    if isinstance(value, Enum):
        return f"{_BEFORE_CAPITAL.sub('_', type(value).__name__).upper()}_{value.name}"
    return str(value)
