"""The count of shuffles in the durable store."""

import asyncio

from services.dealer.adapters.system import SystemEntropy
from services.dealer.ports import Entropy, NewHand, ShuffleCount
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

    async def begin_hand(self, hand: NewHand) -> str:
        """See ShuffleBook.begin_hand; looking and writing are one statement."""
        shuffle_id = self._entropy.nonce(16).hex()
        params = (shuffle_id, hand.hand_id, hand.table_id, hand.hand_number, hand.request_id)
        await self._store.write([Statement(_BEGIN_HAND, params, rows=1, label="new hand")])
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
_BEGIN_HAND = (
    "INSERT INTO dealer_shuffles (shuffle_id, purpose, subject_id, outcome, void_reason)"
    " SELECT asked.shuffle_id, 'hand', asked.hand_id, 'begun', ''"
    " FROM (SELECT CAST(? AS TEXT) AS shuffle_id, CAST(? AS TEXT) AS hand_id, CAST(? AS TEXT) AS table_id,"
    " CAST(? AS BIGINT) AS hand_number, CAST(? AS TEXT) AS request_id) asked"
    " WHERE NOT EXISTS (SELECT 1 FROM dealer_hands known WHERE known.hand_id = asked.hand_id)"
    " AND NOT EXISTS (SELECT 1 FROM dealer_requests used WHERE used.request_id = asked.request_id)"
    " AND asked.hand_number = 1 + COALESCE("
    "(SELECT MAX(earlier.hand_number) FROM dealer_hands earlier WHERE earlier.table_id = asked.table_id), 0)"
)
_USE = "UPDATE dealer_shuffles SET outcome = 'used' WHERE shuffle_id = ? AND outcome = 'begun'"
_VOID = "UPDATE dealer_shuffles SET outcome = 'voided', void_reason = ? WHERE shuffle_id = ? AND outcome = 'begun'"
_VOID_ALL = "UPDATE dealer_shuffles SET outcome = 'voided', void_reason = ? WHERE outcome = 'begun'"
_COUNT = "SELECT purpose, outcome, COUNT(*) FROM dealer_shuffles GROUP BY purpose, outcome"
