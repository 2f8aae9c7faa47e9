"""The ledger did what was asked and its answer was lost: whatever is asked next, no chip is lost, none is doubled."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from sevenstud.common.v1.rule_options_pb2 import BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_pb2 import TABLE_STATE_PAUSED, TABLE_STATE_STALLED, TableView
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.domain.booking import LedgerSheet
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.storage.database import StoreUnavailable
from tests.support.ledger_house import euro, fresh, refused
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table
from tests.support.waiting import PATIENCE_SECONDS, until

PLAYERS = ("ann", "bob", "cid")
SEAT_LOST_SECONDS = 60


@dataclass
class LostAnswers:
    """Calls to the ledger whose answers do not arrive, and those that it is too busy for."""

    lost: set[str] = field(default_factory=set[str])
    busy: set[str] = field(default_factory=set[str])
    known: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is known that an answer does not come."""
    done: int = 0
    """Calls whose answer was lost."""
    refused: int = 0
    """Calls that it was too busy for."""

    def around(self, name: str, real: Callable[..., Awaitable[int]]) -> Callable[..., Awaitable[int]]:
        async def call(*args: Any) -> int:
            if name in self.busy:
                self.refused += 1
                raise DomainError(Reason.LIMIT_REACHED, "too many calls at once", {"limit": "calls"})
            answer = await real(*args)
            if name in self.lost:
                self.done += 1
                await self.known.wait()
                raise ServiceAway("tournament_ledger")
            return answer

        return call

    def lose(self, name: str, *, at_once: bool = True) -> None:
        """Answers to this are lost from now on."""
        self.lost = {name}
        if at_once:
            self.known.set()


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> LostAnswers:
    answers = LostAnswers()
    for name in ("buy_in", "cash_out"):
        monkeypatch.setattr(LedgerClient, name, answers.around(name, getattr(LedgerClient, name)))
    return answers


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedTable]:
    async with TableSuite(tmp_path) as suite:
        table = await open_table(suite, card_room(money=bought_in_any_size))
        await table.sit("ann", "bob")
        await suite.ledger.OpenAccount(
            ledger_pb.OpenAccountRequest(request_id=fresh(), player_id="cid", currency="EUR")
        )
        await suite.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id="cid", amount=euro(1000)))
        yield table


def bought_in_any_size(rules: RuleSet) -> None:
    rules.cash.buy_in, rules.cash.cash_add = BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
    rules.cash.buy_in_max_chips = 400
    rules.clock.seat_lost_seconds = SEAT_LOST_SECONDS


def who(table: PlayedTable, player_id: str = "ann") -> dict[str, str]:
    return {"request_id": fresh(), "table_id": table.table_id, "player_id": player_id}


def sitting(table: PlayedTable, chips: int = 100) -> pb.SitRequest:
    return pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="cid", buy_in_chips=chips)


async def worth(table: PlayedTable) -> dict[str, int]:
    """What each player has in the wallet and before them."""
    stacks = {seat.player_id: seat.stack_chips for seat in (await table.view()).seats}
    found: dict[str, int] = {}
    for player_id in PLAYERS:
        request = ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR")
        balance = (await table.suite.ledger.GetBalance(request)).balance.available
        found[player_id] = balance.amount_minor + stacks.get(player_id, 0)
    return found


async def everything_is_there(table: PlayedTable, *, and_closes: bool = True) -> None:
    """Soon, and still when everybody has gone home."""
    whole = dict.fromkeys(PLAYERS, 1000)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await worth(table) != whole:  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.02)
    if and_closes:
        request = pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id)
        await table.suite.house.CloseTable(request)
        assert not (await table.view()).seats
        assert await worth(table) == whole


def adding(table: PlayedTable, chips: int = 100) -> pb.AddChipsRequest:
    return pb.AddChipsRequest(**who(table), chips=chips)


def stack_of(view: TableView, player_id: str = "ann") -> int:
    return sum(seat.stack_chips for seat in view.seats if seat.player_id == player_id)


async def add_chips(table: PlayedTable) -> None:
    await table.suite.tables.AddChips(adding(table))


