"""A disk that is full for a while, with the logs on it too: what was refused meanwhile goes on by itself afterwards."""

import asyncio
import errno
import io
import logging
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
import structlog
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from shared.observability.logging import configure_logging, get_log
from shared.storage.database import Statement, StoreUnavailable
from shared.storage.sqlite import SqliteStore
from tests.support.servers import calling, start_service
from tests.support.table_suite import PlayedTable, TableSuite, heads_up

PATIENCE_SECONDS = 60.0
A_LONG_TIME_SECONDS = 3600.0
INTO_NOTHING = """
import os, sys
os.environ.pop("PYTHONUNBUFFERED", None)  # with it Python keeps nothing that it would have to write at the end
os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Becomes the program that follows, with its log where no line can be written."""


class FullDisk:
    """While it is full no store writes, and no line of a log."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = False
        self.refused = 0
        write = SqliteStore.write

        async def unless_full(store: SqliteStore, statements: Sequence[Statement]) -> None:
            if self.is_full:
                self.refused += 1
                raise StoreUnavailable("the write was not made (database or disk is full): try again later")
            await write(store, statements)

        monkeypatch.setattr(SqliteStore, "write", unless_full)

    async def refuses(self, times: int) -> None:
        """Until so many writes were refused."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.refused < times:  # noqa: ASYNC110  # the store has no bell
                await asyncio.sleep(0.01)


class LogOn(io.StringIO):
    """A log on that disk."""

    def __init__(self, disk: FullDisk) -> None:
        super().__init__()
        self._disk = disk

    def write(self, text: str, /) -> int:
        if self._disk.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[FullDisk]:
    found = FullDisk(monkeypatch)
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    configure_logging("orchestrator", "info", LogOn(found))
    yield found
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
async def suite(disk: FullDisk, tmp_path: Path) -> AsyncIterator[TableSuite]:
    del disk
    async with TableSuite(tmp_path) as suite:
        yield suite


async def ends_by_itself(suite: TableSuite, table: PlayedTable) -> None:
    """The clocks end the hand, though nobody asks for the table."""
    log = suite.orchestrator.tables.world.log
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await log.hands(table.table_id, 0, 1):
            suite.clock.move(A_LONG_TIME_SECONDS)
            await asyncio.sleep(0.1)


async def test_a_table_whose_step_was_refused_goes_on_though_the_log_could_not_say_so(
    suite: TableSuite, disk: FullDisk
) -> None:
    """Its task had ended with the line that could not be written, and the table stood still until a restart."""
    table = await heads_up(suite)
    await table.turn()
    disk.is_full = True
    suite.clock.move(A_LONG_TIME_SECONDS)
    await disk.refuses(times=2)
    disk.is_full = False
    await ends_by_itself(suite, table)


async def test_a_table_that_could_not_be_woken_at_the_start_goes_on_though_nobody_looks_at_it(
    suite: TableSuite, disk: FullDisk
) -> None:
    """Nobody drove it before somebody asked for it; players who are away do not."""
    table = await heads_up(suite)
    await table.turn()
    await suite.stop_orchestrator()
    disk.is_full = True
    starting = asyncio.create_task(suite.start_orchestrator())
    await disk.refuses(times=2)
    disk.is_full = False
    await starting
    await ends_by_itself(suite, table)


def test_who_says_something_goes_on_where_nobody_can_be_told(disk: FullDisk) -> None:
    disk.is_full = True
    get_log().error("said_in_vain")
    logging.getLogger("library").error("said in vain")
    disk.is_full = False
    get_log().error("said")


@pytest.mark.process
async def test_a_service_serves_though_its_log_can_never_be_written(tmp_path: Path) -> None:
    settings = {"DATABASE": str(tmp_path / "dealer.sqlite"), "SCRIPTED_DECKS": "allowed"}
    process = await asyncio.to_thread(
        start_service, "dealer", tmp_path, settings, None, (sys.executable, "-c", INTO_NOTHING)
    )
    try:
        async with calling(process.address) as channel:
            await DealerServiceStub(channel).GetServiceInfo(dealer.GetServiceInfoRequest())
        assert await asyncio.to_thread(process.stop) == 0
    finally:
        if process.process.poll() is None:
            process.kill()
