"""Holds: money reserved until it is posted, voided or expires, exactly once."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from services.tournament_ledger.domain.accounts import Account, held, outside, wallet
from services.tournament_ledger.domain.amounts import Money, above_zero, invalid
from services.tournament_ledger.domain.facts import HoldPlaced, HoldResolved
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import moving
from services.tournament_ledger.domain.refusals import funds_insufficient
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.errors import DomainError, Reason

LASTS_MAX: Final = timedelta(days=30)


class HoldState(StrEnum):
    """What became of a hold."""

    OPEN = "OPEN"
    POSTED = "POSTED"
    VOIDED = "VOIDED"
    EXPIRED = "EXPIRED"


@dataclass(frozen=True, slots=True)
class Hold:
    """Money of a wallet that is kept back."""

    hold_id: str
    player_id: str
    amount: Money
    expires_at: datetime
    state: HoldState = HoldState.OPEN


def place(hold: Hold, available_minor: int, now: datetime) -> Draft:
    """Reserve money of a wallet."""
    above_zero(hold.amount.amount_minor, "amount.amount_minor")
    if not timedelta(0) < hold.expires_at - now <= LASTS_MAX:
        raise invalid("lasts", f"above zero and at most {LASTS_MAX.days} days")
    if available_minor < hold.amount.amount_minor:
        raise funds_insufficient(available_minor, hold.amount.amount_minor)
    currency = hold.amount.currency
    postings = moving(wallet(hold.player_id, currency), held(hold.player_id, currency), hold.amount.amount_minor)
    fact = HoldPlaced(hold.hold_id, hold.player_id, hold.amount, hold.expires_at)
    return Draft(EntryKind.HELD, (fact,), postings)


def post(hold: Hold, now: datetime) -> tuple[Hold, Draft]:
    """Take the reserved money out of the wallet for good."""
    return _resolved(hold, HoldState.POSTED, EntryKind.HOLD_POSTED, outside(hold.amount.currency), now)


def void(hold: Hold, now: datetime) -> tuple[Hold, Draft]:
    """Give the reserved money back."""
    back = wallet(hold.player_id, hold.amount.currency)
    return _resolved(hold, HoldState.VOIDED, EntryKind.HOLD_VOIDED, back, now)


def _resolved(hold: Hold, state: HoldState, kind: EntryKind, to: Account, now: datetime) -> tuple[Hold, Draft]:
    found = HoldState.EXPIRED if hold.state is HoldState.OPEN and hold.expires_at <= now else hold.state
    if found is not HoldState.OPEN:
        message = f"hold {hold.hold_id} is {found}: it is resolved once only"
        raise DomainError(Reason.HOLD_RESOLVED, message, {"hold_id": hold.hold_id, "state": found})
    return _draft(hold, state, kind, to)


def expire(hold: Hold) -> tuple[Hold, Draft]:
    """Give the money of a hold back whose time is over."""
    return _draft(hold, HoldState.EXPIRED, EntryKind.HOLD_EXPIRED, wallet(hold.player_id, hold.amount.currency))


def _draft(hold: Hold, state: HoldState, kind: EntryKind, to: Account) -> tuple[Hold, Draft]:
    postings = moving(held(hold.player_id, hold.amount.currency), to, hold.amount.amount_minor)
    return replace(hold, state=state), Draft(kind, (HoldResolved(hold.hold_id, hold.player_id),), postings)
