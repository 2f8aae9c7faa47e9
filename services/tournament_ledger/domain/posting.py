"""Postings: one amount from one account to another of the same unit, so that nothing can be made or lost."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from services.tournament_ledger.domain.accounts import Account
from services.tournament_ledger.domain.amounts import AMOUNT_MAX


@dataclass(frozen=True, slots=True)
class Posting:
    """A movement; it balances by its shape."""

    from_account: Account
    to_account: Account
    amount: int

    def __post_init__(self) -> None:
        """A posting between units, to itself, of nothing or of more than 64 bits hold is a bug of ours."""
        if self.from_account.unit != self.to_account.unit:
            raise AssertionError(f"a posting mixes {self.from_account.unit} and {self.to_account.unit}")
        if self.from_account.account_id == self.to_account.account_id:
            raise AssertionError(f"a posting goes from {self.from_account.account_id} to itself")
        if not 0 < self.amount <= AMOUNT_MAX:
            raise AssertionError("a posting moves no lawful amount")

    @property
    def unit(self) -> str:
        """Unit of both accounts."""
        return self.from_account.unit


def moving(from_account: Account, to_account: Account, amount: int) -> tuple[Posting, ...]:
    """The posting, or none where there is nothing to move."""
    return (Posting(from_account, to_account, amount),) if amount else ()


def changes(postings: Iterable[Posting]) -> Mapping[str, int]:
    """What the postings change, by account id; accounts that come out even are left out."""
    found: dict[str, int] = {}
    for posting in postings:
        source, target = posting.from_account.account_id, posting.to_account.account_id
        found[source] = found.get(source, 0) - posting.amount
        found[target] = found.get(target, 0) + posting.amount
    return {account_id: change for account_id, change in found.items() if change}


def redistribution(before: Mapping[Account, int], after: Mapping[Account, int]) -> tuple[Posting, ...]:
    """The postings that lead from one distribution of chips to another with the same total.

    Losers give to winners in the order of ``before``; ``after`` may name accounts that ``before`` does not.
    """
    accounts = [*before, *(account for account in after if account not in before)]
    differences = [(account, after.get(account, 0) - before.get(account, 0)) for account in accounts]
    if sum(difference for _, difference in differences):
        raise AssertionError("a redistribution must keep the total")
    losers = [(account, -difference) for account, difference in differences if difference < 0]
    winners = [(account, difference) for account, difference in differences if difference > 0]
    return tuple(_matched(losers, winners))


def _matched(losers: list[tuple[Account, int]], winners: list[tuple[Account, int]]) -> Iterator[Posting]:
    waiting = iter(winners)
    winner, wanted = next(waiting, (None, 0))
    for loser, given in losers:
        left = given
        while left and winner is not None:
            amount = min(left, wanted)
            yield Posting(loser, winner, amount)
            left, wanted = left - amount, wanted - amount
            if not wanted:
                winner, wanted = next(waiting, (None, 0))
