"""Do orchestrator, dealer and ledger tell the same story? A backup of one of them, restored alone, does not.

Every hand has its sheet at the ledger and is opened at the dealer before it is in the table's log, is there before a
street is dealt, and is booked at the ledger before the log says so. So each service knows at least what the next one
builds on; a table for which that is not so would play hands twice, and nobody may play on. Where no hand tells, the
seats do, those of a closed table too: chips of somebody who left, or a seat that is paid for and empty.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from services.orchestrator.application.apart import HistoriesApart, apart
from services.orchestrator.application.ledger_marks import HandsBooked, LedgerBooks, Marks, compare_books
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import HandStarted, OpeningsPublished, StreetDealt
from services.orchestrator.domain.recording import hand_id_of
from services.orchestrator.domain.table import Table, unbared
from services.orchestrator.domain.table_facts import Presence
from services.orchestrator.ports import Clock, ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode
from shared.observability.logging import get_log

AT_ONCE = 32
CLOSED_LOOKED_AT = 200
"""So many tables are looked at that were closed last: who was restored lacks what is newest."""
_PAUSE = timedelta(seconds=1)
LOOKS_MAX, LOOK_SECONDS = 3, 1.0
HANDS_AHEAD = 8
"""So many hands are looked at that the dealer opened and never dealt, as where the seats changed meanwhile."""


@dataclass(frozen=True, slots=True)
class DealtHand:
    """What the dealer says of a hand."""

    seed_commitment: bytes
    streets: int
    """How many streets it dealt."""
    compared: bool = False
    """Its betting is over: hands were given for the showdown, or the hand was ended."""
    ended: bool = False


UNREADABLE = DealtHand(b"", -1)
"""A hand that the dealer has, sealed under a key that was taken away: nothing can be said of it."""


@dataclass(frozen=True, slots=True)
class SeatsBooked:
    """What the ledger's book of a cash table says of its seats."""

    player_ids: frozenset[str]
    bought_version: int
    """The highest version of the table at which chips were bought; 0: not known."""


class OtherHistories(LedgerBooks, Protocol):
    """What the others have written down; ServiceAway while they do not answer."""

    async def dealt(self, hand_id: str) -> DealtHand | None:
        """A hand at the dealer; None where there is none."""
        ...

    async def seated(self, table_id: str) -> SeatsBooked | None:
        """Who has a seat at a cash table, by the ledger's books; None where it does not say."""
        ...

    async def ended(self, tournament_id: str) -> bool:
        """Whether a tournament is over for the ledger, or was called off."""
        ...


@dataclass(frozen=True, slots=True)
class _Told:
    """A table's log, as far as the others must know it too."""

    table: Table
    seed_commitment: bytes
    """Of its last hand; empty where the dealer opened none for it, and where it is void: nothing builds on it."""
    streets: int
    proved: bool
    """The dealer's openings of it were published: it had ended the hand."""


async def compare_all(log: TableLog, marks: Marks, others: OtherHistories) -> None:
    """Compare every open table, the last closed ones and all books; HistoriesApart, or ServiceAway."""
    tables = (*await log.open_tables(), *await log.closed_last(CLOSED_LOOKED_AT))
    await compare_histories(log, others, tables)
    try:
        found = await compare_books(marks, others, log)
    except DomainError as refusal:
        if refusal.reason is not Reason.NOT_PERMITTED:
            raise
        get_log().warning(
            "books_not_compared", meaning="a ledger of an earlier release tells its heads to auditors only"
        )
        return
    if found:
        raise apart(found)


async def compare_when_there(log: TableLog, marks: Marks, others: OtherHistories, clock: Clock) -> None:
    """The same, asked again until they answer, and our own database does: whatever fails says nothing of a backup."""
    while True:
        try:
            return await compare_all(log, marks, others)
        except ServiceAway:
            pass
        except HistoriesApart:
            raise
        except Exception as fault:  # noqa: BLE001  # people must hear of it; the tables go on meanwhile
            get_log().error("histories_not_compared", exc_info=fault)
        await clock.sleep_until(clock.now() + _PAUSE)


