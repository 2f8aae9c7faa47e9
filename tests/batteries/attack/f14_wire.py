"""F14 on the wire: the same hands at two tables of a running house, and nothing by which a viewer tells them apart."""

import asyncio
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.batteries.attack.house import SERVICES, UNLIMITED, House, house
from tests.batteries.attack.play import anyhow, open_account
from tests.batteries.attack.twins import SEATS, Twins, decks, differing, plain, until_one_is_left
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged

HANDS_A_TABLE = 20
_SAMPLE = re.compile(r"^([a-z_]+(?:\{[^}]*\})?) ([-+0-9.eE]+)$", re.MULTILINE)
_OF_TIME = re.compile(
    r"seconds|bytes|_created|process_|python_|loop|lag|batch|commit|waiting|in_flight|msg_sent|write|read|store"
)
"""Series that measure time, memory and how work was bundled: they differ between any two runs of the same hands."""

_BY_THE_CLOCK = re.compile(r"ListTournaments|ListBooks")
"""What the orchestrator asks every so many seconds whatever is played: how often falls into a hand is chance."""


@dataclass
class Found:
    """What came of all pairs."""

    pairs: int = 0
    compared: int = 0
    series: int = 0
    lines: int = 0
    faults: list[str] = field(default_factory=list[str])


async def compare(found: Found, running: House, number: int, hands: int) -> None:
    """One pair of tables, one viewer; every other pair plays to the showdown, the others never get there."""
    rng = Random(f"twins {number}")
    viewer = rng.randint(0, SEATS)
    never_shown = bool(number % 2)
    hands = hands if never_shown else 1  # after a showdown the stacks are, rightly, others
    players = [f"t{number}-{seat}" for seat in range(SEATS)]
    first, second = decks(rng, hands, viewer)
    twins = Twins(running, viewer, players)
    for player_id in players:
        await open_account(running, player_id)
    seen, lines, counted = [], [], []
    for name, scripts in ((f"twin-a{number}", first), (f"twin-b{number}", second)):
        choice = Random(f"choices {number}")
        before, logged = await counts(running), {each: len(text) for each, text in running.logs()}
        chosen = until_one_is_left(choice) if never_shown else anyhow(choice, 0.15)
        seen.append((await twins.play(name, scripts, chosen))[1])
        counted.append({key: value - before.get(key, 0) for key, value in (await counts(running)).items()})
        written = (line for each, text in running.logs() for line in text[logged[each] :].splitlines())
        lines.append({plain(line) for line in written if not _BY_THE_CLOCK.search(line)})
    found.pairs += hands
    found.compared += sum(len(items) for items in seen[0].items.values())
    found.faults += [f"pair {number}: {each}" for each in differing(*seen)]
    if never_shown:
        found.series += len(counted[0])
        found.lines += len(lines[0])
        changed = {key for key in counted[0].keys() | counted[1].keys() if counted[0].get(key) != counted[1].get(key)}
        found.faults += [f"pair {number}: {key} differs between the twins" for key in sorted(changed)]
        found.faults += [f"pair {number}: a log line of one twin only: {line}" for line in lines[0] ^ lines[1]]


async def counts(running: House) -> dict[str, float]:
    """Every series of every service that does not measure time or memory."""
    found: dict[str, float] = {}
    for service in SERVICES:
        for name, value in _SAMPLE.findall(await running.metrics(service)):
            if not _OF_TIME.search(name) and not _BY_THE_CLOCK.search(name):
                found[f"{service} {name}"] = float(value)
    return found


async def attack(pairs: int) -> Found:
    """All pairs, in tables of some hands."""
    found, progress = Found(), Progress("F14 on the wire", pairs)
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), orchestrator=UNLIMITED) as running:
            number, hands = 0, min(HANDS_A_TABLE, max(1, pairs // 2))  # at least one table of each kind
            while found.pairs < pairs:
                await compare(found, running, number, hands)
                number += 1
                progress.add(hands if number % 2 == 0 else 1)
    progress.finish()
    return found


def views_on_the_wire(pairs: int) -> Iterator[Row]:
    """Row F14b."""
    found = asyncio.run(attack(pairs))
    for fault in found.faults[:10]:
        print(f"  fault {fault[:500]}")
    yield judged(
        "F14b",
        "over gRPC, five processes at DEBUG: every stream, answer, refusal, log line and count of the twins the same",
        f"{found.pairs:,} pairs of hands, {found.compared:,} events, answers and refusals, {found.lines:,} kinds of "
        f"log lines, {found.series:,} series of metrics compared: {len(found.faults)} differ",
        holds=not found.faults and found.compared > 0 and found.lines > 0 and found.series > 0,
    )
