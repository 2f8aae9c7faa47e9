"""One step further: the record of a hand after a question that is in step."""

from dataclasses import replace
from datetime import datetime

from services.dealer.domain.guard import check_step
from services.dealer.domain.hand import HandRecord, Question, Step, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.opening import with_fixed_deck
from services.dealer.domain.streets import dealing_after, plan_deal
from services.dealer.domain.table_deck import dealt, deck_after


def advance(record: HandRecord, secrets: HandSecrets, question: Question, at: datetime) -> HandRecord:
    """The record with the step taken, or a refusal (OUT_OF_STEP, REQUEST_INVALID, CARDS_INVALID)."""
    check_step(record, dealing_after(record.terms.seats, record.steps), question)
    step = Step(step=question.step, street=question.street, seats=question.seats, payload=question.payload, at=at)
    match question.step:
        case StepName.DEAL_STREET:
            return _with(record, _deal(record, secrets, step))
        case StepName.FIX_DECK:
            return with_fixed_deck(_with(record, replace(step, fixed_deck=True)), secrets.seed)
        case StepName.CONTRIBUTE_ENTROPY:
            last = len(record.entropy) + 1 == len(record.terms.entropy_seats)
            grown = _with(record, replace(step, fixed_deck=last))
            return with_fixed_deck(grown, secrets.seed) if last else grown
        case _:
            return _with(record, step)


def _with(record: HandRecord, step: Step) -> HandRecord:
    return replace(record, steps=(*record.steps, step))


def _deal(record: HandRecord, secrets: HandSecrets, step: Step) -> Step:
    deck = deck_after(record, secrets, record.steps)
    if step.street is None:
        raise ValueError("a deal has a street")
    deal = plan_deal(deck.dealing, step.street, step.seats, record.terms.rules, deck.fixed.river_key)
    dealt(deck, secrets, deal, step.seats)
    return replace(step, source=deal.source, positions=deal.positions)
