"""What only a server that others use too can do to a store: go away, come back, be shared, keep somebody waiting."""

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import asyncpg
import pytest

from shared.config.location import PostgresUrl
from shared.storage import postgres as engine_module
from shared.storage.database import Statement, StoreRefused, StoreUnavailable, StoreUnclear
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.postgres import PostgresStore, open_postgres, reached
from shared.storage.postgres_faults import LOST
from shared.storage.replicas import Replicas
from tests.support.engines import migrations_of
from tests.support.postgres_server import PostgresServer, postgres_running
from tests.support.seats_table import MAKE, seats, sit

PATIENCE_SECONDS = 30.0


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that a test may kill."""
    with postgres_running() as server:
        yield server


async def opened(server: PostgresServer) -> tuple[PostgresUrl, PostgresStore]:
    url = PostgresUrl(await server.new_database())
    store = await open_postgres(url, "test")
    await store.write([MAKE])
    return url, store


async def until(true: "asyncio.Event") -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await true.wait()


async def wait_for_state(store: PostgresStore, *, sound: bool) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while store.sound is not sound:  # noqa: ASYNC110  # the state has no bell
            await asyncio.sleep(0.02)


# --- opening ----------------------------------------------------------------------------------


async def test_replicas_that_start_at_once_on_an_empty_database_migrate_it_once(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = PostgresUrl(await postgres.new_database())
    package = migrations_of(tmp_path, *(f"CREATE TABLE t{number} (a TEXT);" for number in range(8)))
    stores = await asyncio.gather(*(open_postgres(url, "test", package) for _ in range(5)))
    applied = await stores[0].read("SELECT COUNT(*), COUNT(DISTINCT name) FROM schema_migrations WHERE version > 0")
    assert applied[0][0] == 8 + len({row[0] for row in await stores[0].read(_SHARED)})
    await asyncio.gather(*(store.close() for store in stores))


_SHARED = "SELECT name FROM schema_migrations WHERE set_name = 'shared'"


async def test_a_database_that_lost_a_table_is_refused(postgres: PostgresServer) -> None:
    url, store = await opened(postgres)
    await store.write([Statement("DROP TABLE events")])
    await store.close()
    with pytest.raises(StoreRefused, match=r"damaged \(missing: events\): restore"):
        await open_postgres(url, "test")


async def test_a_database_that_cannot_keep_every_text_is_refused(postgres: PostgresServer) -> None:
    url = await postgres.new_database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreRefused, match="ENCODING 'UTF8'"):
        await open_postgres(PostgresUrl(url), "test")


async def test_no_password_is_in_any_message(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine_module, "OPEN_SECONDS_MAX", 0.2)
    caplog.set_level(logging.DEBUG)
    missing = postgres.url("no_such_database", password="hunter2")
    addresses = ["postgresql://ann:hunter2@127.0.0.1:1/books", missing, f"{missing}&no_such_setting=hunter2"]
    for address in addresses:
        url = PostgresUrl(address)
        with pytest.raises(StoreRefused) as refusal:
            await open_postgres(url, "test")
        told = f"{refusal.value} {refusal.value!r} {url} {url!r} {caplog.text}"
        assert "hunter2" not in told.replace("no_such_setting", "")
        assert refusal.value.__cause__ is None


# --- others in the way ------------------------------------------------------------------------


async def test_two_writes_that_lock_each_other_out_are_both_made_in_the_end(postgres: PostgresServer) -> None:
    _, store = await opened(postgres)
    await store.write([sit(1), sit(2)])
    more = "UPDATE seats SET chips = chips + 1 WHERE seat = ?"
    there = [Statement(more, (1,), rows=1), Statement("SELECT pg_sleep(0.2)"), Statement(more, (2,), rows=1)]
    await asyncio.gather(store.write(there), store.write(there[::-1]))
    assert await store.read("SELECT chips FROM seats ORDER BY seat") == [(102,), (102,)]
    await store.close()


async def test_a_replica_stopped_in_the_middle_of_a_write_holds_up_the_others_for_a_moment_only(
    postgres: PostgresServer,
) -> None:
    url, store = await opened(postgres)
    await store.write([sit(1)])
    stopped = await open_postgres(url, "test")
    async with stopped._pool.acquire() as connection:
        await connection.execute("BEGIN")
        await connection.execute("UPDATE seats SET chips = 7 WHERE seat = 1")
        await store.write([Statement("UPDATE seats SET chips = chips + 1 WHERE seat = 1", rows=1)])
        with pytest.raises(LOST):
            await connection.execute("COMMIT")
    assert await store.read("SELECT chips FROM seats") == [(101,)]
    await asyncio.gather(store.close(), stopped.close())


async def test_hints_reach_the_other_replicas_and_many_travel_as_one(postgres: PostgresServer) -> None:
    url, store = await opened(postgres)
    other = await open_postgres(url, "test")
    heard, all_heard = set[str](), asyncio.Event()
    wanted = {f"table/{number}" for number in range(1000)}

    def hear(topic: str) -> None:
        heard.add(topic)
        if heard >= wanted:
            all_heard.set()

    other.heed(hear)
    for topic in sorted(wanted):
        store.tell(topic)
    await until(all_heard)
    await asyncio.gather(store.close(), other.close())


# --- the server goes away ---------------------------------------------------------------------


async def test_a_server_that_is_killed_and_comes_back_is_waited_for(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "TRY_SECONDS_MAX", PATIENCE_SECONDS)  # the machine may be slow
    _, store = await opened(own_server)
    missed = asyncio.Event()
    store.heed(lambda topic: missed.set() if not topic else None)
    await store.write([sit(1)])
    await asyncio.to_thread(own_server.kill)
    waiting = asyncio.create_task(store.write([sit(2)]))
    reading = asyncio.create_task(seats(store))
    await wait_for_state(store, sound=False)
    own_server.start()  # in this thread: the server ends with the thread that started it
    await asyncio.gather(waiting, reading)
    await until(missed)
    await wait_for_state(store, sound=True)
    assert await seats(store) == [1, 2]
    await store.close()


async def test_a_server_that_stays_away_is_unavailable_and_nothing_is_changed(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, store = await opened(own_server)
    monkeypatch.setattr(engine_module, "TRY_SECONDS_MAX", 0.5)
    await asyncio.to_thread(own_server.kill)
    with pytest.raises(StoreUnavailable, match="try again"):
        await store.write([sit(1)])
    with pytest.raises(StoreUnavailable, match="try again"):
        await store.read("SELECT 1")
    own_server.start()  # in this thread: the server ends with the thread that started it
    monkeypatch.undo()
    assert await seats(store) == []
    await store.close()


class Door:
    """A database with a role of its own, that lets nobody in for a while: in maintenance, or after a failover."""

    def __init__(self, server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self._server = server
        monkeypatch.setattr(engine_module, "TRY_SECONDS_MAX", 0.3)

    async def __aenter__(self) -> Self:
        url = await self._server.new_database()
        self._name = url.partition("?")[0].rpartition("/")[2]
        self._control = await asyncpg.connect(self._server.url())
        await self.do("CREATE ROLE {name} LOGIN", "ALTER DATABASE {name} OWNER TO {name}")
        await self.do("REVOKE ALL ON DATABASE {name} FROM PUBLIC")
        self.store = await open_postgres(PostgresUrl(url.replace("postgres@", f"{self._name}@")), "test")
        await self.store.write([MAKE])
        return self

    async def do(self, *steps: str) -> None:
        for sql in steps:
            await self._control.execute(sql.format(name=self._name))

    async def shut(self, how: str) -> None:
        await self.do(how, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    async def __aexit__(self, *_: object) -> None:
        await self.store.close()
        await self._control.close()


@pytest.mark.parametrize(
    ("shut", "opened_again"),
    [
        ("ALTER DATABASE {name} ALLOW_CONNECTIONS false", "ALTER DATABASE {name} ALLOW_CONNECTIONS true"),
        ("ALTER ROLE {name} NOLOGIN", "ALTER ROLE {name} LOGIN"),
        ("REVOKE CONNECT ON DATABASE {name} FROM {name}", "GRANT CONNECT ON DATABASE {name} TO {name}"),
    ],
)
async def test_a_server_that_lets_nobody_in_is_unavailable_until_it_does(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, shut: str, opened_again: str
) -> None:
    async with Door(postgres, monkeypatch) as door:
        await door.shut(shut)
        with pytest.raises(StoreUnavailable, match="try again"):
            await door.store.write([sit(1)])
        with pytest.raises(StoreUnavailable, match="try again"):
            await door.store.read("SELECT 1")
        await wait_for_state(door.store, sound=False)
        await door.do(opened_again)
        await wait_for_state(door.store, sound=True)
        monkeypatch.undo()
        assert await seats(door.store) == []


async def test_a_replica_that_was_not_let_in_lives_on_when_it_is(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its beat had ended with the first refusal, and with it all that it went on with by itself, until a restart."""
    async with Door(postgres, monkeypatch) as door:
        replica = Replicas(door.store)
        living = asyncio.create_task(replica.run())
        await wait_for_replica(replica, sure=True)
        await door.shut("ALTER ROLE {name} NOLOGIN")
        await wait_for_replica(replica, sure=False)
        await door.do("ALTER ROLE {name} LOGIN")
        await wait_for_replica(replica, sure=True)
        assert not living.done()
        living.cancel()
        await asyncio.gather(living, return_exceptions=True)