async def come_back(table: PlayedTable) -> None:
    await table.suite.tables.Return(pb.ReturnRequest(**who(table)))


async def sit_out(table: PlayedTable) -> None:
    await table.suite.tables.SitOut(pb.SitOutRequest(**who(table)))


@pytest.mark.parametrize("then", [add_chips, come_back, sit_out])
async def test_who_leaves_does_not_stay_with_chips_that_may_be_paid_out(
    table: PlayedTable, ledger: LostAnswers, then: Callable[[PlayedTable], Awaitable[None]]
) -> None:
    ledger.lose("cash_out")
    await table.suite.tables.Leave(pb.LeaveRequest(**who(table)))
    await refused(then(table), Reason.NOT_SEATED)
    ledger.lost = set()
    await everything_is_there(table)


async def test_who_sat_out_too_long_does_not_come_back_to_chips_that_may_be_paid_out(
    table: PlayedTable, ledger: LostAnswers
) -> None:
    await sit_out(table)
    ledger.lose("cash_out")
    assert isinstance(table.suite, TableSuite)
    table.suite.clock.move(SEAT_LOST_SECONDS + 1)
    await table.resume()
    await until(lambda: ledger.done > 0)
    await refused(come_back(table), Reason.NOT_SEATED)
    ledger.lost = set()
    await everything_is_there(table)


async def test_nobody_plays_on_with_chips_that_a_closing_table_may_have_paid_out(
    table: PlayedTable, ledger: LostAnswers
) -> None:
    ledger.lose("cash_out")
    with pytest.raises(grpc.aio.AioRpcError):
        await table.suite.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))
    await refused(come_back(table), Reason.NOT_SEATED)
    ledger.lost = set()
    await everything_is_there(table)


async def test_chips_that_are_being_added_leave_with_their_player(table: PlayedTable, ledger: LostAnswers) -> None:
    ledger.lose("buy_in")
    adding = asyncio.ensure_future(add_chips(table))
    await until(lambda: ledger.done > 0)
    await table.suite.tables.Leave(pb.LeaveRequest(**who(table)))
    ledger.lost = set()
    await asyncio.gather(adding, return_exceptions=True)
    await everything_is_there(table)


async def test_chips_that_may_have_been_bought_are_refused_to_nobody_before_that_is_known(
    table: PlayedTable, ledger: LostAnswers
) -> None:
    """Else who was told no, because of leaving meanwhile, would have bought them all the same."""
    ledger.lose("buy_in")
    request = pb.AddChipsRequest(**who(table), chips=100)
    await refused(table.suite.tables.AddChips(request), Reason.DEPENDENCY_UNAVAILABLE)
    await table.suite.tables.Leave(pb.LeaveRequest(**who(table)))
    await refused(table.suite.tables.AddChips(request), Reason.DEPENDENCY_UNAVAILABLE)
    ledger.lost = set()
    await table.until(lambda view: len(view.seats) == 1)
    await table.suite.tables.AddChips(request)
    await everything_is_there(table)


