"""Cash tables at which two players act without a pause, each table through an orchestrator of its own choice."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

import grpc
from sevenstud.common.v1 import betting_pb2 as betting
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.rpc.client import open_channel
from tests.support.ledger_house import euro, fresh
from tests.support.table_suite import BACKEND, STAKES, card_room

BUY_IN_CHIPS: Final = 100_000
CALL_SECONDS: Final = 3.0
LOG_SECONDS: Final = 600.0
"""To read a log of tens of thousands of events, page by page, while the tables play as fast as they can."""
SILENCE_SECONDS: Final = 4.0
TRIES: Final = 3
_AGAIN: Final = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
_KEEP: Final = (betting.ACTION_KIND_CHECK, betting.ACTION_KIND_CALL, betting.ACTION_KIND_BRING_IN)


class BusyTable:
    """One table and whoever acts at it."""

    def __init__(self, table_id: str, stubs: list[Any], home: int) -> None:
        """``stubs``: one for each orchestrator; ``home``: the one that is asked first."""
        self.table_id, self.home = table_id, home
        self._stubs = stubs
        self._at = home
        self._acted_at = 0.0
        self._turns = 0
        self.taken: list[tuple[float, float]] = []
        """When an action was sent, and how many seconds later the next turn was open."""
        self._judged_until = 0
        self._acted = Counter[int]()

    async def play(self) -> None:
        """Until cancelled: watch, act; elsewhere where nobody answers, and home again with the next stream."""
        while True:
            with suppress(grpc.aio.AioRpcError, TimeoutError):
                await self._watch(self._stubs[self._at])
            self._at = 1 - self._at
            await asyncio.sleep(0.05)

    async def _watch(self, stub: Any) -> None:
        call = stub.Watch(pb.WatchRequest(table_id=self.table_id))
        try:
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    item = await call.read()
                if item is grpc.aio.EOF:
                    return
                turn = _turn_of(item)
                if turn is not None:
                    await self._answer(stub, turn)
        finally:
            call.cancel()

    async def _answer(self, stub: Any, turn: table_pb2.Turn) -> None:
        now = time.monotonic()
        if self._acted_at:
            self.taken.append((self._acted_at, now - self._acted_at))
        self._acted_at, self._turns = now, self._turns + 1
        kinds = {each.kind for each in turn.legal.actions}
        request = pb.ActRequest(
            request_id=fresh(),
            table_id=self.table_id,
            player_id=turn.player_id,
            turn_id=turn.turn_id,
            kind=next((kind for kind in _KEEP if kind in kinds), betting.ACTION_KIND_FOLD),
        )
        for _ in range(TRIES):
            try:
                await stub.Act(request, timeout=CALL_SECONDS)
            except grpc.aio.AioRpcError as refused:
                if refused.code() not in _AGAIN:
                    return
            else:
                return

    async def moves_on(self, turns: int) -> None:
        """Until so many more turns were open."""
        wanted = self._turns + turns
        while self._turns < wanted:  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.01)

    async def replicas_agree(self) -> None:
        """Until each orchestrator shows all that any of them showed now."""
        newest = max([await self._version(stub) for stub in self._stubs])
        for stub in self._stubs:
            while await self._version(stub) < newest:  # noqa: ASYNC110  # as a client would look
                await asyncio.sleep(0.02)

    async def _version(self, stub: Any) -> int:
        with suppress(grpc.aio.AioRpcError):
            view = await stub.GetTable(pb.GetTableRequest(table_id=self.table_id), timeout=CALL_SECONDS)
            return int(view.table.version)
        return 0

    async def faults(self) -> list[str]:
        """Gaps and doubles in the log since the last look, and differences between what both orchestrators tell."""
        after, until = self._judged_until, await self._version(self._stubs[1])
        one, other = [await self._log(stub, after, until) for stub in self._stubs]
        found: list[str] = []
        if [event.version for event in one] != list(range(after + 1, until + 1)):
            found.append(f"{self.table_id}: a gap in the log")
        self._judged_until = until
        self._acted.update(event.action_taken.turn_id for event in one if event.HasField("action_taken"))
        twice = ((turn, count) for turn, count in self._acted.items() if count > 1)
        found += [f"{self.table_id}: turn {turn} answered {count} times" for turn, count in twice]
        if one != other:
            found.append(f"{self.table_id}: two orchestrators tell different histories")
        found += [f"{self.table_id}: a hand was voided" for event in one if event.HasField("hand_voided")]
        return found

    async def _log(self, stub: Any, after: int, until: int) -> list[TableEvent]:
        call = stub.Watch(pb.WatchRequest(table_id=self.table_id, after_version=after))
        found: list[TableEvent] = []
        try:
            async with asyncio.timeout(LOG_SECONDS):
                async for item in call:
                    if item.HasField("event"):
                        found.append(item.event)
                        if item.event.version >= until:
                            break
        finally:
            call.cancel()
        return found


def _turn_of(item: pb.WatchResponse) -> table_pb2.Turn | None:
    if item.HasField("table"):
        return item.table.turn if item.table.HasField("turn") else None
    return item.event.turn_started.turn if item.event.HasField("turn_started") else None


@asynccontextmanager
async def open_tables(addresses: Mapping[str, Sequence[str]], count: int) -> AsyncGenerator[list[BusyTable], None]:
    """Tables in play, as long as it lasts."""
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        money = await enter(open_channel(",".join(addresses["tournament_ledger"]), BACKEND))
        channels = [await enter(open_channel(address, BACKEND)) for address in addresses["orchestrator"]]
        stubs: list[Any] = [TableServiceStub(channel) for channel in channels]
        tables = [await _open(TournamentLedgerServiceStub(money), stubs, number) for number in range(count)]
        playing = [asyncio.create_task(table.play()) for table in tables]
        try:
            yield tables
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def _open(ledger: Any, stubs: list[Any], number: int) -> BusyTable:
    rules = card_room()
    rules.overrides.cash.buy_in_min_chips = rules.overrides.cash.buy_in_max_chips = BUY_IN_CHIPS
    request = pb.OpenTableRequest(
        request_id=fresh(), name=f"Table {number}", rules=rules, stakes=STAKES, chip_value=euro(1)
    )
    home = number % len(stubs)
    table_id = (await stubs[home].OpenTable(request)).table.table_id
    for player in (f"ann{number}", f"bob{number}"):
        await ledger.OpenAccount(ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR"))
        amount = euro(BUY_IN_CHIPS)
        await ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id=player, amount=amount))
        sit = pb.SitRequest(request_id=fresh(), table_id=table_id, player_id=player, buy_in_chips=BUY_IN_CHIPS)
        await stubs[home].Sit(sit)
    return BusyTable(table_id, stubs, home)
