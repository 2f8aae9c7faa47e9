"""Many hands at once (rules 117-122)."""

import asyncio
from collections.abc import Callable

from services.evaluator.application.slots import Slots
from services.evaluator.ports.batch_engine import BatchEngine
from shared.kernel.errors import DomainError, FieldViolation, Reason

MASK_BYTES = 8


class ValueBatch:
    """Values a batch slice by slice; between two slices everybody else has a turn."""

    def __init__(self, engine: BatchEngine, slots: Slots, asked: Callable[[int], None] | None = None) -> None:
        """Use this engine, at most as many batches at once as there are slots; ``asked`` hears the size of each."""
        self._engine = engine
        self._slots = slots
        self._asked = asked

    async def strengths(self, masks: bytes, caller: str = "") -> bytes:
        """Strengths in the order asked, 4 bytes each, little endian; CARDS_INVALID names the first bad mask."""
        if len(masks) % MASK_BYTES:
            problem = f"{MASK_BYTES} bytes for each hand; {len(masks)} bytes are no multiple of that"
            violation = FieldViolation("masks", problem)
            raise DomainError(Reason.REQUEST_INVALID, f"masks: {problem}", {"field": "masks"}, (violation,))
        with self._slots.taken(caller):
            if self._asked is not None:
                self._asked(len(masks) // MASK_BYTES)
            return await self._sliced(masks)

    async def _sliced(self, masks: bytes) -> bytes:
        strengths = bytearray()
        size = self._engine.slice_hands * MASK_BYTES
        for start in range(0, len(masks), size):
            hands = self._engine.read_masks(masks[start : start + size])
            self._engine.check(hands, "masks", start // MASK_BYTES)
            strengths += self._engine.strengths(hands)
            await asyncio.sleep(0)
        return bytes(strengths)
