"""Processes that share a PostgreSQL: who goes on with what, and what happens to whoever is not heard of."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.config.location import PostgresUrl
from shared.storage import replicas as module
from shared.storage.database import Statement, WriteConflict
from shared.storage.postgres import PostgresStore, open_postgres
from shared.storage.replicas import Replicas
from tests.support.postgres_server import PostgresServer
from tests.support.seats_table import MAKE, seats, sit


class Watch:
    """A watch that is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds


@pytest.fixture
async def store(postgres: PostgresServer) -> AsyncIterator[PostgresStore]:
    opened = await open_postgres(PostgresUrl(await postgres.new_database()), "test")
    await opened.write([MAKE])
    yield opened
    await opened.close()


SLEEPS = (
    "SELECT COUNT(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(1)' AND state = 'active' "
    "AND datname = current_database()"
)
SUBJECTS = [f"table-{number}" for number in range(40)]


async def beat(watch: Watch, *living: Replicas, seconds: float = 0.5, times: int = 2) -> None:
    for _ in range(times):
        watch.seconds += seconds
        for each in living:
            await each.join()


def wanted(*living: Replicas) -> list[int]:
    return [sum(each.wants(subject) for each in living) for subject in SUBJECTS]


async def test_those_that_live_share_the_tables_and_each_has_one_owner(store: PostgresStore) -> None:
    watch = Watch()
    first, second, third = (Replicas(store, watch.now) for _ in range(3))
    await beat(watch, first)
    assert wanted(first) == [1] * 40
    assert first.alone
    await beat(watch, first, second, third, times=3)
    assert wanted(first, second, third) == [1] * 40
    assert all(any(each.wants(subject) for subject in SUBJECTS) for each in (first, second, third))
    await third.leave()
    await beat(watch, first, second)
    assert wanted(first, second) == [1] * 40


async def test_a_table_changes_hands_when_its_owner_lets_go_or_is_gone(store: PostgresStore) -> None:
    watch = Watch()
    first, second = Replicas(store, watch.now), Replicas(store, watch.now)
    await beat(watch, first, second, times=3)
    assert await first.claim("t")
    assert not await second.claim("t")
    await first.release("t")
    assert await second.claim("t")
    assert not await first.claim("t")
    await beat(watch, first, times=10)  # the second is not heard of any more
    assert await first.claim("t")
    assert (first.owns("t"), second.owns("t")) == (True, False)


async def test_a_table_that_its_owner_took_for_lost_by_mistake_can_still_change_hands(store: PostgresStore) -> None:
    watch = Watch()
    first, second = Replicas(store, watch.now), Replicas(store, watch.now)
    await beat(watch, first, second, times=3)
    assert await first.claim("t")
    first.lose("t")
    assert not await second.claim("t")
    await first.release("t")
    assert await second.claim("t")
    first.lose("t")
    await first.release("t")
    assert not await first.claim("t")


async def test_of_a_table_that_is_closed_for_ever_nothing_is_kept(store: PostgresStore) -> None:
    watch = Watch()
    first, second = Replicas(store, watch.now), Replicas(store, watch.now)
    await beat(watch, first, second, times=3)
    assert await first.claim("closed")
    assert await first.claim("open")
    assert first.subjects == {"closed", "open"}
    await second.forget("open")  # whoever is not the owner takes nothing away
    await first.forget("closed")
    assert await store.read("SELECT subject FROM owners") == [("open",)]
    assert (first.owns("closed"), first.owns("open")) == (False, True)
    await first.release("closed")
    assert await second.claim("closed")  # as one who had not heard yet that it is closed
    assert not await first.claim("closed")


async def test_whoever_was_stopped_does_nothing_by_itself_until_it_has_looked_again(store: PostgresStore) -> None:
    watch = Watch()
    stopped, other = Replicas(store, watch.now), Replicas(store, watch.now)
    await beat(watch, stopped, other, times=3)
    assert await stopped.claim("taken")
    assert await stopped.claim("kept")
    fence = stopped.fence("taken")
    await store.write([fence, sit(1)])
    await beat(watch, other, times=10)
    assert await other.claim("taken")
    assert not stopped.owns("kept")
    with pytest.raises(WriteConflict) as conflict:
        await store.write([fence, sit(2)])
    assert conflict.value.label == module.OWNER_LABEL
    await stopped.join()
    assert (stopped.owns("taken"), stopped.owns("kept")) == (False, True)
    assert await seats(store) == [1]


async def test_a_takeover_waits_for_a_fenced_write_that_is_on_its_way(store: PostgresStore) -> None:
    watch = Watch()
    slow, other = Replicas(store, watch.now), Replicas(store, watch.now)
    await beat(watch, slow, other, times=3)
    assert await slow.claim("t")
    writing = asyncio.create_task(store.write([slow.fence("t"), sit(1), Statement("SELECT pg_sleep(1)")]))
    async with asyncio.timeout(30):
        while await store.read(SLEEPS) == [(0,)]:  # noqa: ASYNC110  # the server has no bell
            await asyncio.sleep(0.01)
    await beat(watch, other, times=10)
    assert await other.claim("t")
    assert await seats(store) == [1]
    await writing


async def test_of_many_that_claim_at_once_one_gets_it(store: PostgresStore) -> None:
    watch = Watch()
    many = [Replicas(store, watch.now) for _ in range(6)]
    await beat(watch, *many, times=2)
    assert sum(await asyncio.gather(*(each.claim("t") for each in many))) == 1


async def test_a_replica_that_left_long_ago_is_forgotten(store: PostgresStore) -> None:
    watch = Watch()
    first, second = Replicas(store, watch.now), Replicas(store, watch.now)
    await beat(watch, first, second)
    await beat(watch, first, seconds=200, times=5)
    assert await store.read("SELECT replica FROM replicas") == [(first.name,)]
