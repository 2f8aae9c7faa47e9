"""The draws of lots in the durable store."""

from dataclasses import dataclass
from datetime import datetime

from sevenstud.dealer.stored.v1 import hand_record_pb2 as stored

from services.dealer.adapters.shuffle_book import use
from services.dealer.domain.lots import DrawLots, Lots
from services.dealer.ports import Drawn
from shared.rpc.mirror import from_proto, to_proto
from shared.storage.database import Statement, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRecord:
    """The row of one draw."""

    purpose: str
    subject_id: str
    entries: tuple[str, ...]
    drawn: tuple[str, ...]
    draw_id: str
    seed: bytes
    seed_commitment: bytes
    shuffle_version: str
    at: datetime


class StoredDraws:
    """See services.dealer.ports.DrawStore."""

    def __init__(self, store: Store) -> None:
        """Use this store."""
        self._store = store

    async def find(self, draw_id: str) -> Drawn | None:
        """See DrawStore.find."""
        rows = await self._store.read("SELECT record FROM dealer_draws WHERE draw_id = ?", (draw_id,))
        if not rows:
            return None
        content = rows[0][0]
        if not isinstance(content, bytes):
            raise TypeError("dealer_draws.record is no bytes")
        record = from_proto(stored.DrawRecord.FromString(content), DrawRecord)
        command = DrawLots(purpose=record.purpose, subject_id=record.subject_id, entries=record.entries)
        lots = Lots(
            drawn=record.drawn,
            draw_id=record.draw_id,
            seed=record.seed,
            seed_commitment=record.seed_commitment,
            shuffle_version=record.shuffle_version,
        )
        return Drawn(command, lots)

    async def add(self, drawn: Drawn, at: datetime, shuffle_id: str) -> None:
        """See DrawStore.add."""
        command, lots = drawn.command, drawn.lots
        record = DrawRecord(
            purpose=command.purpose,
            subject_id=command.subject_id,
            entries=command.entries,
            drawn=lots.drawn,
            draw_id=lots.draw_id,
            seed=lots.seed,
            seed_commitment=lots.seed_commitment,
            shuffle_version=lots.shuffle_version,
            at=at,
        )
        content = to_proto(record, stored.DrawRecord).SerializeToString()
        values = (lots.draw_id, command.purpose, command.subject_id, lots.seed_commitment, content)
        await self._store.write([Statement(_INSERT, values, rows=1, label="draw"), use(shuffle_id)])


_INSERT = "INSERT INTO dealer_draws (draw_id, purpose, subject_id, seed_commitment, record) VALUES (?, ?, ?, ?, ?)"
