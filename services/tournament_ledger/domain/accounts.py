"""Accounts of the double-entry book: what each is for, how it is named, which may be overdrawn.

An id is a path whose first words say the kind; '/' never occurs in the ids of players, tables and tournaments.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

KEPT_MAX: Final = 4096
"""Accounts of wallets made lately; they are asked for several times in each booking."""


class AccountKind(StrEnum):
    """What an account is for; the names of the contract's AccountKind."""

    OUTSIDE = "OUTSIDE"
    PLAYER_WALLET = "PLAYER_WALLET"
    TOURNAMENT_ESCROW = "TOURNAMENT_ESCROW"
    PRIZE_FUND = "PRIZE_FUND"
    HOUSE = "HOUSE"
    BONUS_FUND = "BONUS_FUND"
    GUARANTEE = "GUARANTEE"
    CHIPS_ISSUED = "CHIPS_ISSUED"
    PLAYER_CHIPS = "PLAYER_CHIPS"
    SECOND_CHANCE_RESERVE = "SECOND_CHANCE_RESERVE"
    TABLE_ESCROW = "TABLE_ESCROW"
    RAKE = "RAKE"
    HELD = "HELD"


MAY_BE_NEGATIVE: Final = frozenset({AccountKind.OUTSIDE, AccountKind.GUARANTEE, AccountKind.CHIPS_ISSUED})
"""Accounts that stand for a world beyond the book: their normal side is below zero."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account without its balance."""

    account_id: str
    kind: AccountKind
    unit: str
    """ISO 4217 currency, or "chips:<tournament or table id>"."""
    owner_id: str


def chips_unit(owner_id: str) -> str:
    """The unit of the chips of one tournament or cash table: chips of two tables never mix."""
    return f"chips:{owner_id}"


@lru_cache(maxsize=KEPT_MAX)
def outside(currency: str) -> Account:
    """The world that money comes from and goes to."""
    return Account(f"outside/{currency}", AccountKind.OUTSIDE, currency, "outside")


@lru_cache(maxsize=KEPT_MAX)
def wallet(player_id: str, currency: str) -> Account:
    """A player's money."""
    return Account(f"wallet/{player_id}/{currency}", AccountKind.PLAYER_WALLET, currency, player_id)


@lru_cache(maxsize=KEPT_MAX)
def held(player_id: str, currency: str) -> Account:
    """A player's money that holds keep back."""
    return Account(f"held/{player_id}/{currency}", AccountKind.HELD, currency, player_id)


_TOURNAMENT_MONEY: Final = {
    AccountKind.TOURNAMENT_ESCROW: "escrow",
    AccountKind.PRIZE_FUND: "prize_fund",
    AccountKind.HOUSE: "house",
    AccountKind.BONUS_FUND: "bonus_fund",
    AccountKind.GUARANTEE: "guarantee",
}


def of_tournament(kind: AccountKind, tournament_id: str, currency: str) -> Account:
    """A money account of one tournament."""
    return Account(f"tournament/{tournament_id}/{_TOURNAMENT_MONEY[kind]}", kind, currency, tournament_id)


def chips_issued(tournament_id: str) -> Account:
    """The chips of a tournament seen from outside it."""
    name = f"tournament/{tournament_id}/chips_issued"
    return Account(name, AccountKind.CHIPS_ISSUED, chips_unit(tournament_id), tournament_id)


def player_chips(tournament_id: str, player_id: str) -> Account:
    """A player's chips in a tournament."""
    name = f"tournament/{tournament_id}/chips/{player_id}"
    return Account(name, AccountKind.PLAYER_CHIPS, chips_unit(tournament_id), player_id)


def reserve(tournament_id: str, player_id: str) -> Account:
    """The second half of a player's double chance (rule 167)."""
    name = f"tournament/{tournament_id}/reserve/{player_id}"
    return Account(name, AccountKind.SECOND_CHANCE_RESERVE, chips_unit(tournament_id), player_id)


def table_escrow(table_id: str, currency: str) -> Account:
    """The money behind the chips of a cash table."""
    return Account(f"table/{table_id}/escrow", AccountKind.TABLE_ESCROW, currency, table_id)


def table_chips_issued(table_id: str) -> Account:
    """The chips of a cash table seen from outside it."""
    return Account(f"table/{table_id}/chips_issued", AccountKind.CHIPS_ISSUED, chips_unit(table_id), table_id)


def table_chips(table_id: str, player_id: str) -> Account:
    """A player's chips at a cash table."""
    return Account(f"table/{table_id}/chips/{player_id}", AccountKind.PLAYER_CHIPS, chips_unit(table_id), player_id)


def rake(table_id: str) -> Account:
    """The chips that the house took from the pots of a cash table (rule 196)."""
    return Account(f"table/{table_id}/rake", AccountKind.RAKE, chips_unit(table_id), table_id)