async def compare_histories(log: TableLog, others: OtherHistories, table_ids: Sequence[str]) -> None:
    """Compare every table; HistoriesApart names the services and some of the tables."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(table_id: str) -> str:
        async with gate:
            return await _compare(log, others, table_id)

    found = [problem for problem in await asyncio.gather(*(one(each) for each in table_ids)) if problem]
    if found:
        raise apart(found)


async def _compare(log: TableLog, others: OtherHistories, table_id: str) -> str:
    """What is wrong with a table, or nothing. Another orchestrator may go on with it while we ask."""
    before = await _told(log, table_id)
    table = before.table
    known = table.hand_number - (1 if table.unbooked else 0)
    playing = table.hand_number if table.hand is not None and not (table.hand.booked or table.hand.voided) else 0
    over = table.hand_number - (1 if table.hand is not None and table.hand.in_play else 0)
    hands = await _booked(others, table, known, playing)
    booked = hands.last if hands is not None else None
    last = await others.dealt(hand_id_of(table_id, table.hand_number)) if before.seed_commitment else None
    coming = await _dealt_since(others, table)
    if (booked is None or booked < known) and not await _counted_for_nothing(others, table, known - (booked or 0)):
        return f"the ledger is older: table {table_id} had hand {known} booked, the ledger knows {booked or 'none'}"
    if hands is not None and not hands.reaches(playing) and not await _counted_for_nothing(others, table, 1):
        return f"the ledger is older: table {table_id} plays hand {playing}, of which the ledger has no sheet"
    if before.seed_commitment and last is not UNREADABLE:
        if last is None or last.streets < before.streets or (before.proved and not last.ended):
            return f"the dealer is older: it does not have what table {table_id} saw of hand {table.hand_number}"
        if last.seed_commitment != before.seed_commitment:
            return f"the dealer has another deck for hand {table.hand_number} of table {table_id}"
    if not before.seed_commitment and not await _has_last_played(log, others, table_id):
        return f"the dealer is older: it does not have the last hand that was played at table {table_id}"
    ahead = (booked or 0) > over or coming or (last is not None and _is_beyond(last, before))
    if ahead and (await _told(log, table_id)).table.version == table.version:
        return f"the orchestrator is older: dealer or ledger are beyond hand {table.hand_number} of table {table_id}"
    return "" if table.mode is not Mode.CASH else await _compare_seats(log, others, table_id)


async def _has_last_played(log: TableLog, others: OtherHistories, table_id: str) -> bool:
    """Where the last hand is void, the dealer has the one before it."""
    newest = await log.hands(table_id, 0, HANDS_AHEAD)
    played = next((each.hand_id for each in newest if not each.voided), "")
    return not played or await others.dealt(played) is not None


async def _dealt_since(others: OtherHistories, table: Table) -> bool:
    """Whether the dealer dealt a later hand of the table."""
    for number in range(table.hand_number + 1, table.hand_number + 1 + HANDS_AHEAD):
        coming = await others.dealt(hand_id_of(table.table_id, number))
        if coming is None or coming.streets > 0:
            return coming is not None
    return False


def _is_beyond(dealt: DealtHand, told: _Told) -> bool:
    """The dealer is asked for the next street when the betting of the one before is over: never while a turn is open.

    What was acted since on the street that the log has, nobody but the log knows.
    """
    if told.table.hand is not None and told.table.hand.turn is not None:
        return dealt.compared or dealt.streets > told.streets
    return dealt.streets > told.streets + 1


async def _compare_seats(log: TableLog, others: OtherHistories, table_id: str) -> str:
    """Who sits at a cash table has a seat in its book, and nobody else: but for those who come or go just now.

    A purchase is remembered before the ledger is asked, and that a player goes is said before it is told to pay. What
    was bought is at the table, as an event after the version at which it was begun, or is still under way: so whoever
    has the same players, of whom one has left and come again since, is found to be older too.
    """
    for _ in range(LOOKS_MAX):
        before = await _told(log, table_id)
        booked = await others.seated(table_id)
        buying = await log.purchases(table_id)
        table = (await _told(log, table_id)).table
        if booked is None or table.version != before.table.version:  # another orchestrator goes on with it
            return ""
        if booked.bought_version > table.version or (booked.bought_version == table.version and not buying):
            return f"the orchestrator is older: chips were bought at table {table_id} that it knows nothing of"
        under_way = {each.player_id for each in buying}
        under_way |= {seat.player_id for seat in table.seats if seat.presence is Presence.LEAVING}
        if not ({seat.player_id for seat in table.seats} ^ booked.player_ids) - under_way:
            return ""
        await asyncio.sleep(LOOK_SECONDS)
    return f"the orchestrator or the ledger is older: table {table_id} has others in its seats than its book there"


async def _booked(others: OtherHistories, table: Table, known: int, playing: int) -> HandsBooked | None:
    """The hands that the ledger knows; one of several ledgers may be a moment behind the one that booked them."""
    booked = await others.booked(table.tournament_id, table.table_id)
    for _ in range(LOOKS_MAX):
        if booked is not None and booked.last >= known and booked.reaches(playing):
            break
        await asyncio.sleep(LOOK_SECONDS)
        booked = await others.booked(table.tournament_id, table.table_id)
    return booked


async def _counted_for_nothing(others: OtherHistories, table: Table, missing: int) -> bool:
    """The hand that was running when its tournament ended elsewhere, or was called off, is booked nowhere."""
    return missing == 1 and bool(table.tournament_id) and await others.ended(table.tournament_id)


async def _told(log: TableLog, table_id: str) -> _Told:
    saved = await log.load(table_id)
    if saved is None:
        raise LookupError(f"table {table_id} is listed and has no log")
    table = fold(unbared(saved.kept) if saved.kept is not None else None, saved.events)
    seed, streets, proved = b"", 0, False
    for event in saved.events:
        if isinstance(event.fact, HandStarted):
            seed, streets, proved = event.fact.seed_commitment, 0, False
        elif isinstance(event.fact, StreetDealt):
            streets += 1
        elif isinstance(event.fact, OpeningsPublished):
            proved = proved or bool(event.fact.openings)
    void = table.hand is not None and table.hand.voided
    return _Told(table, b"" if void else seed, streets, proved)
