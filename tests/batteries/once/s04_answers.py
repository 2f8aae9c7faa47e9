"""S4: no deadline leaves a doubt. Requests are tried in simulated worlds, see tests/sim/exam.py."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, count
from typing import Final

from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.sim.exam import Marks, Way
from tests.sim.exam_courses import examined
from tests.sim.plans import calm
from tests.sim.world import Broken, live
from tests.support.contract import methods

GAMES: Final = (1, 25, 34)
"""Seeds of a cash table and of two tournaments."""
ALL: Final = 2
"""The seed of the world in which everything is asked."""
WAITS_MAX: Final = 60


def mutating() -> frozenset[str]:
    """Every RPC of every service whose requests have an id of their own."""
    return frozenset(
        f"{each.containing_service.name}.{each.name}"
        for each in methods()
        if "request_id" in each.input_type.fields_by_name
    )


def tried(marks: Marks, seed: int, way: Way, cut_at: int = 0, *, everything: bool = False) -> None:
    """One world; what is wrong in it is a fault."""
    try:
        live(calm(seed), examined(way, marks, cut_at, everything=everything))
    except Broken as broken:
        marks.faults.append(f"{way.name} {cut_at or ''} {broken}")


def _worlds(marks: Marks, way: Way, keys: int) -> None:
    """Worlds of games, and of everything now and then, until so many answers were asked for again."""
    progress = Progress(f"S4 {way.name.lower()}", keys)
    tried(marks, ALL, way, everything=True)
    before = 0
    for seed in chain(GAMES, count(100)):
        done = marks.again.total()
        progress.add(min(done, keys) - min(before, keys), f"faults: {len(marks.faults)}")
        before = done
        if len(marks.faults) > 5 or (done >= keys and seed not in GAMES):
            break
        tried(marks, seed, way, everything=seed % 10 == 0)
    progress.finish()


def _missed(found: Counter[str]) -> list[str]:
    return sorted(mutating() - found.keys())


def answers_that_are_lost(keys: int) -> Iterator[Row]:
    """The answer never arrives: asked again at once, with other content, and 80 days later by services started anew."""
    marks = Marks()
    _worlds(marks, Way.LOST, keys)
    _tell(marks)
    missed = _missed(marks.again)
    yield judged(
        "S4a",
        f"an answer lost, asked again: the same {keys:,} times, over every RPC that changes something",
        f"{marks.again.total():,} the same in {len(marks.again)} of {len(mutating())} RPCs"
        f"{', never asked: ' + ', '.join(missed) if missed else ''}; {marks.other.total():,} with other "
        f"content refused as REQUEST_ID_REUSED in {len(marks.other)} RPCs; {marks.remembered.total():,} the same "
        f"80 days later, after all services were started anew; {len(marks.faults)} faults",
        holds=not marks.faults and not missed and marks.again.total() >= keys,
    )


def answers_that_are_late(keys: int) -> Iterator[Row]:
    """The caller's deadline passes while the server goes on; then the caller asks again by itself."""
    marks = Marks()
    _worlds(marks, Way.LATE, keys)
    _tell(marks)
    missed = _missed(marks.again + marks.granted)
    yield judged(
        "S4b",
        f"the caller's deadline over while the server goes on: the caller's retry answered the same, {keys:,} times",
        f"{marks.again.total():,} answers came too late and were given again in {len(marks.again)} RPCs, "
        f"{marks.granted.total():,} calls cut off on their way were granted when asked again in {len(marks.granted)}"
        f"{'; never late: ' + ', '.join(missed) if missed else ''}; {len(marks.faults)} faults",
        holds=not marks.faults and marks.again.total() >= keys,
    )


def cut_at_every_wait() -> Iterator[Row]:
    """The caller hangs up at the first wait of each handler, in other worlds at the second, and so on to the last."""
    marks = Marks()
    progress = Progress("S4 waits", WAITS_MAX)
    nth = 0
    for nth in range(1, WAITS_MAX + 1):
        before = marks.cut.total()
        tried(marks, ALL, Way.CUT, nth, everything=True)
        for seed in GAMES:
            tried(marks, seed, Way.CUT, nth)
        progress.add(1, f"cut: {marks.cut.total():,}, faults: {len(marks.faults)}")
        if marks.cut.total() == before or len(marks.faults) > 5:
            break
    progress.finish()
    _tell(marks)
    missed = _missed(marks.cut)
    deepest = max(marks.deepest, key=lambda each: marks.deepest[each], default="")
    yield judged(
        "S4c",
        "hung up at the first, second, ... last wait of every handler that changes something: one effect, one answer",
        f"{marks.cut.total():,} calls cut short in {len(marks.cut)} of {len(mutating())} RPCs"
        f"{', never cut: ' + ', '.join(missed) if missed else ''}, {sum(marks.deepest.values())} waits in all (most: "
        f"{marks.deepest.get(deepest, 0)} of {deepest}; at {nth} none waited any more); {len(marks.faults)} faults",
        holds=not marks.faults and not missed and nth < WAITS_MAX,
    )


def _tell(marks: Marks) -> None:
    for fault in marks.faults[:10]:
        print(f"  fault {fault}")
