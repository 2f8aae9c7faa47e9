"""Drawing lots: one draw for one request id, kept before it is told, its seed open from then on."""

from services.dealer.application.hands import ATTEMPTS, contended, reused
from services.dealer.domain.lots import DrawLots, Lots, check_lots, draw_lots
from services.dealer.ports import Clock, Drawn, DrawStore, Entropy, Witness
from shared.storage.database import WriteConflict

PURPOSE = "lots"


class LotDraws:
    """Draws lots."""

    def __init__(self, store: DrawStore, entropy: Entropy, clock: Clock, witness: Witness) -> None:
        """Use these."""
        self._store = store
        self._entropy = entropy
        self._clock = clock
        self._witness = witness

    async def draw(self, request_id: str, command: DrawLots) -> Lots:
        """The entries in random order; the id of the request is the id of the draw."""
        check_lots(command)
        for _ in range(ATTEMPTS):
            found = await self._store.find(request_id)
            if found is not None:
                if found.command != command:
                    raise reused(request_id)
                return found.lots
            lots = await self._drawn(request_id, command)
            if lots is not None:
                return lots
        raise contended(request_id)

    async def _drawn(self, draw_id: str, command: DrawLots) -> Lots | None:
        seed = self._entropy.seed()
        self._witness.seed_drawn(PURPOSE)
        lots = draw_lots(command, draw_id, seed)
        try:
            await self._store.add(Drawn(command, lots), self._clock.now())
        except WriteConflict:
            self._witness.seed_discarded(PURPOSE)
            return None
        self._witness.lots_drawn(command.purpose)
        return lots
