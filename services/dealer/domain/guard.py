"""The guard of a hand: every step once only and in order (trust: no early street, no silent second answer).

A question that was answered before has the same answer again. Any other question must be the next step, for seats that
are live; else it is refused and the record stays as it is.
"""

from services.dealer.domain.hand import STREETS, HandRecord, Question, StepName
from services.dealer.domain.opening import invalid
from services.dealer.domain.streets import Dealing
from shared.kernel.errors import DomainError, out_of_step
from shared.kernel.game import Street

STEPS_MAX = 100
"""Most steps of one hand: it bounds the record. A whole hand needs about 8, and at most 8 more for entropy."""
TELLING = (StepName.REVEAL_FOR_RANKING, StepName.OPEN_CARDS)
"""Steps that give the cards of their seats, and stand in the public record."""
SEATS_TO_DEAL = 2
"""With one live seat the hand is over and no card is dealt (rule 12)."""


def answered_by(record: HandRecord, question: Question) -> int | None:
    """The step that answered this question before, by its number from 0."""
    return next((number for number, step in enumerate(record.steps) if step.question == question), None)


def in_dealing_order(record: HandRecord, seats: tuple[int, ...]) -> tuple[int, ...]:
    """Seats of the hand in the order they are dealt to."""
    if len(set(seats)) != len(seats):
        raise invalid("seats", "name each seat once")
    if set(seats) - set(record.terms.seats):
        raise invalid("seats", f"only seats that were dealt in: {_listed(record.terms.seats)}")
    return tuple(seat for seat in record.terms.seats if seat in seats)


def check_step(record: HandRecord, dealing: Dealing, question: Question) -> None:
    """Refuse a step that does not follow from the state reached."""
    if record.closed or record.voided:
        raise _refused(question, f"nothing: the hand was {'closed' if record.closed else 'voided'}")
    if record.version >= STEPS_MAX and question.step is not StepName.VOID_HAND:
        raise _refused(question, f"{StepName.VOID_HAND}: the hand has taken its {STEPS_MAX} steps")
    match question.step:
        case StepName.CONTRIBUTE_ENTROPY:
            _check_entropy(record, question)
        case StepName.FIX_DECK if record.deck_root:
            raise _refused(question, next_step(record, dealing))
        case StepName.DEAL_STREET:
            _check_deal(record, dealing, question)
        case StepName.REVEAL_FOR_RANKING:
            _check_cards(record, dealing, question, after=Street.SEVENTH)
        case StepName.OPEN_CARDS | StepName.CLOSE_HAND:
            _check_cards(record, dealing, question, after=Street.THIRD)
        case _:
            pass


def _check_entropy(record: HandRecord, question: Question) -> None:
    seat = question.seats[0]
    if seat not in record.terms.entropy_seats:
        raise invalid("seat", f"entropy was asked of seats {_listed(record.terms.entropy_seats) or 'none'}")
    if record.deck_root:
        raise _refused(question, f"{StepName.DEAL_STREET}: the deck is fixed")
    if any(each.seat == seat for each in record.entropy):
        raise _refused(question, f"entropy of another seat: seat {seat} has added its own")


def _check_deal(record: HandRecord, dealing: Dealing, question: Question) -> None:
    due = next_street(dealing)
    if not record.deck_root or question.street is not due:
        raise _refused(question, next_step(record, dealing))
    if set(question.seats) - set(dealing.live):
        raise _refused(question, f"live seats among {_listed(dealing.live)}")
    if due is Street.THIRD and question.seats != record.terms.seats:
        raise _refused(question, f"every seat dealt in, in dealing order: {_listed(record.terms.seats)}")
    if len(question.seats) < SEATS_TO_DEAL:
        raise _refused(question, f"{StepName.CLOSE_HAND}: with one live seat no card is dealt")


def _check_cards(record: HandRecord, dealing: Dealing, question: Question, after: Street) -> None:
    if dealing.street is None or STREETS.index(dealing.street) < STREETS.index(after):
        raise _refused(question, next_step(record, dealing))
    if set(question.seats) - set(dealing.live):
        raise _refused(question, f"live seats among {_listed(dealing.live)}")


def check_may_open(record: HandRecord, seat: int) -> None:
    """Refuse openings of cards that are sealed to their seat, until a step of the record tells them or the hand ends.

    Openings are no step: an orchestrator that was bought would read sealed cards in play, and the record would not say.
    """
    if record.closed or record.voided or not record.terms.key_of(seat):
        return
    if any(step.step in TELLING and seat in step.seats for step in record.steps):
        return
    raise out_of_step(
        f"openings of seat {seat}, whose cards are sealed to its key",
        f"{' or '.join(TELLING)} with this seat first, or the end of the hand",
    )


def next_street(dealing: Dealing) -> Street | None:
    """The street that is due; None after the river."""
    following = 0 if dealing.street is None else STREETS.index(dealing.street) + 1
    return STREETS[following] if following < len(STREETS) else None


def next_step(record: HandRecord, dealing: Dealing) -> str:
    """What would be in step, in words."""
    if not record.deck_root:
        return f"{StepName.CONTRIBUTE_ENTROPY} or {StepName.FIX_DECK}"
    street = next_street(dealing)
    if street is None:
        return f"{StepName.REVEAL_FOR_RANKING}, {StepName.OPEN_CARDS} or {StepName.CLOSE_HAND}"
    return f"{StepName.DEAL_STREET} {street}"


def _refused(question: Question, expected: str) -> DomainError:
    street = f" {question.street}" if question.street else ""
    seats = f" for seats {_listed(question.seats)}" if question.seats else ""
    return out_of_step(f"{question.step}{street}{seats}", expected)


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(str(seat) for seat in seats)
