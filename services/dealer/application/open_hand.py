"""Opening a hand: one seed for one number of one table, counted, sealed and committed to before anything is told."""

from contextlib import suppress
from dataclasses import replace

from services.dealer.application.hands import ATTEMPTS, contended, reused
from services.dealer.application.shuffles import Shuffles
from services.dealer.domain.answers import commitment_of
from services.dealer.domain.hand import Commitment, HandRecord
from services.dealer.domain.opening import OpenHand, check_open, opened
from services.dealer.domain.shuffle import SHUFFLE_VERSION
from services.dealer.ports import Asked, Clock, HandStore, Look, NewHand, Witness
from shared.kernel.errors import DomainError, Reason, out_of_step
from shared.storage.database import WriteConflict
from shared.storage.to_its_end import to_its_end


class OpenHands:
    """Opens hands."""

    def __init__(
        self, store: HandStore, shuffles: Shuffles, clock: Clock, witness: Witness, *, scripted_decks: bool
    ) -> None:
        """Use these; scripted decks are for replays and tests and change whom one should trust."""
        self._store = store
        self._shuffles = shuffles
        self._clock = clock
        self._witness = witness
        self._scripted_decks = scripted_decks

    async def open_hand(self, request_id: str, command: OpenHand) -> Commitment:
        """Draw a seed for a hand and commit to it; the same hand asked for again has the same commitment."""
        check_open(command)
        self._check_script(command)
        for _ in range(ATTEMPTS):
            with suppress(WriteConflict):  # it is not new, or not due, or another request was first
                return _first_commitment(await to_its_end(self._drawn(request_id, command)))
            with suppress(WriteConflict):
                record = await self._known(request_id, command)
                if record is not None:
                    return _first_commitment(record)
        raise contended(command.hand_id)

    def _check_script(self, command: OpenHand) -> None:
        if command.script is not None and not self._scripted_decks:
            message = (
                "this dealer deals no chosen cards: start one with SEVENSTUD_DEALER_SCRIPTED_DECKS=allowed for replays"
            )
            raise DomainError(Reason.SCRIPTED_DECKS_REFUSED, message)

    async def _known(self, request_id: str, command: OpenHand) -> HandRecord | None:
        """The hand as it was opened before, or why it cannot be opened; None where it can by now."""
        look = await self._store.look(command.hand_id, request_id, command.table_id)
        record, due = await self._repeated(request_id, command, look), look.last_number + 1
        if record is None and command.hand_number != due:
            step = f"open_hand with hand number {command.hand_number} at table {command.table_id}"
            raise out_of_step(step, f"hand number {due}")
        return record

    async def _repeated(self, request_id: str, command: OpenHand, look: Look) -> HandRecord | None:
        """The hand as it was opened before; a refusal where it, or the request id, was used for something else."""
        found, asked = look.found, look.asked
        same = found is not None and found.record.terms == command.terms() and found.secrets.script == command.script
        if asked is not None and not (same and asked == Asked(command.hand_id, 0)):
            raise reused(request_id)
        if found is None:
            return None
        if not same:
            message = f"the hand {command.hand_id} was opened before with other content: give a new hand its own id"
            raise DomainError(Reason.ALREADY_EXISTS, message, {"kind": "hand", "id": command.hand_id})
        if asked is None:
            await self._store.remember(request_id, Asked(command.hand_id, 0))
        return found.record

    async def _drawn(self, request_id: str, command: OpenHand) -> HandRecord:
        """Where it is new: WriteConflict, and nothing drawn, where it is not."""
        hand = NewHand(command.hand_id, command.table_id, command.hand_number, request_id)
        async with self._shuffles.drawn_for(hand) as shuffle:
            record, secrets = opened(command, shuffle.seed, SHUFFLE_VERSION, self._clock.now())
            record = replace(record, scripted_decks_allowed=self._scripted_decks)
            await self._store.add(record, secrets, request_id, shuffle.shuffle_id)
        self._witness.hand_opened(record)
        return record


def _first_commitment(record: HandRecord) -> Commitment:
    """As it was when the hand was opened."""
    return commitment_of(record, record.steps[:1])
