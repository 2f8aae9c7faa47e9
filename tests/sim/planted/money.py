"""Faults with money and chips: at the ledger, at the table, and between the two."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import count
from typing import Any, Final
from unittest.mock import patch

import grpc
from grpc.aio import AioRpcError

from services.orchestrator.adapters import table_log
from services.orchestrator.adapters.remote import request_id
from services.orchestrator.application import house_commands, purchases
from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.passing import is_refused
from services.orchestrator.application.table_log import Purchase
from services.orchestrator.domain import decisions
from services.tournament_ledger.adapters import statements
from services.tournament_ledger.application.bookkeeper import Bookkeeper, _keep
from services.tournament_ledger.application.cash import CashTables
from services.tournament_ledger.domain import cash
from shared.storage.database import Statement
from shared.storage.requests import AnsweredRequests
from tests.sim.leanings import Leaning
from tests.sim.planted.fault import Fault, Patch, all_of, instead


def _purchase_forgotten() -> AbstractContextManager[object]:
    """A purchase is not written down before the ledger is asked."""

    async def begin(table: TableActor, purchase: Purchase) -> Purchase:
        table.buying[purchase.key.request_id] = purchase
        return purchase

    nothing_to_settle = "UPDATE tables SET closed = closed WHERE table_id = ? AND ? <> ''"
    return all_of(
        patch.object(purchases, "begin", begin), patch.object(table_log, "_SETTLE_PURCHASE", nothing_to_settle)
    )


def _new_id_every_time(operation: str) -> Patch:
    """A request to the ledger that is asked again is another request."""

    def put() -> AbstractContextManager[object]:
        numbers = count()

        def named(*parts: str | int) -> str:
            again = (next(numbers),) if parts[1] == operation else ()
            return request_id(*parts, *again)

        return patch("services.orchestrator.adapters.ledger_client.request_id", named)

    return put


def _hand_booked_twice() -> AbstractContextManager[object]:
    """A hand is told to the ledger under a new id each time, and the ledger does not look whether it knows the hand."""

    async def unknown(self: Any, call: Any, hand_key: Any) -> None:
        del self, call, hand_key

    fresh = _new_id_every_time("record_hand")
    return all_of(
        fresh(),
        patch.object(Bookkeeper, "_hand_answer", unknown),
        patch("services.tournament_ledger.domain.cash.check_open", lambda *_: None),
        patch("services.tournament_ledger.domain.hands.check_open", lambda *_: None),
        patch("services.tournament_ledger.adapters.ledger_store.AnsweredRequests.record", _replacing()),
    )


def _replacing() -> Any:
    record = AnsweredRequests.record

    def recorded(self: Any, key: Any, content: bytes, at: int) -> Statement:
        statement = record(self, key, content, at)
        return replace(statement, sql=statement.sql.replace("INSERT", "INSERT OR REPLACE", 1))

    return recorded


def _one_sided() -> AbstractContextManager[object]:
    """A balance moves on one side only, now and then."""
    balances = statements._balances

    def some(postings: list[Any], *seen: Any) -> Any:
        moved = list(balances(postings, *seen))
        return moved[:1] if len(postings) > 2 else moved

    return patch.object(statements, "_balances", some)


# --- found in the product once ----------------------------------------------------------------


@contextmanager
def closed_over_a_purchase() -> Generator[None]:
    """A table is closed whatever is on its way to it, and its log does not mind."""
    careless = "UPDATE purchases SET seat = seat WHERE table_id = ? AND 1 = 0"
    with (
        patch.object(purchases, "settle_all", _settled(all_players=False)),
        patch.object(table_log, "_NO_PURCHASES", careless),
    ):
        yield


def _settled(*, all_players: bool) -> Any:
    """Chips on their way are looked at where all go, or where one does; not both."""
    settle_all = purchases.settle_all

    async def settled(table: TableActor, player_id: str = "") -> None:
        if all_players is not bool(player_id):
            await settle_all(table, player_id)

    return settled


def _left_with_chips_on_their_way() -> AbstractContextManager[object]:
    """Whoever leaves is paid out before it is known what became of the chips that were being bought."""
    return patch.object(purchases, "settle_all", _settled(all_players=True))


async def _only_settled(table: TableActor) -> None:
    """Nobody is said to go before the first one is paid out."""
    await purchases.settle_all(table)


def _busy_refuses() -> AbstractContextManager[object]:
    """A ledger that is busy has refused the purchase."""

    def refused(fault: Exception) -> bool:
        said = fault.__cause__
        busy = isinstance(said, AioRpcError) and said.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        return busy or is_refused(fault)

    return patch.object(purchases, "is_refused", refused)


def _what_was_known() -> AbstractContextManager[object]:
    """A ledger decides from what it knew of a table, whatever another one wrote since."""

    async def newest(self: Bookkeeper, book: str) -> Any:
        head = await self.books.head(book)
        _keep(self._heads, book, head)
        return head

    async def at(self: CashTables, view: Any, table_id: str) -> Any:
        del view
        return await self._keeper.cash_table(table_id)

    return all_of(patch.object(Bookkeeper, "_newest", newest), patch.object(CashTables, "_at", at))


def _stack_as_answered() -> AbstractContextManager[object]:
    """Chips that are added make the stack that the ledger told when it sold them."""
    bought = purchases._bought

    def as_answered(table: Any, purchase: Any, chips: int) -> Any:
        fact: Any = bought(table, purchase, chips)
        return replace(fact, stack_chips=chips)

    return patch.object(purchases, "_bought", as_answered)


_RESTLESS: Final = Leaning(tournament=0, purchases=0.2, restless=1, deaf=1, deaf_rates=(0.2,))
FAULTS: Final = (
    Fault(
        "purchase_forgotten",
        "a purchase lost in a crash",
        _purchase_forgotten,
        Leaning(tournament=0, restless=1, trouble=(1.0,)),
        rare=True,
    ),
    Fault("buys_twice", "a purchase asked for again is another purchase", _new_id_every_time("buy_in"), _RESTLESS),
    Fault(
        "hand_booked_twice",
        "a hand booked twice",
        _hand_booked_twice,
        Leaning(tournament=0, purchases=0, deaf=1, deaf_rates=(0.2,)),
        rare=True,
    ),
    Fault("one_sided", "a balance moves on one side only", _one_sided),
    Fault(
        "returned_to_paid_chips",
        "who left, and may have been paid, comes back to the chips",
        instead(decisions, "check_stays", lambda *_: None),
        _RESTLESS,
    ),
    Fault(
        "left_with_chips_due",
        "chips on their way when their buyer leaves",
        _left_with_chips_on_their_way,
        replace(_RESTLESS, purchases=0.5, deaf_rates=(0.6,), adds=1),
    ),
    Fault(
        "closed_over_purchase",
        "a table closed over a purchase",
        closed_over_a_purchase,
        replace(_RESTLESS, purchases=0.5, closed_early=1),
    ),
    Fault(
        "half_closed",
        "a table that pays out one by one while the others play on",
        instead(house_commands, "_let_nobody_be_dealt_in", _only_settled),
        replace(_RESTLESS, closed_early=1),
    ),
    Fault(
        "busy_is_no",
        "a busy ledger's answer taken for a refusal of the purchase",
        _busy_refuses,
        replace(_RESTLESS, sick=1),
        rare=True,
    ),
    Fault(
        "sheet_of_before",
        "chips bought after a sheet whose answer was lost, and dealt a hand later",
        instead(cash, "_asked_with", lambda *_: 0),
        replace(_RESTLESS, purchases=0, deaf_rates=(0.6,), adds=1),
    ),
    Fault(
        "stack_as_answered",
        "two additions in doubt, of which the first is known last",
        _stack_as_answered,
        replace(_RESTLESS, deaf_rates=(0.6,), adds=1),
    ),
    Fault(
        "two_ledgers",
        "a ledger that does not look what another one wrote",
        _what_was_known,
        Leaning(tournament=0, purchases=0.2, restless=1, ledgers=1),
    ),
)
