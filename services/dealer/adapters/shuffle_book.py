"""The count of shuffles in the durable store."""

import asyncio

from services.dealer.adapters.system import SystemEntropy
from services.dealer.ports import Entropy, ShuffleCount
from shared.storage.database import Statement, Store

CUT_OFF = "the dealer ended before the shuffle was used"


class StoredShuffles:
    """See services.dealer.ports.ShuffleBook."""

    def __init__(self, store: Store, entropy: Entropy | None = None) -> None:
        """Use this store; shuffles are named by chance."""
        self._store = store
        self._entropy = entropy or SystemEntropy()

    async def begin(self, purpose: str, subject_id: str) -> str:
        """See ShuffleBook.begin."""
        shuffle_id = self._entropy.nonce(16).hex()
        await self._store.write([Statement(_BEGIN, (shuffle_id, purpose, subject_id), rows=1, label="shuffle")])
        return shuffle_id

    async def void(self, shuffle_id: str, reason: str) -> bool:
        """See ShuffleBook.void; one write after any earlier one, so that a shuffle that was used stays so."""
        await self._store.write([Statement(_VOID, (reason, shuffle_id))])
        rows = await self._store.read("SELECT outcome FROM dealer_shuffles WHERE shuffle_id = ?", (shuffle_id,))
        return rows == [("voided",)]

    async def void_abandoned(self, after_seconds: float) -> int:
        """The same where other dealers may be drawing: what is begun now and still begun after a while.

        One that is used after all, by a dealer that was stopped for so long, draws again: its write finds it voided.
        """
        rows = await self._store.read("SELECT shuffle_id FROM dealer_shuffles WHERE outcome = 'begun'")
        await asyncio.sleep(after_seconds)
        return sum([await self.void(str(shuffle_id), CUT_OFF) for (shuffle_id,) in rows])

    async def void_cut_off(self) -> int:
        """End, at a start, what the last process had begun; how many shuffles that were."""
        ((count,),) = await self._store.read("SELECT COUNT(*) FROM dealer_shuffles WHERE outcome = 'begun'")
        if not isinstance(count, int):
            raise TypeError("a count is no number")
        if count:
            await self._store.write([Statement(_VOID_ALL, (CUT_OFF,))])
        return count

    async def counts(self) -> tuple[ShuffleCount, ...]:
        """All shuffles ever drawn, by purpose and outcome."""
        rows = await self._store.read(_COUNT)
        return tuple(ShuffleCount(str(purpose), str(outcome), int(count or 0)) for purpose, outcome, count in rows)


def use(shuffle_id: str) -> Statement:
    """Part of the write that keeps a hand or a draw: its shuffle is used, once."""
    return Statement(_USE, (shuffle_id,), rows=1, label="shuffle")


_BEGIN = (
    "INSERT INTO dealer_shuffles (shuffle_id, purpose, subject_id, outcome, void_reason) VALUES (?, ?, ?, 'begun', '')"
)
_USE = "UPDATE dealer_shuffles SET outcome = 'used' WHERE shuffle_id = ? AND outcome = 'begun'"
_VOID = "UPDATE dealer_shuffles SET outcome = 'voided', void_reason = ? WHERE shuffle_id = ? AND outcome = 'begun'"
_VOID_ALL = "UPDATE dealer_shuffles SET outcome = 'voided', void_reason = ? WHERE outcome = 'begun'"
_COUNT = "SELECT purpose, outcome, COUNT(*) FROM dealer_shuffles GROUP BY purpose, outcome"
