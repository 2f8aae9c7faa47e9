"""F14, the rules of seeing: random hands played twice at the orchestrator's own table, and every byte of one viewer."""

from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context

from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.batteries.views.portion import check_portion

PORTION, PROCESSES = 50, 2


def views_leak_nothing(hands: int) -> Iterator[Row]:
    """Two twins a hand: one that differs in all unseen cards, one in those that nobody is ever shown."""
    numbers = range(1, hands + 1)
    portions = [numbers[at : at + PORTION] for at in range(0, hands, PORTION)]
    progress, counts, failed = Progress("F14 views", hands), Counter[str](), list[tuple[int, str]]()
    with get_context("spawn").Pool(PROCESSES) as pool:
        for portion, (found, wrong) in zip(portions, pool.imap(check_portion, portions), strict=True):
            counts.update(found)
            failed += wrong
            progress.add(len(portion))
    progress.finish()
    for number, text in failed[:3]:
        print(f"  hand {number}:\n{text}")
    pairs = sum(count for name, count in counts.items() if name.startswith("pairs"))
    events = sum(count for name, count in counts.items() if name.startswith("events"))
    yield judged(
        "F14a",
        "10^4 pairs of hands that differ only in unseen cards: every event, table, history and export the same bytes",
        f"{pairs:,} pairs of {hands:,} hands, {events:,} events, the table after each: {len(failed)} differ; "
        f"watched by a player {counts['watched by a player']:,}, by a spectator {counts['watched by a spectator']:,}",
        holds=not failed and pairs == 2 * hands,
    )
