"""The counts of the live watch in the durable store, sealed: the difference of two of them would be a few decks.

Plain text: hands in 8 bytes, then each cell in 4, big endian. What cannot be read begins anew: it is a count, no book.
"""

import struct

from services.dealer.adapters.vault import SealBroken, Vault, key_id_of
from services.dealer.domain.live_watch import CELLS, NOTHING, CardCounts
from services.dealer.domain.shuffle import SHUFFLE_VERSION
from services.dealer.ports import KeptCounts
from shared.observability.logging import Log
from shared.storage.database import Statement, Store

LAYOUT = struct.Struct(f">Q{CELLS}I")
SEALED_AS = f"\x00live watch of {SHUFFLE_VERSION}"
"""No hand has such an id: what is sealed as the one never opens as the other."""


class StoredWatch:
    """See services.dealer.ports.WatchBook; one row for each shuffle version."""

    def __init__(self, store: Store, vault: Vault, log: Log) -> None:
        """Use these."""
        self._store = store
        self._vault = vault
        self._log = log

    async def read(self) -> KeptCounts:
        """See WatchBook.read."""
        rows = await self._store.read(_SELECT, (SHUFFLE_VERSION,))
        if not rows:
            return KeptCounts(0, NOTHING)
        version, sealed = rows[0]
        if not isinstance(version, int) or not isinstance(sealed, bytes):
            raise TypeError("dealer_watch holds a row of the wrong types")
        return KeptCounts(version, self._opened(sealed))

    def _opened(self, sealed: bytes) -> CardCounts:
        try:
            hands, *cells = LAYOUT.unpack(self._vault.open(SEALED_AS, sealed))
        except (SealBroken, struct.error) as fault:
            self._log.warning("live_watch_begins_anew", cause=type(fault).__name__)
            return NOTHING
        return CardCounts(hands, tuple(cells))

    async def save(self, version: int, counts: CardCounts) -> None:
        """See WatchBook.save."""
        sealed = self._vault.seal(SEALED_AS, LAYOUT.pack(counts.hands, *counts.cells))
        key_id = key_id_of(sealed)
        if version:
            await self._store.write(
                [Statement(_UPDATE, (key_id, sealed, SHUFFLE_VERSION, version), rows=1, label="watch")]
            )
        else:
            await self._store.write([Statement(_INSERT, (SHUFFLE_VERSION, key_id, sealed), rows=1, label="watch")])


_SELECT = "SELECT version, sealed FROM dealer_watch WHERE shuffle_version = ?"
_INSERT = "INSERT INTO dealer_watch (shuffle_version, version, key_id, sealed) VALUES (?, 1, ?, ?)"
_UPDATE = (
    "UPDATE dealer_watch SET version = version + 1, key_id = ?, sealed = ? WHERE shuffle_version = ? AND version = ?"
)
