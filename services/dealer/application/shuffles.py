"""Shuffles, counted: each is written down before its seed is drawn, and ends used or voided with a reason (F18).

So a house that draws until it likes a deck leaves a row for every deck that it threw away, also if it stops the process
in between.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from services.dealer.ports import Entropy, ShuffleBook, Witness
from shared.storage.database import StoreError, WriteConflict

T = TypeVar("T")
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

    @asynccontextmanager
    async def drawn(self, purpose: str, subject_id: str) -> AsyncGenerator[Shuffle, None]:
        """A fresh seed, to be kept inside: what leaves by an exception voids the shuffle."""
        shuffle_id = await self._book.begin(purpose, subject_id)
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


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await work that goes on when the caller is cancelled: no shuffle is left behind half-way (trust S4)."""
    task = asyncio.ensure_future(work)
    _running.add(task)
    task.add_done_callback(_forget)
    return await asyncio.shield(task)


def _forget(task: "asyncio.Task[Any]") -> None:
    _running.discard(task)
    if not task.cancelled():
        task.exception()  # seen, should nobody wait for it any more


_running: set["asyncio.Task[Any]"] = set()
