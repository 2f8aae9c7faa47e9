"""A house that began on SQLite goes on on PostgreSQL, in the middle of a hand."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Self

import pytest
from sevenstud.common.v1.betting_pb2 import (
    ACTION_KIND_BRING_IN,
    ACTION_KIND_CALL,
    ACTION_KIND_CHECK,
    ActionKind,
)
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.__main__ import run
from services.dealer.adapters import migrations as of_dealer
from services.orchestrator.adapters import migrations as of_orchestrator
from services.tournament_ledger.adapters import migrations as of_ledger
from shared.config.location import PostgresUrl
from shared.kernel.caller import Caller, Role
from shared.rpc.client import open_channel
from shared.storage.database import StoreRefused
from shared.storage.opening import open_database
from tests.support.postgres_server import PostgresServer
from tests.support.servers import ServiceProcess, start_service
from tests.support.table_suite import BACKEND, OPERATOR, PlayedTable, card_room, kinds, open_table

pytestmark = pytest.mark.process
MIGRATIONS: Mapping[str, ModuleType] = {
    "dealer": of_dealer,
    "tournament_ledger": of_ledger,
    "orchestrator": of_orchestrator,
}


Command = Callable[[str, str, str], Awaitable[tuple[int, str]]]
STORED = tuple(MIGRATIONS)
STAYING = (ACTION_KIND_CHECK, ACTION_KIND_CALL, ACTION_KIND_BRING_IN)
AUDITOR = Caller(Role.AUDITOR, "auditor")


class House:
    """Five processes on these databases, and those who call them."""

    def __init__(self, folder: Path, databases: Mapping[str, str]) -> None:
        self._folder = folder
        self._databases = databases
        self._running: list[ServiceProcess] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        suppliers = ("betting", "evaluator", "dealer", "tournament_ledger")
        started = dict(zip(suppliers, await asyncio.gather(*map(self._start, suppliers)), strict=True))
        targets = {f"{name.upper()}_TARGET": process.address for name, process in started.items()}
        tables = (await self._start("orchestrator", targets)).address
        ledger = started["tournament_ledger"].address
        enter = self._stack.enter_async_context
        self.tables = TableServiceStub(await enter(open_channel(tables, BACKEND)))
        self.house = TableServiceStub(await enter(open_channel(tables, OPERATOR)))
        self.ledger = TournamentLedgerServiceStub(await enter(open_channel(ledger, BACKEND)))
        self.auditor = TournamentLedgerServiceStub(await enter(open_channel(ledger, AUDITOR)))
        return self

    async def _start(self, service: str, settings: Mapping[str, str] | None = None) -> ServiceProcess:
        own = {"DATABASE": self._databases[service]} if service in self._databases else {}
        own |= {"KEYS": f"k:{'ab' * 32}"} if service == "dealer" else {}
        started = await asyncio.to_thread(start_service, service, self._folder, own | dict(settings or {}))
        self._running.append(started)
        return started

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        codes = [await asyncio.to_thread(each.stop, 30.0) for each in reversed(self._running)]
        assert not any(codes), codes

    async def act_once(self, table: PlayedTable, after: int) -> int:
        """Whoever is asked stays in as cheaply as can be; the number of the turn, 0 where the hand is over."""
        view = await table.until(partial(_asked_or_over, after=after))
        if not view.HasField("turn"):
            return 0
        kind = next(each for each in STAYING if any(legal.kind == each for legal in view.turn.legal.actions))
        await table.suite.tables.Act(table.action(view.turn, ActionKind.Name(kind).removeprefix("ACTION_KIND_")))
        return view.turn.turn_id


def _asked_or_over(view: table_pb2.TableView, after: int) -> bool:
    return view.turn.turn_id > after or view.state == table_pb2.TABLE_STATE_PAUSED


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """`sevenstud move-database`: its exit code, and all that it says."""

    async def move(service: str, database: str, url: str) -> tuple[int, str]:
        options = ["move-database", "--service", service, "--from", database, "--to", url]
        code = await asyncio.to_thread(run, options, {})
        return code, "".join(capfd.readouterr())

    return move


def schema(postgres: PostgresServer, url: str) -> list[str]:
    """The definitions of a database, without what pg_dump makes up for each dump."""
    lines = postgres.definitions(url).splitlines()
    return [line for line in lines if not line.startswith(("\\restrict", "\\unrestrict"))]


async def test_a_house_moves_to_postgresql_in_the_middle_of_a_hand(
    tmp_path: Path, postgres: PostgresServer, command: Command
) -> None:
    files = {service: str(tmp_path / f"{service}.sqlite") for service in STORED}
    urls = {service: await postgres.new_database() for service in STORED}
    async with House(tmp_path, files) as house:
        table = await open_table(house, card_room(), hands_max=1)
        await table.sit("ann", "bob")
        await table.resume()
        turn = await house.act_once(table, 0)
        code, said = await command("dealer", files["dealer"], urls["dealer"])
        assert (code, "in use by another process" in said) == (1, True), said
        before = await table.view("ann")
        proven = await house.auditor.VerifyJournal(ledger_pb.VerifyJournalRequest())
    for number, service in enumerate(STORED):
        if number:
            code, said = await command(service, files[service], urls[STORED[0]])
            assert (code, "is not empty" in said) == (1, True), said
        code, said = await command(service, files[service], urls[service])
        assert code == 0, said
        assert "every one compared" in said
        code, said = await command(service, files[service], await postgres.new_database())
        assert (code, "was moved to" in said) == (1, True), said
        with pytest.raises(StoreRefused, match="was moved to PostgreSQL local socket/"):
            await open_database(Path(files[service]), service, MIGRATIONS[service])
    async with House(tmp_path, urls) as house:
        moved = PlayedTable(house, table.table_id, table.players)
        after = await moved.view("ann")
        assert [seat.down_cards for seat in after.seats] == [seat.down_cards for seat in before.seats]
        assert after.turn.turn_id == before.turn.turn_id
        while turn := await house.act_once(moved, turn):
            pass
        assert "hand_voided" not in kinds((await moved.hand(1)).events)
        found = await house.auditor.VerifyJournal(ledger_pb.VerifyJournalRequest())
        assert found.sound
        assert found.entries_count > proven.entries_count > 0
    for service, migrations in MIGRATIONS.items():
        fresh = await postgres.new_database()
        store = await open_database(PostgresUrl(fresh), service, migrations)
        await store.close()
        assert schema(postgres, urls[service]) == schema(postgres, fresh), service
