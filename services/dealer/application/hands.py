"""The steps of a hand: each is decided by the guard, kept durably, and only then answered."""

from dataclasses import dataclass

from services.dealer.domain.advance import advance
from services.dealer.domain.answers import (
    SeatCards,
    StreetDealt,
    commitment_of,
    hands_shown,
    street_dealt,
)
from services.dealer.domain.commitment import fix_deck
from services.dealer.domain.guard import answered_by, in_dealing_order
from services.dealer.domain.hand import Commitment, HandRecord, Question, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.proof import Opening, openings_shown, public_openings
from services.dealer.ports import Asked, Clock, DeckWatch, Found, HandStore, Witness
from shared.kernel.errors import DomainError, Reason, not_found
from shared.kernel.game import Street
from shared.storage.database import WriteConflict

ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Answered:
    """A hand, and the step of it that answers a question."""

    record: HandRecord
    secrets: HandSecrets
    number: int


class Hands:
    """Everything that happens to a hand after it was opened."""

    def __init__(self, store: HandStore, clock: Clock, witness: Witness, watch: DeckWatch) -> None:
        """Use these."""
        self._store = store
        self._clock = clock
        self._witness = witness
        self._watch = watch

    async def contribute_entropy(self, request_id: str, hand_id: str, seat: int, entropy: bytes) -> Commitment:
        """Add a seat's entropy; the last of the seats asked fixes the deck."""
        question = Question(step=StepName.CONTRIBUTE_ENTROPY, seats=(seat,), payload=entropy)
        return _commitment(await self._ask(request_id, hand_id, question))

    async def fix_deck(self, request_id: str, hand_id: str) -> Commitment:
        """Fix the deck with the entropy that came so far."""
        return _commitment(await self._ask(request_id, hand_id, Question(step=StepName.FIX_DECK)))

    async def deal_street(
        self, request_id: str, hand_id: str, street: Street, live_seats: tuple[int, ...]
    ) -> StreetDealt:
        """Burn and deal the next street."""
        question = Question(step=StepName.DEAL_STREET, street=street, seats=live_seats)
        answered = await self._ask(request_id, hand_id, question)
        return street_dealt(answered.record, answered.secrets, answered.number)

    async def reveal_for_ranking(self, request_id: str, hand_id: str, seats: tuple[int, ...]) -> tuple[SeatCards, ...]:
        """Give live hands for the comparison at the showdown; they stay closed to everybody else."""
        answered = await self._ask(request_id, hand_id, Question(step=StepName.REVEAL_FOR_RANKING, seats=seats))
        return hands_shown(answered.record, answered.secrets, answered.number)

    async def open_cards(
        self, request_id: str, hand_id: str, seats: tuple[int, ...]
    ) -> tuple[tuple[SeatCards, ...], tuple[Opening, ...]]:
        """Record that seats showed, and open their cards for everybody."""
        answered = await self._ask(request_id, hand_id, Question(step=StepName.OPEN_CARDS, seats=seats))
        shown = (answered.record, answered.secrets, answered.number)
        return hands_shown(*shown), openings_shown(*shown)

    async def close_hand(self, request_id: str, hand_id: str) -> tuple[Opening, ...]:
        """End a hand; the openings of everything that everybody saw."""
        answered = await self._ask(request_id, hand_id, Question(step=StepName.CLOSE_HAND))
        return public_openings(answered.record, answered.secrets)

    async def void_hand(self, request_id: str, hand_id: str, reason: str) -> None:
        """End a hand that cannot go on (rule 106)."""
        await self._ask(request_id, hand_id, Question(step=StepName.VOID_HAND, payload=reason.encode()))

    async def _ask(self, request_id: str, hand_id: str, question: Question) -> Answered:
        """The step that answers a question: an earlier one, or a new one that is durable when this returns."""
        for _ in range(ATTEMPTS):
            look = await self._store.look(hand_id, request_id)
            if look.found is None:
                raise not_found("hand", hand_id)
            ordered = _ordered(look.found.record, question)
            try:
                return await self._answer(request_id, look.found, ordered, look.asked)
            except WriteConflict:
                continue  # another request was first: decide again on what it left
        raise contended(hand_id)

    async def _answer(self, request_id: str, found: Found, question: Question, asked: Asked | None) -> Answered:
        record, secrets = found.record, found.secrets
        number = answered_by(record, question)
        if asked is not None:
            if asked.hand_id != record.terms.hand_id or asked.step_number != number:
                raise reused(request_id)
            return Answered(record, secrets, asked.step_number)
        if number is not None:
            await self._store.remember(request_id, Asked(record.terms.hand_id, number))
            return Answered(record, secrets, number)
        record = advance(record, secrets, question, self._clock.now())
        await self._store.save(record, secrets, request_id)
        self._witness.step_taken(record, record.steps[-1])
        if record.closed and _is_chance(record):
            await self._watch.count(fix_deck(record.terms, secrets.seed, record.entropy).cards)
        return Answered(record, secrets, record.version - 1)


def _is_chance(record: HandRecord) -> bool:
    """No card of it was chosen, nor could be."""
    return bool(record.deck_root) and not record.terms.scripted and not record.scripted_decks_allowed


def _ordered(record: HandRecord, question: Question) -> Question:
    """The seats of the question in dealing order; dealing itself must name them so."""
    ordered = in_dealing_order(record, question.seats)
    if question.step is StepName.DEAL_STREET and question.seats != ordered:
        listed = ", ".join(str(seat) for seat in ordered)
        raise DomainError(
            Reason.REQUEST_INVALID, f"live_seats: write them in dealing order: {listed}", {"field": "live_seats"}
        )
    return Question(step=question.step, street=question.street, seats=ordered, payload=question.payload)


def _commitment(answered: Answered) -> Commitment:
    return commitment_of(answered.record, answered.record.steps[: answered.number + 1])


def reused(request_id: str) -> DomainError:
    """The id was used before with other content."""
    message = f"request id {request_id} was used before with other content: send a new id"
    return DomainError(Reason.REQUEST_ID_REUSED, message, {"request_id": request_id})


def contended(hand_id: str) -> DomainError:
    """Too many requests for one hand at the same moment; nothing was changed by this one."""
    message = f"others are writing to hand {hand_id} all the time: ask again"
    return DomainError(Reason.DEPENDENCY_UNAVAILABLE, message, {"service": "dealer store"})