async def wait_for_replica(replica: Replicas, *, sure: bool) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while replica.sure is not sure:  # noqa: ASYNC110  # the state has no bell
            await asyncio.sleep(0.02)


async def test_whatever_a_server_suffers_from_is_no_fault_of_the_statement(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that cannot be read, a page that is damaged, a session that was mixed up, a code that nobody knows."""
    _, store = await opened(postgres)
    await store.write([Statement(_SUFFER)])
    monkeypatch.setattr(engine_module, "TRY_SECONDS_MAX", 0.05)
    for state in ("3D000", "58030", "XX000", "XX001", "26000", "72000", "38000", "QQQQQ"):
        with pytest.raises(StoreUnavailable, match=state):
            await store.write([Statement("SELECT suffer(?)", (state,))])
        with pytest.raises(StoreUnavailable, match=state):
            await store.read("SELECT suffer(?)", (state,))
    for state in ("42P01", "22003", "0A000"):  # bugs of the caller
        with pytest.raises(asyncpg.PostgresError):
            await store.read("SELECT suffer(?)", (state,))
    await store.close()


_SUFFER = (
    "CREATE FUNCTION suffer(state text) RETURNS bigint LANGUAGE plpgsql AS "
    "'BEGIN RAISE EXCEPTION ''could not read block'' USING ERRCODE = state; END'"
)


async def test_a_commit_whose_end_was_not_heard_is_said_to_be_unclear(postgres: PostgresServer) -> None:
    url, store = await opened(postgres)
    await store.write([Statement(sql) for sql in _SLOW_COMMIT])
    control = await asyncpg.connect(url.reveal())
    writing = asyncio.create_task(store.write([sit(1)]))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await control.fetchval(_CUT):  # noqa: ASYNC110  # another process has no bell
            await asyncio.sleep(0.02)
    with pytest.raises(StoreUnclear, match="ask again"):
        await writing
    assert await seats(store) == []
    await control.close()
    await store.close()


_SLOW_COMMIT = (
    "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(4); RETURN NULL; END'",
    "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON seats INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()",
)
_CUT = (
    "SELECT COUNT(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity "
    "WHERE query = 'COMMIT' AND state = 'active' AND datname = current_database()"
)


async def test_no_session_of_ours_commits_before_it_is_on_the_disk(postgres: PostgresServer) -> None:
    """Not the one that moves a database either: where the server is told so, it lost what it had said was moved."""
    address = await postgres.new_database()
    name = address.partition("?")[0].rpartition("/")[2]
    control = await asyncpg.connect(postgres.url())
    await control.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    await control.close()
    alone = await reached(PostgresUrl(address))
    assert await alone.fetchval("SHOW synchronous_commit") == "on"
    await alone.close()
    store = await open_postgres(PostgresUrl(address), "test")
    assert await store.read("SHOW synchronous_commit") == [("on",)]
    await store.close()


async def test_a_commit_that_waits_for_a_standby_that_is_away_is_not_told_as_made(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked again it is still not there: who was told that it is would lose it with the primary."""
    monkeypatch.setattr(engine_module, "COMMAND_SECONDS_MAX", 1.0)
    _, store = await opened(own_server)
    control = await asyncpg.connect(own_server.url())
    await control.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    await control.execute("SELECT pg_reload_conf()")
    made = list[int]()

    async def make() -> None:
        """Until the server has read its settings."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                await store.write([sit(len(made) + 1)])
                made.append(len(made) + 1)

    try:
        with pytest.raises(StoreUnclear, match="ask again"):
            await make()
        assert await seats(store) == made
    finally:
        await control.execute("ALTER SYSTEM RESET synchronous_standby_names")
        await control.execute("SELECT pg_reload_conf()")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await seats(store) != [*made, len(made) + 1]:  # noqa: ASYNC110  # the server has no bell
            await asyncio.sleep(0.05)
    await control.close()
    await store.close()


@pytest.mark.process
@pytest.mark.parametrize("victim", ["the writer", "the server"])
async def test_no_acknowledged_event_is_lost_when_somebody_is_killed(own_server: PostgresServer, victim: str) -> None:
    url, store = await opened(own_server)
    await store.close()
    acknowledged = _write_until_killed(url.reveal(), own_server, victim)
    assert acknowledged
    store = await open_postgres(url, "test")
    log = EventLog(store)
    for stream, version in acknowledged.items():
        events = await log.read_all(stream)
        assert len(events) >= version
        assert [event.version for event in events] == list(range(1, len(events) + 1))
    await store.write(log.append("after", 0, [NewEvent("fact", b"")], 1))
    await store.close()


def _write_until_killed(url: str, server: PostgresServer, victim: str) -> dict[str, int]:
    """The last version of each stream that was acknowledged before the end."""
    command = [sys.executable, "-m", "tests.support.crashing_writer", url]
    found: dict[str, int] = defaultdict(int)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(PATIENCE_SECONDS, process.kill)
        timer.start()
        assert process.stdout is not None
        for count, line in enumerate(process.stdout):
            stream, version = line.split()
            found[stream] = int(version)
            if count == 300:
                (process.kill if victim == "the writer" else server.kill)()
                if victim == "the server":
                    time.sleep(0.2)
                    process.kill()
        timer.cancel()
    if victim == "the server":
        server.start()
    return found
