"""Who watches is bounded: places, and what may wait for one watcher."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.tournament_ledger.application.feed import QUEUE_MAX, Feed, ToldFact, told
from services.tournament_ledger.application.sealing import sealed
from services.tournament_ledger.domain.facts import LevelStarted, PlayerBusted
from services.tournament_ledger.domain.journal import EntryKind, JournalEntry, empty_head
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.errors import DomainError, Reason
from tests.support.ledger_events import NOON


def entries(count: int, book: str = "tournament:t1") -> tuple[JournalEntry, ...]:
    drafts = tuple(Draft(EntryKind.LEVEL_STARTED, (LevelStarted(level),)) for level in range(1, count + 1))
    return sealed(empty_head(book), NOON, "request", drafts)


async def waiting(stream: AsyncIterator[ToldFact]) -> "asyncio.Future[ToldFact]":
    """A watcher that has begun to wait."""
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    return first


async def test_there_are_no_more_watchers_than_places_and_a_place_is_given_back() -> None:
    feed = Feed(1)
    only = feed.watch_all("player:ann")
    first = await waiting(only)
    with pytest.raises(DomainError) as refused:
        await anext(feed.watch_all("player:bob"))
    assert refused.value.reason is Reason.LIMIT_REACHED
    feed.grown("tournament:t1", entries(1))
    assert (await first).fact == LevelStarted(1)
    await only.aclose()  # type: ignore[attr-defined]  # an asynchronous generator can be closed
    following = feed.watch_all("player:bob")
    second = await waiting(following)
    feed.grown("tournament:t1", entries(1))
    assert (await second).version == 1


async def test_one_caller_has_half_of_the_places_and_our_services_need_none() -> None:
    feed = Feed(4)
    streams = [feed.watch_all(who) for who in ("backend:a", "backend:a", "backend:b", "")]
    watching = [await waiting(each) for each in streams]
    with pytest.raises(DomainError, match="one caller") as refused:
        await anext(feed.watch_all("backend:a"))
    assert refused.value.metadata == {"limit": "watchers_max"}
    watching += [await waiting(each) for each in (feed.watch_all("player:ann"), feed.watch_all())]
    with pytest.raises(DomainError, match="are here already"):
        await anext(feed.watch_all("player:bob"))
    feed.grown("tournament:t1", entries(1))
    assert {(await each).version for each in watching} == {1}


async def test_a_watcher_that_does_not_keep_up_is_told_so_after_what_it_can_still_have() -> None:
    feed = Feed(10)
    stream = feed.watch_all()
    first = await waiting(stream)
    feed.grown("tournament:t1", entries(QUEUE_MAX))
    feed.grown("tournament:t1", entries(1))
    assert (await first).version == 1
    for version in range(2, QUEUE_MAX + 1):
        assert (await anext(stream)).version == version
    with pytest.raises(DomainError) as refused:
        await anext(stream)
    assert refused.value.reason is Reason.LIMIT_REACHED
    assert refused.value.metadata == {"limit": "watch_queue_max"}


def test_watchers_are_told_of_tournaments_only_and_of_nothing_internal() -> None:
    assert told(entries(1, "wallets")[0]) == []
    draft = Draft(EntryKind.LEVEL_STARTED, (LevelStarted(2), PlayerBusted("ann", 5, NOON)))
    (entry,) = sealed(empty_head("tournament:t1"), NOON, "request", (draft,))
    assert [each.fact for each in told(entry)] == [LevelStarted(2)]
