"""The draws of lots in the durable store, each bound by a key of the ring to what was drawn.

The id of a draw is the id of the request, which anybody can work out. Whoever can write to the database could otherwise
put the order there that he likes, with a seed that gives it, before or after the lots are drawn.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from sevenstud.dealer.stored.v1 import hand_record_pb2 as stored

from services.dealer.adapters.shuffle_book import use
from services.dealer.adapters.vault import KeyMissing, SealBroken, Vault, key_id_of
from services.dealer.domain.lots import DrawLots, Lots
from services.dealer.ports import Drawn
from shared.kernel.errors import DomainError, Reason
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

    def __init__(self, store: Store, vault: Vault) -> None:
        """Use these."""
        self._store = store
        self._vault = vault

    async def find(self, draw_id: str) -> Drawn | None:
        """See DrawStore.find."""
        rows = await self._store.read("SELECT record FROM dealer_draws WHERE draw_id = ?", (draw_id,))
        if not rows:
            return None
        content = rows[0][0]
        if not isinstance(content, bytes):
            raise TypeError("dealer_draws.record is no bytes")
        record = from_proto(self._checked(draw_id, content), DrawRecord)
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
        content = self._bound(lots.draw_id, to_proto(record, stored.DrawRecord).SerializeToString())
        values = (lots.draw_id, command.purpose, command.subject_id, lots.seed_commitment, content)
        await self._store.write([Statement(_INSERT, values, rows=1, label="draw"), use(shuffle_id)])

    def _bound(self, draw_id: str, content: bytes) -> bytes:
        """A serialised record with its binding as the last field."""
        return content + _field(self._vault.seal(_SEALED_AS + draw_id, hashlib.sha256(content).digest()))

    def _checked(self, draw_id: str, content: bytes) -> stored.DrawRecord:
        """The record as a dealer wrote it; SealBroken for any other, NOT_FOUND where its key was taken out."""
        record = stored.DrawRecord.FromString(content)
        field = _field(record.binding)
        try:
            digest = self._vault.open(_SEALED_AS + draw_id, record.binding)
        except KeyMissing as fault:
            message = f"{fault}: add that key to the ring again to read these lots"
            metadata = {"kind": "sealing key", "id": key_id_of(record.binding)}
            raise DomainError(Reason.NOT_FOUND, message, metadata) from None
        if not content.endswith(field) or digest != hashlib.sha256(content[: -len(field)]).digest():
            raise SealBroken(f"the draw {draw_id} was changed by somebody else than a dealer")
        return record


def _field(binding: bytes) -> bytes:
    """The binding as it ends a record; it is shorter than 128 bytes, so that one byte says its length."""
    return bytes((stored.DrawRecord.BINDING_FIELD_NUMBER << 3 | _LENGTH_DELIMITED, len(binding))) + binding


_SEALED_AS = "\x00lots "
"""No hand has an id that begins so: what is sealed as the one never opens as the other."""
_LENGTH_DELIMITED = 2
_INSERT = "INSERT INTO dealer_draws (draw_id, purpose, subject_id, seed_commitment, record) VALUES (?, ?, ?, ?, ?)"
