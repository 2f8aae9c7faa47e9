"""What was measured: one row a path, ours and its floor round by round, so that only their ratio has to hold."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median

Samples = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How long and how often."""

    rounds: int = 3
    seconds: float = 1.0
    """Of one sample of one side."""
    entrants: int = 10_000
    """Of the tournament whose standings are read."""
    open_tables: int = 10_000
    """As far as cost is watched growing."""
    events: int = 1_000_000
    """In the log, as far as cost is watched growing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One path beside its floor; samples of a round stand at the same place of both."""

    section: str
    name: str
    unit: str
    ours: Samples
    beside: str = ""
    """What the floor is."""
    floor: Samples = ()
    target: float | None = None
    """What the ratio should be."""
    at_most: bool = False
    """The ratio should be at most the target, as for times; else at least."""

    @property
    def ratios(self) -> Samples:
        """Ours against the floor, round by round."""
        return tuple(ours / floor for ours, floor in zip(self.ours, self.floor, strict=False) if floor)

    @property
    def ratio(self) -> float | None:
        """The middle ratio; None where there is no floor."""
        return median(self.ratios) if self.ratios else None

    @property
    def met(self) -> bool | None:
        """The target is reached; None where there is none."""
        if self.ratio is None or self.target is None:
            return None
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target

    def content(self) -> dict[str, object]:
        """Everything, for the file of results."""
        return {**asdict(self), "ratio": self.ratio, "ratios": self.ratios, "met": self.met}


@dataclass(slots=True)
class Findings:
    """All rows of a run, and what the pictures show."""

    rows: list[Row] = field(default_factory=list[Row])
    latencies: dict[str, dict[str, list[float]]] = field(default_factory=dict[str, dict[str, list[float]]])
    """Picture, line, milliseconds."""
    curves: dict[str, dict[str, list[tuple[float, float]]]] = field(
        default_factory=dict[str, dict[str, list[tuple[float, float]]]]
    )
    """Picture, line, points: how cost grows."""
    remarks: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    """Parts that ended before they were measured."""

    def add(self, row: Row) -> None:
        """Another row, said at once: a run takes minutes."""
        self.rows.append(row)
        print(f"  {row.name}: {median(row.ours):,.4g} {row.unit}" + _beside(row), flush=True)


def _beside(row: Row) -> str:
    if row.ratio is None:
        return ""
    return f", {row.beside}: {median(row.floor):,.4g}, ratio {row.ratio:.3g}"


def rate_of(work: Callable[[], int], seconds: float) -> float:
    """Units a second of CPU time of this thread; ``work`` does some and says how many."""
    done, start = 0, time.thread_time()
    while (spent := time.thread_time() - start) < seconds:
        done += work()
    return done / spent


def alternating(sides: Sequence[Callable[[], float]], rounds: int) -> tuple[Samples, ...]:
    """The samples of each side, one after the other, again and again."""
    found: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for place, side in enumerate(sides):
            found[place].append(side())
    return tuple(tuple(each) for each in found)


async def alternating_async(sides: Sequence[Callable[[], Awaitable[float]]], rounds: int) -> tuple[Samples, ...]:
    """The same for work in a loop."""
    found: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for place, side in enumerate(sides):
            found[place].append(await side())
    return tuple(tuple(each) for each in found)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
