"""A dealer in memory that only draws lots: the same question has the same answer, as at the real one."""

import random
from collections.abc import Sequence

from services.orchestrator.domain.dealing import Lots


class LotsDouble:
    """The part of ports.Dealer that the director uses."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._known: dict[str, Lots] = {}
        self.draws: list[tuple[str, tuple[str, ...]]] = []

    async def draw_lots(self, purpose: str, subject_id: str, entries: Sequence[str], step: str) -> Lots:
        assert len(set(entries)) == len(entries), "entries must differ"
        assert len(entries) <= 1000
        key = f"{purpose}|{subject_id}|{step}|{'|'.join(entries)}"
        if key in self._known:
            return self._known[key]
        drawn = list(entries)
        random.Random(f"{self._seed}|{key}").shuffle(drawn)
        self.draws.append((purpose, tuple(entries)))
        self._known[key] = Lots(drawn=tuple(drawn), draw_id=f"draw-{len(self.draws)}")
        return self._known[key]
