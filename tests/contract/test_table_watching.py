"""Watching a table: each viewer its own view, every event once, whoever is slow or late resumes by number."""

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.card_pb2 import CARD_FACE_DOWN
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent

from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application import feeds
from services.orchestrator.application.table_log import News
from services.orchestrator.application.watching import Ended
from services.orchestrator.domain.event_views import TableEvent as EventView
from services.orchestrator.domain.views import TableView
from services.orchestrator.domain.visibility import Viewer
from services.orchestrator.ports import ServiceAway
from shared.kernel.cards import parse_cards
from shared.kernel.errors import Reason
from tests.support.ledger_house import fresh, refused
from tests.support.table_suite import (
    CHECKED_DOWN,
    KINGS_FULL,
    PATIENCE_SECONDS,
    TO_THE_RIVER,
    PlayedTable,
    TableSuite,
    card_room,
    events_until,
    heads_up,
    kinds,
    open_table,
    scripted,
    within,
)

OTHER_DOWN_CARDS = {**KINGS_FULL, 2: "6s 6d 2h 7c 8d Jh 5s"}
"""The same hand but for the down cards of seat 2, who loses and mucks either way."""


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def history(table: PlayedTable, player_id: str = "") -> list[TableEvent]:
    """Everything that a viewer is sent, from the first event to the end of the first hand."""
    watch = pb.WatchRequest(table_id=table.table_id, after_version=0, player_id=player_id)
    return await events_until(aiter(table.suite.tables.Watch(watch)), "openings_published")


def dealt_down(events: list[TableEvent]) -> dict[int, list[int]]:
    """The down cards in the deals of a stream, by seat."""
    found: dict[int, list[int]] = {}
    for event in events:
        for seat in event.street_dealt.seats:
            found.setdefault(seat.seat, []).extend(seat.down_cards)
    return found


def masked(events: list[TableEvent]) -> list[bytes]:
    """The bytes of a stream without what differs between any two hands: time, ids, commitments, proofs."""
    found: list[bytes] = []
    for event in events:
        bare = TableEvent()
        bare.CopyFrom(event)
        bare.table_id = bare.hand_id = ""
        bare.ClearField("at")
        if bare.HasField("turn_started"):
            bare.turn_started.turn.ClearField("deadline")
        if bare.HasField("hand_started"):
            bare.hand_started.seed_commitment = bare.hand_started.deck_root = b""
        for opening in bare.openings_published.openings:
            opening.salt = b""
            opening.ClearField("path")
            opening.position = 0
        found.append(bare.SerializeToString(deterministic=True))
    return found


# --- who sees what ------------------------------------------------------------------------------


