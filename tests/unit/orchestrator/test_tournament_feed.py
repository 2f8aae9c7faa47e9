"""The stream of a tournament ends after its last event, whenever whoever watches was cut off and came back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.adapters.tournament_metrics import TournamentMetrics
from services.orchestrator.application import reach as reach_module
from services.orchestrator.application.reach import Reach
from services.orchestrator.application.replication import Replication
from services.orchestrator.application.shares import ALONE, Alone, Shares
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_follow import TournamentFollow
from services.orchestrator.domain.tournament_facts import (
    NumberedEvent,
    PlayerOut,
    TournamentBegan,
    TournamentEnded,
    TournamentSeat,
)
from services.orchestrator.domain.tournament_view import TournamentView
from services.orchestrator.ports import ServiceAway
from services.orchestrator.rpc.tournament_feed import Ended, TournamentFeed
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules.presets import PRESETS
from shared.observability.metrics import new_registry
from shared.rpc.drain import Drain
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.tournament_floor import VirtualClock

PATIENCE_SECONDS = 30.0
BEGAN = TournamentBegan(
    seats=tuple(TournamentSeat(table_id="t.1", seat=at, player_id=each) for at, each in enumerate(("ann", "bob"), 1)),
    draw_id="d",
    name="Sunday",
    seats_per_table=2,
    rules=PRESETS["regulated_tournament"],
)
OUT = PlayerOut(player_id="bob", place=2, prize_minor=0)
OVER = TournamentEnded(winner_player_id="ann", cancelled=False)


class Together(Alone):
    """Others may write too."""

    shared = True


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


def opened(store: SqliteStore, shares: Shares = ALONE) -> tuple[TournamentBooks, TournamentFeed]:
    books = TournamentBooks(StoredTournamentLog(store), VirtualClock(), TournamentMetrics(new_registry()), shares)
    return books, TournamentFeed(books, Drain(), 10)


async def told(feed: TournamentFeed, after_version: int) -> list[TournamentView | NumberedEvent | Ended]:
    async with asyncio.timeout(PATIENCE_SECONDS):
        return [each async for each in feed.watch("t", after_version)]


async def test_who_was_cut_off_right_after_the_last_event_hears_the_end(store: SqliteStore) -> None:
    """The tournament's lock is still held: the step that ended it is not over."""
    books, feed = opened(store)
    async with books.locked("t"):
        state = await books.append("t", None, [BEGAN])
        state = await books.append("t", state, [OUT, OVER])
        assert await told(feed, state.version) == []
        assert len(await told(feed, state.version - 1)) == 1


async def test_the_end_that_another_process_wrote_ends_the_stream_of_who_had_heard_it_there(store: SqliteStore) -> None:
    writer, _ = opened(store)
    books, feed = opened(store, Together())
    async with writer.locked("t"):
        state = await writer.append("t", None, [BEGAN])
        assert (await books.state("t")).version == 1
        state = await writer.append("t", state, [OUT, OVER])
    assert await told(feed, state.version) == []


async def test_whoever_waits_while_a_command_fails_hears_what_happens_next(store: SqliteStore) -> None:
    """A process that does not direct knows no more of the tournament than its log, and forgets that where in doubt."""
    writer, _ = opened(store)
    books, feed = opened(store)
    async with writer.locked("t"):
        state = await writer.append("t", None, [BEGAN])
    stream = feed.watch("t", state.version)
    waiting = asyncio.ensure_future(anext(stream))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while books.at_hand("t") is None:  # noqa: ASYNC110  # until it waits
            await asyncio.sleep(0)
        async with writer.locked("t"):
            await writer.append("t", state, [OUT])
        with pytest.raises(DomainError):
            async with books.locked("t"):
                await books.append("t", state, [OUT])
        first = await waiting
        assert isinstance(first, NumberedEvent)
        assert first.event == OUT
        async with books.locked("t"):
            await books.append("t", await books.state("t"), [OVER])
        assert len([each async for each in stream]) == 1


class ClosedTables:
    """Every table of the tournament is closed by now."""

    def __init__(self) -> None:
        self.world = SimpleNamespace(shares=Together(), log=self)
        self.poked: list[str] = []

    async def lines(self) -> tuple[object, ...]:
        return ()

    def all_at_hand(self) -> tuple[object, ...]:
        return ()

    def let_go(self) -> tuple[str, ...]:
        return ()

    async def poke(self, table_id: str) -> None:
        self.poked.append(table_id)


async def test_the_end_that_another_process_wrote_is_heard_though_its_hint_was_lost(store: SqliteStore) -> None:
    """The tables of the tournament are closed when this process looks: nothing but its own memory names it."""
    writer, _ = opened(store)
    books, feed = opened(store, Together())
    tables, nobody = cast("Any", ClosedTables()), cast("Any", None)
    follow = TournamentFollow(books, nobody, nobody, nobody, tables, VirtualClock())
    replication = Replication(tables, asyncio.Event(), follow)
    async with writer.locked("t"):
        state = await writer.append("t", None, [BEGAN])
    watching = asyncio.ensure_future(told(feed, state.version))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while books.at_hand("t") is None:  # noqa: ASYNC110  # until it waits
            await asyncio.sleep(0)
    async with writer.locked("t"):
        await writer.append("t", state, [OUT, OVER])
    await replication.look()
    assert len(await watching) == 2
    assert tables.poked == ["t.1"]
    assert books.in_play() == ()
    assert books.at_hand("t") is None  # nothing of it is kept but what is kept of those that are over


async def test_who_watches_where_nothing_is_heard_of_others_is_sent_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach_module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(reach_module, "SILENT_SECONDS", 0.05)
    books, _ = opened(store, Together())
    async with books.locked("t"):
        state = await books.append("t", None, [BEGAN])
    sound = True
    reach = Reach(lambda: sound)
    looking = asyncio.create_task(reach.look_for_ever(lambda: None))
    feed = TournamentFeed(books, Drain(), 10, reach)
    waiting = asyncio.ensure_future(told(feed, state.version))
    await asyncio.sleep(0)
    sound = False
    assert await waiting == [Ended(Reason.DEPENDENCY_UNAVAILABLE)]
    with pytest.raises(ServiceAway):
        await told(feed, state.version)
    sound = True
    async with asyncio.timeout(PATIENCE_SECONDS):
        while reach.lost:  # noqa: ASYNC110  # until it looks
            await asyncio.sleep(0.01)
    again = aiter(feed.watch("t", 0))
    assert isinstance(await anext(again), NumberedEvent)
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