async def test_chips_bought_after_a_sheet_whose_answer_was_lost_are_in_the_hand(
    table: PlayedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, lost = LedgerClient.open_cash_sheet, asyncio.Event()

    async def open_cash_sheet(*args: Any) -> LedgerSheet:
        await real(*args)
        lost.set()
        raise ServiceAway("tournament_ledger")

    monkeypatch.setattr(LedgerClient, "open_cash_sheet", open_cash_sheet)
    await table.resume()
    await until(lost.is_set)
    await add_chips(table)
    monkeypatch.setattr(LedgerClient, "open_cash_sheet", real)
    await table.turn()
    assert stack_of(await table.view()) > 190, "less antes and bring-in"


async def test_two_additions_in_doubt_make_the_same_stack_whichever_is_known_first(
    table: PlayedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the ledger answered to one of them says nothing of the other."""
    real, lost = LedgerClient.buy_in, {50}

    async def buy_in(*args: Any) -> int:
        chips = await real(*args)
        if lost.intersection(args):
            raise ServiceAway("tournament_ledger")
        return chips

    monkeypatch.setattr(LedgerClient, "buy_in", buy_in)
    await refused(table.suite.tables.AddChips(adding(table, 50)), Reason.DEPENDENCY_UNAVAILABLE)
    await table.suite.tables.AddChips(adding(table, 20))
    assert stack_of(await table.view()) == 120
    lost.clear()
    await table.until(lambda view: stack_of(view) == 170)
    await everything_is_there(table)


async def test_a_ledger_that_is_too_busy_to_say_has_not_refused(table: PlayedTable, ledger: LostAnswers) -> None:
    ledger.lose("buy_in")
    seated = asyncio.ensure_future(table.suite.tables.Sit(sitting(table)))
    await until(lambda: ledger.done > 0)
    ledger.busy = {"buy_in"}
    await asyncio.gather(seated, return_exceptions=True)
    await until(lambda: ledger.refused > 1)
    ledger.lost, ledger.busy = set(), set()
    await everything_is_there(table)


async def test_a_table_that_closes_gives_back_what_was_on_its_way_to_it(
    table: PlayedTable, ledger: LostAnswers
) -> None:
    ledger.lose("buy_in", at_once=False)
    seated = asyncio.ensure_future(table.suite.tables.Sit(sitting(table)))
    await until(lambda: ledger.done > 0)
    ledger.lost = set()
    await table.suite.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))
    seated.cancel()
    ledger.known.set()
    await everything_is_there(table, and_closes=False)


async def test_an_answer_lost_after_a_second_try_had_one_holds_up_nobody(
    table: PlayedTable, ledger: LostAnswers
) -> None:
    ledger.lose("buy_in", at_once=False)
    request = sitting(table)
    first = asyncio.ensure_future(table.suite.tables.Sit(request))
    await until(lambda: ledger.done > 0)
    ledger.lost = set()
    other = pb.SitRequest()
    other.CopyFrom(request)
    other.buy_in_chips = 200
    await refused(table.suite.tables.Sit(other), Reason.REQUEST_ID_REUSED)
    assert (await table.suite.tables.Sit(request)).seat == 3
    ledger.known.set()
    assert (await first).seat == 3
    await table.resume()
    assert (await table.turn()).turn_id


async def test_a_seat_that_was_kept_for_a_refused_purchase_is_free_again_though_the_disk_was_full(
    table: PlayedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop = StoredTableLog.drop_purchase

    async def on_a_full_disk(*_: object) -> None:
        raise StoreUnavailable("the write was not made (the disk is full): try again later")

    monkeypatch.setattr(StoredTableLog, "drop_purchase", on_a_full_disk)
    in_vain = table.suite.tables.Sit(sitting(table, chips=500), timeout=PATIENCE_SECONDS)  # asked four times
    await refused(in_vain, Reason.DEPENDENCY_UNAVAILABLE)
    await refused(table.suite.tables.Sit(sitting(table), timeout=PATIENCE_SECONDS), Reason.ALREADY_SEATED)
    monkeypatch.setattr(StoredTableLog, "drop_purchase", drop)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await sat(table):  # noqa: ASYNC110  # as a client would try
            await asyncio.sleep(0.02)
    await everything_is_there(table)


async def sat(table: PlayedTable) -> bool:
    """Whether cid, who asks once more, has a seat now."""
    with suppress(grpc.aio.AioRpcError):
        return (await table.suite.tables.Sit(sitting(table))).seat > 0
    return False


async def test_a_table_waits_for_nobody_any_more_once_it_has_nothing_to_ask(
    table: PlayedTable, ledger: LostAnswers
) -> None:
    """It said until its next step, which may be never, that it waited for the ledger, and an alarm rang for as long."""
    ledger.lose("buy_in")
    await refused(table.suite.tables.Sit(sitting(table)), Reason.DEPENDENCY_UNAVAILABLE)
    waiting = await table.until(lambda view: view.state == TABLE_STATE_STALLED)
    assert waiting.waiting_for == "tournament_ledger"
    ledger.lost.clear()
    after = await table.until(lambda view: len(view.seats) == len(PLAYERS) and not view.waiting_for)
    assert after.state == TABLE_STATE_PAUSED
