"""What the bookkeeper is asked: a request, for a book, with the decision to be made on it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from services.tournament_ledger.domain.accounts import Account
from services.tournament_ledger.domain.journal import Head
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.ports import Change
from shared.storage.requests import RequestKey

WALLETS: Final = "wallets"
"""The book of all wallets."""


def tournament_book(tournament_id: str) -> str:
    """The book of a tournament."""
    return f"tournament:{tournament_id}"


def cash_book(table_id: str) -> str:
    """The book of a cash table."""
    return f"cash:{table_id}"


@dataclass(frozen=True, slots=True)
class Call:
    """A mutating request."""

    request_id: str
    key: RequestKey
    encode: Callable[[Any], bytes]
    """The answer as it goes over the wire, which is how it is remembered."""
    hand_key: RequestKey | None = None
    """For the result of a hand: the hand's id is a second key."""
    director_id: str = ""
    """The director who asks; empty: whoever it is."""
    player_id: str = ""
    """Of the player who asks itself; empty where somebody else asks."""
    refused_for_good: bool = False
    """A refusal stays one for its id, whatever the reason: it is about somebody's money or seat."""
    from_outside: bool = False
    """Asked by a player or the house, and not by our services, which book what was played."""


@dataclass(frozen=True, slots=True)
class View:
    """What a decision is made from."""

    head: Head
    at: datetime
    """The moment of its first entry."""
    balances: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of the accounts that the decision asked for, as far as they exist."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be booked, and what is answered."""

    answer: object
    drafts: tuple[Draft, ...] = ()
    changes: tuple[Change, ...] = ()
    accounts: tuple[Account, ...] = ()
    seen: Mapping[str, int] = field(default_factory=dict[str, int])
    """Balances that the answer tells of, by account, as they were read."""


Decide = Callable[[View], Awaitable[Decision]]
