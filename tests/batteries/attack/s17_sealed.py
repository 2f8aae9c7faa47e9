"""S17, sealed seats: hand after hand, no down card of a seat with a key in the orchestrator's memory or log."""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.cards import Card
from tests.batteries.attack.play import anyhow
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.contract import test_sealed_seats as sealed
from tests.support.ledger_house import fresh
from tests.support.seat_keys import SeatHolder
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table


@dataclass
class Canaries:
    """What was looked at, and what was found."""

    hands: int = 0
    looks: int = 0
    controls: int = 0
    """Looks at which the cards of the seat without a key were found, as they must be."""
    faults: list[str] = field(default_factory=list[str])


async def play_hand(suite: TableSuite, folder: Path, number: int, found: Canaries) -> None:
    """Ann has a key, bob has none; at every turn the orchestrator's memory and database are searched."""
    ann, rng = SeatHolder(), Random(f"sealed {number}")
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit(f"ann{number}", f"bob{number}")
    await sealed.register(table, f"ann{number}", ann.public_key)
    await table.resume()
    choose = anyhow(rng, 0.1)
    while True:
        view = await table.until(_acting_or_over)
        if not view.HasField("turn"):
            break
        await _look(suite, folder, table, ann, number, found)
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
    suite: TableSuite, folder: Path, table: PlayedTable, ann: SeatHolder, number: int, found: Canaries
) -> None:
    own: set[Card] = set(sealed.unsealed(ann, await table.view(f"ann{number}"), 1))
    bobs = {*sealed.seat(await table.view(f"bob{number}"), 2).down_cards}
    held = await sealed.memory_of(suite, table)
    kept = sealed.stored_cards(folder, table.table_id)
    found.looks += 1
    found.controls += bobs <= held
    if held & own:
        found.faults.append(f"hand {number}: the memory holds a sealed card")
    if kept & {*own, *bobs}:
        found.faults.append(f"hand {number}: the log holds a down card")


async def attack(hands: int) -> Canaries:
    """Hand after hand."""
    found, progress = Canaries(), Progress("S17 sealed", hands)
    with tempfile.TemporaryDirectory() as folder:
        async with TableSuite(Path(folder)) as suite:
            for number in range(hands):
                await play_hand(suite, Path(folder), number, found)
                progress.add(1)
    progress.finish()
    return found


def sealed_stay_sealed(hands: int) -> Iterator[Row]:
    """Row S17b."""
    found = asyncio.run(attack(hands))
    for fault in found.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "S17b",
        "10^3 hands with a sealed seat: its down cards 0 times in the orchestrator's memory or log before the showdown",
        f"{found.hands:,} hands, {found.looks:,} looks into memory and database: {len(found.faults)} found; the cards "
        f"of the seat without a key were found {found.controls:,} times, as they must be",
        holds=not found.faults and found.looks > 0 and found.controls == found.looks,
    )
