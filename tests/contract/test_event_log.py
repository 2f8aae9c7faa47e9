"""The event log and the memory of answered requests, on each engine."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from shared.kernel.errors import DomainError, Reason
from shared.storage import requests as requests_module
from shared.storage.database import Statement, Store, WriteConflict
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.requests import AnsweredRequests, Effect, RequestKey
from tests.support.engines import Engine
from tests.support.seats_table import MAKE, seats, sit


@pytest.fixture
async def store(engine: Engine) -> Store:
    opened = await engine.open()
    await opened.write([MAKE])
    return opened


# --- event log --------------------------------------------------------------------------------


async def test_events_are_read_back_in_order_and_in_pages(store: Store) -> None:
    log = EventLog(store)
    await store.write(log.append("table-1", 0, [NewEvent("dealt", bytes([n])) for n in range(5)], 11))
    await store.write(log.append("table-1", 5, [NewEvent("acted", b"z")], 12))
    assert [event.payload for event in await log.read("table-1", 1, limit=2)] == [b"\x01", b"\x02"]
    last = (await log.read_all("table-1"))[-1]
    assert (last.version, last.kind, last.recorded_at_micros) == (6, "acted", 12)
    assert (await log.version("table-1"), await log.version("table-2")) == (6, 0)


@pytest.mark.parametrize("expected", [0, 1, 3, 99])
async def test_an_append_that_expects_another_version_changes_nothing(store: Store, expected: int) -> None:
    log = EventLog(store)
    await store.write(log.append("t", 0, [NewEvent("a", b""), NewEvent("b", b"")], 1))
    with pytest.raises(WriteConflict) as conflict:
        await store.write(log.append("t", expected, [NewEvent("c", b"")], 1))
    assert conflict.value.label == "append"
    assert await log.version("t") == 2
    assert len(await log.read("t")) == 2


async def test_a_player_moves_between_two_tables_in_one_write(store: Store) -> None:
    log = EventLog(store)
    await store.write(log.append("from", 0, [NewEvent("sat", b"")], 1))
    move = log.append("from", 1, [NewEvent("left", b"")], 2) + log.append("to", 0, [NewEvent("sat", b"")], 2)
    await store.write(move)
    with pytest.raises(WriteConflict):
        await store.write(move)
    assert (await log.version("from"), await log.version("to")) == (2, 1)


async def test_streams_are_listed_by_prefix(store: Store) -> None:
    log = EventLog(store)
    for name in ("table-1", "table-2", "table-3", "tournament-1"):
        await store.write(log.append(name, 0, [NewEvent("a", b"")], 1))
    assert await log.streams("table-") == [("table-1", 1), ("table-2", 1), ("table-3", 1)]
    assert await log.streams("table-", after="table-1", limit=1) == [("table-2", 1)]


# --- requests ---------------------------------------------------------------------------------

KEY = RequestKey("Sit", "7f1d2c1e-0000-4000-8000-000000000001", b"digest")
HOUR_MICROS = 3_600_000_000


async def test_a_repeated_request_gets_the_first_answer_and_has_no_second_effect(store: Store) -> None:
    requests = AnsweredRequests(store)
    calls = 0

    async def work() -> Effect:
        nonlocal calls
        calls += 1
        return Effect([sit(calls)], f"seat {calls}".encode())

    first = await requests.once(KEY, 1, work)
    again = await requests.once(KEY, 2, work)
    assert (first, again) == ((b"seat 1", False), (b"seat 1", True))
    assert await seats(store) == [1]


async def test_equal_requests_at_the_same_time_have_one_effect(store: Store) -> None:
    requests = AnsweredRequests(store)
    numbers = iter(range(1, 100))

    async def work() -> Effect:
        number = next(numbers)
        await asyncio.sleep(0)
        return Effect([sit(number)], str(number).encode())

    answers = await asyncio.gather(*(requests.once(KEY, 1, work) for _ in range(20)))
    assert len({answer for answer, _ in answers}) == 1
    assert len(await seats(store)) == 1


async def test_a_request_id_with_other_content_is_refused(store: Store) -> None:
    requests = AnsweredRequests(store)
    await store.write([requests.record(KEY, b"answer", 1)])
    with pytest.raises(DomainError, match="send a new id") as refusal:
        await requests.answer(RequestKey(KEY.scope, KEY.request_id, b"other"))
    assert refusal.value.reason is Reason.REQUEST_ID_REUSED
    assert await requests.answer(RequestKey("Leave", KEY.request_id, b"other")) is None


async def test_a_refused_request_leaves_its_id_free(store: Store) -> None:
    requests = AnsweredRequests(store)
    await store.write([sit(1)])

    async def work() -> Effect:
        return Effect([sit(1)], b"never")

    with pytest.raises(WriteConflict):
        await requests.once(KEY, 1, work)
    assert await requests.answer(KEY) is None


async def test_old_answers_are_forgotten(store: Store) -> None:
    requests = AnsweredRequests(store)
    await store.write([requests.record(KEY, b"answer", 10)])
    await requests.forget(10)
    assert await requests.answer(KEY) == b"answer"
    await requests.forget(11)
    assert await requests.answer(KEY) is None


async def test_a_clock_that_is_months_ahead_for_a_day_forgets_a_few_of_the_oldest_answers(store: Store) -> None:
    """A look an hour, each of some hours of answers at most; then the clock is right again and they are kept."""
    requests, hours = AnsweredRequests(store), 90 * 24
    keys = [RequestKey("scope", f"hour {hour}", b"digest") for hour in range(0, hours, 6)]
    await store.write([requests.record(key, b"answer", 6 * at * HOUR_MICROS) for at, key in enumerate(keys)])
    for _ in range(24):
        await requests.forget(2 * hours * HOUR_MICROS)
    kept = [key for key in keys if await requests.answer(key) is not None]
    assert kept == keys[-len(kept) :]
    assert len(kept) * 6 >= 80 * 24


async def test_answers_that_a_clock_gave_that_was_years_behind_are_kept_when_it_is_right(store: Store) -> None:
    """They were forgotten an hour after the next start, and what was asked for once more was done once more."""
    requests, now = AnsweredRequests(store), 56 * 365 * 24 * HOUR_MICROS
    keys = [RequestKey("scope", f"hour {hour}", b"digest") for hour in range(40)]
    await store.write([requests.record(key, b"answer", at * HOUR_MICROS) for at, key in enumerate(keys)])
    for hour in range(24):
        await requests.forget(now + hour * HOUR_MICROS)
    assert all([await requests.answer(key) is not None for key in keys])
    for hour in range(24):
        await requests.forget(now + (200 * 24 + hour) * HOUR_MICROS)
    assert not any([await requests.answer(key) for key in keys])


async def test_answers_that_were_kept_for_too_long_go_in_the_end(store: Store) -> None:
    requests = AnsweredRequests(store)
    keys = [RequestKey("scope", f"day {day}", b"digest") for day in range(30)]
    await store.write([requests.record(key, b"answer", 24 * day * HOUR_MICROS) for day, key in enumerate(keys)])
    for _ in range(30):
        await requests.forget(24 * 20 * HOUR_MICROS)
    assert [key for key in keys if await requests.answer(key) is not None] == keys[20:]


class Counted:
    """A store that counts the answers that each write takes away."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.read = store.read
        self.taken: list[int] = []

    async def write(self, statements: Sequence[Statement]) -> None:
        before = await self._count()
        await self._store.write(statements)
        self.taken.append(before - await self._count())

    async def _count(self) -> int:
        ((count,),) = await self._store.read("SELECT COUNT(*) FROM answered_requests")
        return int(str(count))


async def test_the_answers_of_a_busy_hour_are_forgotten_a_portion_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else is to be written comes in between."""
    monkeypatch.setattr(requests_module, "PORTION", 40)
    counted = Counted(store)
    requests = AnsweredRequests(cast("Store", counted))
    keys = [RequestKey("scope", f"request {number}", b"digest") for number in range(105)]
    await store.write([requests.record(key, b"answer", at) for at, key in enumerate(keys)])
    await requests.forget(100)
    assert counted.taken == [40, 40, 20]
    assert [key for key in keys if await requests.answer(key) is not None] == keys[100:]