async def test_a_player_sees_the_own_down_cards_and_no_others(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    assert dealt_down(await history(table, "ann")) == {
        1: [*parse_cards("AsAd"), *parse_cards("3d")],
        2: [CARD_FACE_DOWN] * 3,
    }
    assert dealt_down(await history(table, "bob")) == {
        1: [CARD_FACE_DOWN] * 3,
        2: [*parse_cards("9s9d"), *parse_cards("Qs")],
    }


async def test_spectators_see_up_cards_only(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    assert dealt_down(await history(table)) == {1: [CARD_FACE_DOWN] * 3, 2: [CARD_FACE_DOWN] * 3}


async def test_the_table_as_it_is_hides_what_the_events_hide(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in")
    seen = {
        viewer: {seat.seat: list(seat.down_cards) for seat in (await table.view(viewer)).seats}
        for viewer in (
            "ann",
            "bob",
            "",
        )
    }
    down = [CARD_FACE_DOWN] * 2
    assert seen == {
        "ann": {1: list(parse_cards("AsAd")), 2: down},
        "bob": {1: down, 2: list(parse_cards("9s9d"))},
        "": {1: down, 2: down},
    }


async def test_a_player_cannot_look_with_the_eyes_of_another(suite: TableSuite) -> None:
    table = await heads_up(suite)
    async with suite.as_player("ann") as ann:
        asked = pb.GetTableRequest(table_id=table.table_id, player_id="bob")
        metadata = await refused(ann.GetTable(asked), Reason.NOT_PERMITTED)
    assert metadata["role"] == "player"


async def test_cards_that_a_viewer_cannot_see_change_no_byte_of_what_it_is_sent(suite: TableSuite) -> None:
    streams: list[dict[str, list[bytes]]] = []
    for number, cards in enumerate((KINGS_FULL, OTHER_DOWN_CARDS)):
        table = await open_table(suite, card_room(), scripted_hands=[scripted(cards)], hands_max=1)
        await table.sit(f"ann{number}", f"bob{number}")
        await table.resume()
        await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
        viewers = {"the winner": f"ann{number}", "a spectator": ""}
        seen = {name: await history(table, player_id) for name, player_id in viewers.items()}
        streams.append({name: _same_names(masked(events), number) for name, events in seen.items()})
    assert streams[0] == streams[1]


def _same_names(stream: list[bytes], number: int) -> list[bytes]:
    return [item.replace(f"ann{number}".encode(), b"ann").replace(f"bob{number}".encode(), b"bob") for item in stream]


# --- every event once ---------------------------------------------------------------------------


async def test_a_watcher_gets_the_table_and_then_every_event_after_it(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in")
    stream = aiter(suite.tables.Watch(pb.WatchRequest(table_id=table.table_id, player_id="ann")))
    first = (await within(anext(stream))).table
    await table.play("1 complete 5", "2 fold")
    events = await events_until(stream, "openings_published")
    assert [event.version for event in events] == list(range(first.version + 1, first.version + 1 + len(events)))
    assert kinds(events)[0] == "action_taken"


async def test_who_resumes_misses_nothing_and_gets_nothing_twice(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER)
    whole = [event async for event in _some(suite, table, 0, 20)]
    again = [event async for event in _some(suite, table, whole[7].version, 12)]
    assert again == whole[8:]


async def _some(suite: TableSuite, table: PlayedTable, after_version: int, count: int) -> AsyncIterator[TableEvent]:
    call = suite.tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=after_version, player_id="bob"))
    async for item in call:
        yield item.event
        count -= 1
        if not count:
            call.cancel()
            return


async def test_resuming_after_a_restart_gives_the_same_events_with_the_own_cards(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER)
    before = [event async for event in _some(suite, table, 0, 20)]
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    assert [event async for event in _some(suite, table, 0, 20)] == before
    assert dealt_down(before)[2] == [*parse_cards("9s9d")]


async def test_resuming_after_a_restart_between_hands_gives_the_same_events_with_the_own_cards(
    suite: TableSuite,
) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    before = await history(table, "bob")
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    assert await history(table, "bob") == before
    assert dealt_down(before)[2] == [*parse_cards("9s9d"), *parse_cards("Qs")]


async def test_no_player_watches_a_hand_without_the_own_cards_where_the_dealer_is_away_after_a_restart(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise ServiceAway("dealer")

    table = await heads_up(suite)
    await table.play("2 bring_in")
    await suite.stop_orchestrator()
    with monkeypatch.context() as patched:
        patched.setattr(DealerClient, "deal_street", away)
        await suite.start_orchestrator()
        for after_version in (None, 0):
            watch = pb.WatchRequest(table_id=table.table_id, after_version=after_version, player_id="bob")
            told = await refused(anext(aiter(suite.tables.Watch(watch))), Reason.DEPENDENCY_UNAVAILABLE)
            assert told == {"service": "dealer"}
        spectator = suite.tables.Watch(pb.WatchRequest(table_id=table.table_id))
        assert (await within(anext(aiter(spectator)))).table.HasField("turn")
        spectator.cancel()
    await table.play("1 complete 5", "2 fold")
    assert dealt_down(await history(table, "bob"))[2] == [*parse_cards("9s9d")]


async def test_nobody_resumes_from_an_event_that_has_not_happened(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    stream = suite.tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=9))
    assert await refused(anext(aiter(stream)), Reason.CURSOR_OUT_OF_RANGE) == {"last": "2"}


async def test_a_reader_that_falls_behind_is_told_where_to_resume(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "RING_EVENTS", 4)
    table = await open_table(suite, card_room())
    watched = suite.orchestrator.watching.watch(table.table_id, None, Viewer())
    first = await anext(watched)
    assert isinstance(first, TableView)
    await table.sit("ann")
    seated = await anext(watched)
    assert isinstance(seated, EventView)
    await table.sit("bob", "cid", "dan", "eve", "fay", "gus")
    assert await within(anext(watched)) == Ended(Reason.LIMIT_REACHED, seated.version)


async def test_who_is_behind_what_is_in_the_log_only_is_told_so_at_once(suite: TableSuite) -> None:
    """As when another process played several hands, or told events without cards that are known by now."""
    table = await open_table(suite, card_room())
    watched = suite.orchestrator.watching.watch(table.table_id, None, Viewer())
    assert isinstance(await anext(watched), TableView)
    await table.sit("ann")
    seated = await anext(watched)
    assert isinstance(seated, EventView)
    await table.sit("bob")
    actor = suite.orchestrator.tables.at_hand(table.table_id)
    assert actor is not None
    actor.feed.skip()
    assert await within(anext(watched)) == Ended(Reason.LIMIT_REACHED, seated.version)


async def test_more_watchers_than_the_limit_are_refused(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await suite.stop_orchestrator()
    await suite.start_orchestrator(WATCHERS_MAX="1")
    held = aiter(suite.tables.Watch(pb.WatchRequest(table_id=table.table_id)))
    await within(anext(held))
    other = suite.tables.Watch(pb.WatchRequest(table_id=table.table_id))
    assert await refused(anext(aiter(other)), Reason.LIMIT_REACHED) == {"limit": "watchers_max"}


async def test_watchers_that_cancel_or_vanish_leave_nothing_behind(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    request = pb.WatchRequest(table_id=table.table_id)
    cancelled = [suite.tables.Watch(request) for _ in range(10)]
    async with suite.as_player("ann") as ann:
        for call in (*cancelled, *(ann.Watch(request) for _ in range(10))):
            await within(anext(aiter(call)))
        assert suite.orchestrator.watching.count == 20
        for call in cancelled:
            call.cancel()
        await _fall_to(suite, 10)
    gc.collect()  # the calls that were merely dropped
    await _fall_to(suite, 0)


async def _fall_to(suite: TableSuite, count: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while suite.orchestrator.watching.count != count:  # noqa: ASYNC110  # as a gauge is read
            await asyncio.sleep(0.01)


async def test_a_service_that_stops_ends_its_streams_with_a_last_word(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    stream = aiter(suite.tables.Watch(pb.WatchRequest(table_id=table.table_id)))
    lobby = aiter(suite.tables.WatchLobby(pb.WatchLobbyRequest()))
    first = (await within(anext(stream))).table
    assert (await within(anext(lobby))).table.table_id == table.table_id
    stopping = asyncio.ensure_future(suite.stop_orchestrator())
    ended = (await within(anext(stream))).ended
    assert (ended.reason, ended.resume_after_version) == ("DRAINING", first.version)
    assert (await within(anext(lobby))).ended.reason == "DRAINING"
    await stopping


async def test_the_lobby_shows_every_table_and_what_becomes_of_it(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    lobby = aiter(suite.tables.WatchLobby(pb.WatchLobbyRequest()))
    assert (await within(anext(lobby))).table.seats_taken == 0
    await table.sit("ann")
    assert (await within(anext(lobby))).table.seats_taken == 1
    await suite.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))
    states: list[int] = []
    while table_pb2.TABLE_STATE_CLOSED not in states:
        states.append((await within(anext(lobby))).table.state)


async def test_lists_come_in_pages_newest_first(suite: TableSuite) -> None:
    opened = [(await open_table(suite, card_room())).table_id for _ in range(3)]
    first = await suite.tables.ListTables(pb.ListTablesRequest(page_size=2))
    rest = await suite.tables.ListTables(pb.ListTablesRequest(page_size=2, page_token=first.next_page_token))
    assert [line.table_id for line in (*first.tables, *rest.tables)] == opened[::-1]
    assert not rest.next_page_token


async def test_however_many_look_at_a_table_it_is_looked_up_once_for_all_of_them(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where others write to it: each look held the table, and whoever acted waited behind all of them."""
    table = await open_table(suite, card_room())
    actor = await suite.orchestrator.tables.actor(table.table_id)
    read, began, go, looks = StoredTableLog.since, asyncio.Event(), asyncio.Event(), 0

    async def slow(self: StoredTableLog, table_id: str, version: int) -> News | None:
        nonlocal looks
        looks += 1
        began.set()
        await go.wait()
        return await read(self, table_id, version)

    monkeypatch.setattr(StoredTableLog, "since", slow)
    actor.stale = True
    first = asyncio.create_task(actor.refresh(PATIENCE_SECONDS))
    await within(began.wait())
    others = [asyncio.create_task(actor.refresh(PATIENCE_SECONDS)) for _ in range(50)]
    await asyncio.sleep(0)
    others[0].cancel()  # whoever hangs up leaves it to the others
    go.set()
    assert await within(asyncio.gather(first, *others[1:])) == [None] * 50
    assert looks == 2
