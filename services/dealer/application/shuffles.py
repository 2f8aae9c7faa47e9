"""Shuffles, counted: each is written down before its seed is drawn, and ends used or voided with a reason (F18).

So a house that draws until it likes a deck leaves a row for every deck that it threw away, also if it stops the process
in between.
"""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from services.dealer.ports import Entropy, NewHand, ShuffleBook, Witness
from shared.storage.database import StoreError, WriteConflict

T = TypeVar("T")
HAND = "hand"
"""The purpose of a shuffle for a hand."""
ANOTHER_WAS_FIRST = "another request was first"
NOT_KEPT = "it could not be kept"


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A seed just drawn, and its number in the book."""

    shuffle_id: str
    seed: bytes = field(repr=False)


class Shuffles:
    """Draws seeds."""

    def __init__(self, book: ShuffleBook, entropy: Entropy, witness: Witness) -> None:
        """Use these."""
        self._book = book
        self._entropy = entropy
        self._witness = witness

    def drawn(self, purpose: str, subject_id: str) -> AbstractAsyncContextManager[Shuffle]:
        """A fresh seed, to be kept inside: what leaves by an exception voids the shuffle."""
        return self._drawn(purpose, self._book.begin(purpose, subject_id))

    def drawn_for(self, hand: NewHand) -> AbstractAsyncContextManager[Shuffle]:
        """The same for a hand; WriteConflict, and no shuffle, where it is not new or its number is not due."""
        return self._drawn(HAND, self._book.begin_hand(hand))

    @asynccontextmanager
    async def _drawn(self, purpose: str, begun: Awaitable[str]) -> AsyncGenerator[Shuffle, None]:
        shuffle_id = await begun
        self._witness.shuffle_drawn(purpose)
        try:
            yield Shuffle(shuffle_id, self._entropy.seed())
        except BaseException as fault:
            reason = ANOTHER_WAS_FIRST if isinstance(fault, WriteConflict) else NOT_KEPT
            with suppress(StoreError):  # the next start voids what cannot be voided now
                if await self._book.void(shuffle_id, reason):
                    self._witness.shuffle_voided(purpose, reason)
            raise
        self._witness.shuffle_used(purpose)
