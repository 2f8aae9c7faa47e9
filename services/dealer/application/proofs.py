"""What may be read of a hand: its public record, and a seat's own openings."""

from services.dealer.domain.answers import commitment_of
from services.dealer.domain.guard import check_may_open
from services.dealer.domain.hand import Commitment
from services.dealer.domain.proof import Opening, Proof, own_openings, proof_of
from services.dealer.ports import Found, HandStore, Witness
from shared.kernel.errors import not_found


class Proofs:
    """Reads hands and changes nothing."""

    def __init__(self, store: HandStore, witness: Witness) -> None:
        """Use these."""
        self._store = store
        self._witness = witness

    async def get_proof(self, hand_id: str) -> Proof:
        """The public record of a hand."""
        found = await self._find(hand_id)
        return proof_of(found.record, found.secrets)

    async def get_openings(self, hand_id: str, seat: int) -> tuple[tuple[Opening, ...], Commitment]:
        """The openings of a seat's own cards so far, and of the common card; OUT_OF_STEP while they are sealed."""
        found = await self._find(hand_id)
        if seat not in found.record.terms.seats:
            raise not_found("seat", f"{seat} in hand {hand_id}")
        check_may_open(found.record, seat)
        openings = own_openings(found.record, found.secrets, seat) if found.record.deck_root else ()
        self._witness.own_openings_given(hand_id, seat)
        return openings, commitment_of(found.record)

    async def _find(self, hand_id: str) -> Found:
        found = (await self._store.look(hand_id)).found
        if found is None:
            raise not_found("hand", hand_id, "the orchestrator's ListHands gives the finished hands of a table")
        return found
