"""Drawing lots: one draw for one request id, kept before it is told, its seed open from then on."""

from services.dealer.application.hands import ATTEMPTS, contended, reused
from services.dealer.application.shuffles import Shuffles
from services.dealer.domain.lots import DrawLots, Lots, check_lots, draw_lots
from services.dealer.ports import Clock, Drawn, DrawStore, Witness
from shared.storage.database import WriteConflict
from shared.storage.to_its_end import to_its_end

PURPOSE = "lots"


class LotDraws:
    """Draws lots."""

    def __init__(self, store: DrawStore, shuffles: Shuffles, clock: Clock, witness: Witness) -> None:
        """Use these."""
        self._store = store
        self._shuffles = shuffles
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
            try:
                return await to_its_end(self._drawn(request_id, command))
            except WriteConflict:
                continue  # another request with this id was first
        raise contended(request_id)

    async def _drawn(self, draw_id: str, command: DrawLots) -> Lots:
        async with self._shuffles.drawn(PURPOSE, draw_id) as shuffle:
            lots = draw_lots(command, draw_id, shuffle.seed)
            await self._store.add(Drawn(command, lots), self._clock.now(), shuffle.shuffle_id)
        self._witness.lots_drawn(command.purpose)
        return lots
