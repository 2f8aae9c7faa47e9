"""A write of the book of wallets that is refused takes nobody with it who stands behind it: issue 5."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.tournament_ledger.adapters import migrations
from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import WALLETS, Call, Decision, View
from services.tournament_ledger.application.feed import Feed
from services.tournament_ledger.application.wallets import Wallets
from services.tournament_ledger.domain.accounts import outside, wallet
from services.tournament_ledger.domain.amounts import Money
from services.tournament_ledger.domain.facts import MoneyWithdrawn
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import moving
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.metrics import LedgerMetrics
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.storage.database import WriteConflict
from shared.storage.requests import RequestKey
from shared.storage.sqlite import open_store
from tests.support.ledger_house import SetClock, fresh

EURO = "EUR"
PURSE = 1000
PLAYERS = [f"player-{number}" for number in range(12)]


def call() -> Call:
    request_id = fresh()

    def encode(_: Any) -> bytes:
        return b"done"

    return Call(request_id, RequestKey("house", request_id, b"content"), encode)


@pytest.fixture
async def keeper(tmp_path: Path) -> AsyncIterator[Bookkeeper]:
    """The books of a ledger that is alone, in which all have a purse."""
    store = await open_store(str(tmp_path / "ledger.sqlite"), "tournament_ledger", migrations)
    witness = LedgerMetrics(new_registry(), get_log())
    keeper = Bookkeeper(StoredBooks(store), SetClock(), witness, Feed(1))
    wallets = Wallets(keeper)
    for player_id in ("stubborn", *PLAYERS):
        await wallets.open_account(call(), player_id, EURO)
        await wallets.deposit(call(), player_id, Money(PURSE, EURO), "card")
    yield keeper
    await store.close()


async def decide_from_a_balance_that_is_none(_: View) -> Decision:
    """What the write finds out each time, and only then."""
    purse = wallet("stubborn", EURO)
    postings = moving(purse, outside(EURO), 1)
    draft = Draft(EntryKind.WITHDRAWN, (MoneyWithdrawn("stubborn", "card"),), postings)
    return Decision("done", (draft,), seen={purse.account_id: PURSE + 1})


async def test_who_is_refused_at_each_write_has_nobody_else_refused(keeper: Bookkeeper) -> None:
    """Each write of a ledger that is alone is built on the one before, while that one is on its way."""
    wallets, times = Wallets(keeper), 20

    async def is_refused() -> None:
        for _ in range(times):
            with pytest.raises(WriteConflict):
                await keeper.run(call(), WALLETS, decide_from_a_balance_that_is_none)

    async def takes_all_out(player_id: str) -> None:
        for _ in range(times):
            await wallets.withdraw(call(), player_id, Money(PURSE // times, EURO), "card")

    await asyncio.gather(is_refused(), *(takes_all_out(each) for each in PLAYERS))
    purses = {wallet(each, EURO).account_id: 0 for each in PLAYERS} | {wallet("stubborn", EURO).account_id: PURSE}
    assert await keeper.books.balances(list(purses)) == purses
