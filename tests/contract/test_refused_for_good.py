"""What was refused stays refused: a copy of the request that was late on its way moves no chip and no seat."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.rule_options_pb2 import BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import Reason
from tests.support.ledger_house import euro, fresh, refusal, refused
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table

PATIENCE_SECONDS = 30.0
BOUGHT = 100
Work = Callable[[PlayedTable], Awaitable[object]]


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedTable]:
    """Ann and bob at a paused table; cid, at home, has money."""
    async with TableSuite(tmp_path) as suite:
        table = await open_table(suite, card_room(money=_any_size))
        await table.sit("ann", "bob")
        await suite.ledger.OpenAccount(
            ledger_pb.OpenAccountRequest(request_id=fresh(), player_id="cid", currency="EUR")
        )
        await suite.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id="cid", amount=euro(1000)))
        yield table


def _any_size(rules: RuleSet) -> None:
    rules.cash.buy_in, rules.cash.cash_add = BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
    rules.cash.buy_in_max_chips = 5000


def _who(table: PlayedTable, player_id: str) -> dict[str, str]:
    return {"request_id": fresh(), "table_id": table.table_id, "player_id": player_id}


def _sit(player_id: str, seat: int = 0, chips: int = BOUGHT) -> Callable[[PlayedTable], Any]:
    return lambda table: pb.SitRequest(**_who(table, player_id), seat=seat, buy_in_chips=chips)


def _leave(player_id: str) -> Callable[[PlayedTable], Any]:
    return lambda table: pb.LeaveRequest(**_who(table, player_id))


def _add(player_id: str) -> Callable[[PlayedTable], Any]:
    return lambda table: pb.AddChipsRequest(**_who(table, player_id), chips=BOUGHT)


def _close(table: PlayedTable) -> Any:
    return pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id)


def _resume(table: PlayedTable) -> Any:
    return pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id)


def _pause(table: PlayedTable) -> Any:
    return pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id)


async def _ask(table: PlayedTable, request: Any) -> Any:
    """By whoever may: the house opens and closes, a back end speaks for players."""
    name = type(request).__name__.removesuffix("Request")
    stub = table.suite.tables if hasattr(request, "player_id") else table.suite.house
    return await getattr(stub, name)(request)


def _doing(*requests: Callable[[PlayedTable], Any]) -> Work:
    async def work(table: PlayedTable) -> None:
        for make in requests:
            await _ask(table, make(table))

    return work


async def _a_hand_is_played(table: PlayedTable) -> None:
    await table.resume()
    await table.turn()


async def _the_hand_is_over(table: PlayedTable) -> None:
    await _ask(table, _pause(table))
    first = (await table.turn()).seat
    await table.play(f"{first} bring_in", f"{3 - first} fold")
    await table.hand(1)


async def _money_comes(table: PlayedTable) -> None:
    await table.suite.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id="cid", amount=euro(5000)))


async def _nothing(_: PlayedTable) -> None:
    """As it is."""


@dataclass(frozen=True)
class Refusal:
    """A request that is refused, and what happens before a copy of it arrives."""

    request: Callable[[PlayedTable], Any]
    reason: Reason
    meanwhile: Work
    before: Work = _nothing


REFUSED = {
    "who sits already, and leaves": Refusal(_sit("ann"), Reason.ALREADY_SEATED, _doing(_leave("ann"))),
    "a taken seat that becomes free": Refusal(_sit("cid", 2), Reason.SEAT_TAKEN, _doing(_leave("bob"))),
    "too little money, and more comes": Refusal(_sit("cid", 0, 2000), Reason.FUNDS_INSUFFICIENT, _money_comes),
    "chips during a hand that ends": Refusal(
        _add("ann"), Reason.HAND_IN_PROGRESS, _the_hand_is_over, _a_hand_is_played
    ),
    "chips for who sits down later": Refusal(_add("cid"), Reason.NOT_SEATED, _doing(_sit("cid"))),
    "who is not there leaves, and comes": Refusal(_leave("cid"), Reason.NOT_SEATED, _doing(_sit("cid"))),
    "closed during a hand that ends": Refusal(_close, Reason.HAND_IN_PROGRESS, _the_hand_is_over, _a_hand_is_played),
    "resumed before it is paused": Refusal(
        _resume, Reason.TABLE_NOT_PAUSED, _doing(_pause), _doing(_leave("bob"), _resume)
    ),
}


async def _money_and_seats(table: PlayedTable) -> object:
    """What each player has in the wallet and before them, who sits where, and whether the table plays."""
    view = await table.view()
    wallets: list[int] = []
    for player_id in ("ann", "bob", "cid"):
        request = ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR")
        wallets.append((await table.suite.ledger.GetBalance(request)).balance.available.amount_minor)
    return wallets, [(each.seat, each.player_id, each.stack_chips) for each in view.seats], view.state


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("case", REFUSED)
async def test_a_late_copy_of_what_was_refused_moves_no_chip_and_no_seat(
    table: PlayedTable, case: str, *, restarted: bool
) -> None:
    refused_first = REFUSED[case]
    await refused_first.before(table)
    request = refused_first.request(table)
    said = await refusal(_ask(table, request))
    assert said.reason is refused_first.reason
    await refused_first.meanwhile(table)
    if restarted:
        assert isinstance(table.suite, TableSuite)
        await table.suite.stop_orchestrator()
        await table.suite.start_orchestrator()
    there = await _money_and_seats(table)
    again = await refusal(_ask(table, request))
    assert (again.reason, again.message, again.metadata) == (said.reason, said.message, said.metadata)
    assert await _money_and_seats(table) == there
    request.request_id = fresh()
    await _ask(table, request)  # whoever wants it now asks anew
    assert await _money_and_seats(table) != there


async def test_a_late_copy_of_an_action_that_was_refused_in_a_pause_acts_for_nobody(table: PlayedTable) -> None:
    """The turn goes on with the clocks, and its player may want something else by now."""
    await table.resume()
    turn = await table.turn()
    stop = pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id, clocks_too=True)
    await _ask(table, stop)
    requests: list[Any] = [
        table.action(turn, "bring_in"),
        pb.UseTimeBankRequest(**_who(table, turn.player_id), turn_id=turn.turn_id),
    ]
    said = [await refusal(_ask(table, request)) for request in requests]
    assert {each.reason for each in said} == {Reason.ACTION_NOT_LEGAL}
    await table.resume()
    again = [await refusal(_ask(table, request)) for request in requests]
    assert [each.message for each in again] == [each.message for each in said]
    assert (await table.turn()).turn_id == turn.turn_id
    requests[0].request_id = fresh()
    await _ask(table, requests[0])


async def test_a_refused_id_is_refused_for_other_content_too(table: PlayedTable) -> None:
    request = _sit("ann")(table)
    await refused(_ask(table, request), Reason.ALREADY_SEATED)
    request.player_id = "cid"
    await refused(_ask(table, request), Reason.REQUEST_ID_REUSED)


async def test_what_is_refused_for_the_moment_only_may_be_asked_again(
    table: PlayedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    buy_in = LedgerClient.buy_in

    async def away(*_: object) -> int:
        raise ServiceAway("tournament_ledger")

    monkeypatch.setattr(LedgerClient, "buy_in", away)
    request = _sit("cid")(table)
    await refused(_ask(table, request), Reason.DEPENDENCY_UNAVAILABLE)
    monkeypatch.setattr(LedgerClient, "buy_in", buy_in)
    assert (await _ask(table, request)).seat == 3


async def test_whoever_is_refused_without_end_fills_no_memory(table: PlayedTable) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await refusal(_ask(table, _sit("ann")(table)))).reason is Reason.ALREADY_SEATED:
            pass
    await refused(_ask(table, _sit("ann")(table)), Reason.LIMIT_REACHED)
    await refused(_ask(table, _leave("cid")(table)), Reason.NOT_SEATED)  # others have their own
    await _ask(table, _leave("ann")(table))


async def test_an_id_used_for_something_else_while_chips_are_on_their_way_holds_up_no_table(
    table: PlayedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    buy_in, asked, known = LedgerClient.buy_in, asyncio.Event(), asyncio.Event()

    async def slow(*args: Any) -> int:
        chips = await buy_in(*args)
        asked.set()
        await known.wait()
        return chips

    monkeypatch.setattr(LedgerClient, "buy_in", slow)
    request = _sit("cid")(table)
    sitting = asyncio.ensure_future(_ask(table, request))
    await asyncio.wait_for(asked.wait(), PATIENCE_SECONDS)
    other = pb.SitOutRequest(request_id=request.request_id, table_id=table.table_id, player_id="ann")
    await _ask(table, other)
    known.set()
    await asyncio.wait_for(asyncio.wait({sitting}), PATIENCE_SECONDS)
    await table.until(lambda view: len(view.seats) == 3)
    await table.resume()
    assert (await table.turn()).turn_id
