"""S17, sealed seats: hand after hand, no down card of a seat with a key in the orchestrator's memory or log.

The same look finds the cards of the other seat, which has no key, in memory each time: a look that could find nothing
would prove nothing.
"""

import asyncio
import io
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random

from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.cards import Card
from shared.observability.logging import configure_logging
from tests.batteries.attack.play import anyhow
from tests.batteries.attack.s17_secrets import Searched
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.contract import test_sealed_seats as sealed
from tests.support import table_suite
from tests.support.ledger_house import fresh
from tests.support.seat_keys import SeatHolder
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table

PORTION, PROCESSES = 20, 2
PATIENCE_SECONDS = 300.0
"""With whatever else the machine does."""


@dataclass
class Canaries:
    """What was looked at, and what was found."""

    hands: int = 0
    looks: int = 0
    controls: int = 0
    """Looks at which the cards of the seat without a key were found, as they must be."""
    characters: int = 0
    """Of logs at DEBUG that were searched."""
    faults: list[str] = field(default_factory=list[str])

    def add(self, other: "Canaries") -> None:
        """What another process found."""
        self.hands += other.hands
        self.looks += other.looks
        self.controls += other.controls
        self.characters += other.characters
        self.faults += other.faults


async def play_hand(suite: TableSuite, folder: Path, number: int, found: Canaries) -> None:
    """One of two has a key, the other has none; at every turn the orchestrator's memory and database are searched."""
    holder, rng, key_seat = SeatHolder(), Random(f"sealed {number}"), 1 + number % 2
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit(f"ann{number}", f"bob{number}")
    await sealed.register(table, table.players[key_seat], holder.public_key)
    await table.resume()
    choose = anyhow(rng, 0.1)
    while True:
        view = await table.until(_acting_or_over)
        if not view.HasField("turn"):
            break
        await _look(suite, folder, table, holder, key_seat, found)
        legal, to_chips = choose(view.turn)
        request = pb.ActRequest(
            request_id=fresh(),
            table_id=table.table_id,
            player_id=view.turn.player_id,
            turn_id=view.turn.turn_id,
            kind=legal.kind,
            to_chips=to_chips,
        )
        await suite.tables.Act(request)
    await table.hand(1)
    found.hands += 1


def _acting_or_over(view: table_pb2.TableView) -> bool:
    return view.HasField("turn") or view.state == table_pb2.TABLE_STATE_PAUSED


async def _look(
    suite: TableSuite, folder: Path, table: PlayedTable, holder: SeatHolder, key_seat: int, found: Canaries
) -> None:
    other = 3 - key_seat
    own: set[Card] = set(sealed.unsealed(holder, await table.view(table.players[key_seat]), key_seat))
    plain = {*sealed.seat(await table.view(table.players[other]), other).down_cards}
    held = await sealed.memory_of(suite, table)
    kept = sealed.stored_cards(folder, table.table_id)
    found.looks += 1
    found.controls += len(own) == len(plain) > 1 and plain <= held
    if held & own:
        found.faults.append(f"table {table.table_id}: the memory holds a sealed card")
    if kept & {*own, *plain}:
        found.faults.append(f"table {table.table_id}: the database holds a down card")


def check_portion(numbers: Sequence[int]) -> Canaries:
    """Some hands in a process of their own, with a suite of their own."""
    table_suite.PATIENCE_SECONDS = PATIENCE_SECONDS
    log = io.StringIO()
    configure_logging("suite", "debug", log)
    found = asyncio.run(_played(numbers))
    searched = Searched()
    searched.log("the log", log.getvalue())
    found.characters = searched.characters
    found.faults += searched.faults
    return found


async def _played(numbers: Sequence[int]) -> Canaries:
    found = Canaries()
    with tempfile.TemporaryDirectory() as folder:
        async with TableSuite(Path(folder)) as suite:
            for number in numbers:
                await play_hand(suite, Path(folder), number, found)
    return found


def attack(hands: int) -> Canaries:
    """Hand after hand."""
    found, progress = Canaries(), Progress("S17 sealed", hands)
    portions = [range(at, min(at + PORTION, hands)) for at in range(0, hands, PORTION)]
    with get_context("spawn").Pool(PROCESSES) as pool:
        for canaries in pool.imap(check_portion, portions):
            found.add(canaries)
            progress.add(canaries.hands)
    progress.finish()
    return found


def sealed_stay_sealed(hands: int) -> Iterator[Row]:
    """Row S17b."""
    found = attack(hands)
    for fault in found.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "S17b",
        "10^3 hands with a sealed seat: its down cards 0 times in the orchestrator's memory or log before the showdown",
        f"{found.hands:,} hands, {found.looks:,} looks into memory and database, {found.characters:,} characters of "
        f"logs at DEBUG: {len(found.faults)} found; the cards of the seat without a key were found in memory "
        f"{found.controls:,} times, as they must be",
        holds=not found.faults and found.hands == hands and found.looks == found.controls > 0 < found.characters,
    )
