"""A server that is half there: that takes a connection and then says nothing, or reads and takes no writes."""

import asyncio

import asyncpg
import pytest

from shared.config.location import PostgresUrl
from shared.storage import postgres as engine_module
from shared.storage import postgres_hints as hints_module
from shared.storage.database import StoreRefused, StoreUnavailable
from shared.storage.postgres import PostgresStore, open_postgres
from tests.support.postgres_server import PostgresServer, postgres_running
from tests.support.postgres_way import Way
from tests.support.seats_table import MAKE, seats, sit
from tests.support.standby_server import left_behind

PATIENCE_SECONDS = 30.0


async def sound_is(store: PostgresStore, *, sound: bool) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while store.sound is not sound:  # noqa: ASYNC110  # the state has no bell
            await asyncio.sleep(0.02)


async def test_a_connection_that_falls_silent_before_it_listens_is_given_up(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a failover: the store was waited for as long as the connection lasted, and said that it was not ready."""
    monkeypatch.setattr(hints_module, "ANSWER_SECONDS_MAX", 0.5)
    way, address = Way(postgres), await postgres.new_database()
    control = await asyncpg.connect(postgres.url())
    async with way.to(address) as url:
        store = await open_postgres(url, "test")
        way.deaf = True
        await control.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
            address.partition("?")[0].rpartition("/")[2],
        )
        async with asyncio.timeout(PATIENCE_SECONDS):
            await way.swallowed.wait()
        assert not store.sound
        way.deaf = False
        await sound_is(store, sound=True)
        way.deaf = True
        with pytest.raises(StoreRefused, match="cannot be opened"):
            await open_postgres(url, "test")
        await store.close()
    await control.close()


async def test_a_database_that_took_no_writes_for_a_while_is_written_to_again_when_it_does(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions that began meanwhile stay as they are: the store had kept them, and used one of them again and again."""
    monkeypatch.setattr(engine_module, "TRY_SECONDS_MAX", 1.0)
    address = await postgres.new_database()
    name = address.partition("?")[0].rpartition("/")[2]
    control = await asyncpg.connect(postgres.url())
    store = await open_postgres(PostgresUrl(address), "test")
    await store.write([MAKE])
    await control.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await control.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
    with pytest.raises(StoreUnavailable, match="25006"):
        await store.write([sit(1)])
    await sound_is(store, sound=False)
    assert await seats(store) == []
    await control.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
    await sound_is(store, sound=True)
    await store.write([sit(2)])
    assert await seats(store) == [2]
    await store.close()
    await control.close()


async def test_connections_that_lead_nowhere_any_more_cost_nobody_a_call_once_the_server_is_there_again(
    postgres: PostgresServer,
) -> None:
    """As after a failover that tells nobody: each of them would have let a call wait until its time was over."""
    way, address = Way(postgres), await postgres.new_database()
    async with way.to(address) as url:
        store = await open_postgres(url, "test")
        await store.write([MAKE])
        await asyncio.gather(*(store.read("SELECT pg_sleep(0.2) IS NULL") for _ in range(8)))
        way.lose()
        await sound_is(store, sound=False)
        await sound_is(store, sound=True)
        for seat in range(1, 9):
            await store.write([sit(seat)])
        assert await seats(store) == list(range(1, 9))
        await store.close()


async def test_nothing_is_read_from_a_standby_that_the_address_names_beside_the_primary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While the primary was away the store read what the standby had, and went on so for long after it was back."""
    with postgres_running() as primary:
        address = await primary.new_database()
        store = await open_postgres(PostgresUrl(address), "test")
        await store.write([MAKE, sit(1)])
        await store.close()
        with left_behind(primary) as standby:
            with pytest.raises(StoreRefused, match="is a standby"):
                await open_postgres(PostgresUrl(standby.instead(address)), "test")
            store = await open_postgres(PostgresUrl(standby.beside(address)), "test")
            await store.write([sit(2)])
            assert await seats(store) == [1, 2]
            primary.kill()
            with monkeypatch.context() as hurried:
                hurried.setattr(engine_module, "TRY_SECONDS_MAX", 1.0)
                with pytest.raises(StoreUnavailable):
                    await seats(store)
            primary.start()
            assert await seats(store) == [1, 2]
            await store.close()
