"""The commitment to a deck: a salted leaf for each position, and the root of their tree.

Leaf: SHA-256(0x00, position, salt, card), one byte each but the salt of 16. Node: SHA-256(0x01, left, right). The 52
leaves stand first of 64 (the rest are zeros); their root is the left child of the deck root, and a leaf over the public
terms of the hand is the right one, so that a proof for one hand proves nothing for another.
"""

import hashlib
from collections.abc import Sequence

from shared.kernel.cards import Card

SALT_SIZE = 16
LEAVES = 64
EMPTY_LEAF = bytes(32)


_BYTES = tuple(bytes((number,)) for number in range(LEAVES))
_LEAF_HEADS = tuple(b"\x00" + position for position in _BYTES)


def card_leaf(position: int, salt: bytes, card: Card) -> bytes:
    """The hash that hides one card until its salt is opened."""
    return hashlib.sha256(_LEAF_HEADS[position] + salt + _BYTES[card]).digest()


def terms_leaf(terms: bytes) -> bytes:
    """The hash over what is public about the hand."""
    return hashlib.sha256(b"\x02" + terms).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The parent of two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree(leaves: Sequence[bytes]) -> tuple[tuple[bytes, ...], ...]:
    """All levels over the card leaves, from the 64 leaves to their one root."""
    level = tuple(leaves) + (EMPTY_LEAF,) * (LEAVES - len(leaves))
    levels = [level]
    while len(level) > 1:
        level = tuple([node(left, right) for left, right in zip(level[::2], level[1::2], strict=True)])
        levels.append(level)
    return tuple(levels)


def path_of(levels: Sequence[Sequence[bytes]], position: int) -> tuple[bytes, ...]:
    """The sibling hashes of a leaf, from its own level up to below the root of the cards."""
    return tuple(level[(position >> depth) ^ 1] for depth, level in enumerate(levels[:-1]))


def climb(leaf: bytes, position: int, path: Sequence[bytes]) -> bytes:
    """The root that a leaf leads to along its path."""
    for depth, sibling in enumerate(path):
        leaf = node(sibling, leaf) if position >> depth & 1 else node(leaf, sibling)
    return leaf
