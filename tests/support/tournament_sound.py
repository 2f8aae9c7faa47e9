"""What must be true of a tournament that was played while its services were hurt: as if nobody had been."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as play_pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from tests.support.tournament_lobby import TournamentLobby


async def the_end_is_sound(
    lobby: TournamentLobby, tournament_id: str, players: Sequence[str], stack_chips: int
) -> list[play_pb.TournamentEvent]:
    """One player has all chips, every place is given once, and the stream of events has no gap."""
    standings, view = await lobby.standings(tournament_id), await lobby.view(tournament_id)
    chips = {player: each.chips for player, each in standings.items() if each.chips}
    assert chips == {view.winner_player_id: len(players) * stack_chips}, f"chips at the end: {chips}"
    events = await lobby.events(tournament_id)
    _no_gap(tournament_id, [event.version for event in events], view.version)
    outs = [event.player_out for event in events if event.HasField("player_out")]
    places = {key: each.place for key, each in standings.items()}
    assert {each.player_id: each.place for each in outs} == places, f"places {places}, told {outs}"
    assert len(outs) == len(players), f"{len(outs)} players told to be out"
    return events


async def the_history_is_whole(lobby: TournamentLobby, table_id: str) -> int:
    """Every hand was played once, to its end, none was voided; the log has neither gap nor double; how many hands."""
    hands = (await lobby.tables.ListHands(table_pb.ListHandsRequest(table_id=table_id, page_size=500))).hands
    numbers = [hand.hand_number for hand in hands]
    _no_gap(table_id, numbers[::-1], len(numbers))
    voided = [hand.hand_id for hand in hands if hand.voided]
    assert not voided, f"voided: {voided}"
    events = [event async for event in _log(lobby, table_id)]
    _no_gap(table_id, [event.version for event in events], len(events))
    booked = [event.hand_booked.hand_number for event in events if event.HasField("hand_booked")]
    assert booked == sorted(numbers), f"{table_id}: played {sorted(numbers)}, booked {booked}"
    acted = Counter(event.action_taken.turn_id for event in events if event.HasField("action_taken"))
    assert max(acted.values(), default=1) == 1, f"{table_id}: turns answered twice: {acted.most_common(3)}"
    return len(numbers)


def _no_gap(whose: str, numbers: Sequence[int], last: int) -> None:
    """From 1 to the last, each once."""
    wrong = next((at for at, number in enumerate(numbers, start=1) if at != number), None)
    assert wrong is None, f"{whose}: number {numbers[wrong - 1]} where {wrong} is next"
    assert len(numbers) == last, f"{whose}: {len(numbers)} of {last}"


async def _log(lobby: TournamentLobby, table_id: str) -> AsyncIterator[TableEvent]:
    """Every event of a table that is closed."""
    async for item in lobby.tables.Watch(table_pb.WatchRequest(table_id=table_id, after_version=0)):
        yield item.event
        if item.event.HasField("table_closed"):
            return


async def the_books_are_sound(auditor: Any, tournament_id: str, hands: int) -> None:
    """The journal verifies, every unit sums to zero, and each hand has one entry."""
    verdict = await auditor.VerifyJournal(ledger_pb.VerifyJournalRequest(), timeout=120)
    assert verdict.sound, verdict.faults
    assert {each.sum for each in verdict.sums} <= {0}
    entries = await entries_of_hands(auditor, f"tournament:{tournament_id}")
    assert len(entries) == hands, f"{len(entries)} entries of hands, {hands} hands"
    assert len(set(entries)) == hands, "a hand has two entries"


async def entries_of_hands(auditor: Any, book: str) -> list[str]:
    """What the entries that book hands say they are about."""
    request, found = ledger_pb.ExportJournalRequest(book=book, page_size=500), list[str]()
    while True:
        page = await auditor.ExportJournal(request, timeout=60)
        found += [entry.subject for entry in page.entries if "fact=HandRecorded" in entry.subject]
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


async def all_is_sound(
    lobby: TournamentLobby, auditor: Any, tournament_id: str, players: Sequence[str], stack_chips: int
) -> int:
    """Everything above; how many hands were played."""
    events = await the_end_is_sound(lobby, tournament_id, players, stack_chips)
    tables = dict.fromkeys(table for event in events for table in _tables_of(event))
    hands = sum([await the_history_is_whole(lobby, table_id) for table_id in tables])
    await the_books_are_sound(auditor, tournament_id, hands)
    return hands


def _tables_of(event: play_pb.TournamentEvent) -> set[str]:
    """The tables that an event seats somebody at."""
    seats = [*event.tournament_began.seats, *event.round_began.seats]
    named = {seat.table_id for seat in seats}
    if event.HasField("seat_changed"):
        named.add(event.seat_changed.to.table_id)
    return named - {""}
