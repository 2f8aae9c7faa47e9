"""What was measured for deploy/SIZING.md, and its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.console.domain.suite_plan import SERVICES


@dataclass(slots=True)
class Sizes:
    """Everything that was measured."""

    load_before: float = 0.0
    load_after: float = 0.0
    base_kib: dict[str, int] = field(default_factory=dict[str, int])
    """By service: right after its start."""
    played_kib: dict[str, int] = field(default_factory=dict[str, int])
    """By service: after all play."""
    empty_table_kib: float = 0.0
    seated_table_kib: float = 0.0
    """Six players sit, no hand is in play."""
    playing_table_kib: float = 0.0
    watcher_kib: float = 0.0
    seconds: float = 0.0
    hands: int = 0
    actions: int = 0
    cpu_ms_a_hand: dict[str, float] = field(default_factory=dict[str, float])
    """With one stream a table."""
    events_a_hand: float = 0.0
    watcher_us_an_event: float = 0.0
    """Processor of the orchestrator, for each stream more."""
    sqlite_bytes_a_hand: dict[str, float] = field(default_factory=dict[str, float])
    postgres_bytes_a_hand: dict[str, float] = field(default_factory=dict[str, float])
    empty_table_bytes: float = 0.0
    writes_a_hand: float = 0.0
    """Of the three services that keep something."""


_HEAD = (
    "service",
    "processor a hand",
    "an action",
    "actions a second and core",
    "memory at first, after",
    "SQLite a hand",
    "PostgreSQL a hand",
)


def watcher_ms(sizes: Sizes) -> float:
    """Processor of a watcher in a hand."""
    return sizes.watcher_us_an_event * sizes.events_a_hand / 1000


def told(sizes: Sizes) -> Sequence[str]:
    """The tables of deploy/SIZING.md."""
    actions = sizes.actions / sizes.hands
    total = sum(sizes.cpu_ms_a_hand.values())
    watching = f"{sizes.watcher_us_an_event:.0f} us of processor an event, {sizes.events_a_hand:.0f} events a hand"
    on_disk = f"{sizes.empty_table_bytes:.0f} bytes on disk"
    return (
        f"{sizes.hands} hands with {sizes.actions} actions ({actions:.1f} a hand) in {sizes.seconds:.0f} s.",
        f"Load {sizes.load_before:.1f} before, {sizes.load_after:.1f} after.",
        "",
        _row(*_HEAD),
        _row(*["---"] * len(_HEAD)),
        *(_service(sizes, service, actions) for service in SERVICES),
        _row(
            "together", *_processor(total, actions), "", _stored(sizes.sqlite_bytes_a_hand, *SERVICES),
            _stored(sizes.postgres_bytes_a_hand, *SERVICES),
        ),
        "",
        _row("at the orchestrator", "memory", "more"),
        _row("---", "---", "---"),
        _row("a table that nobody sits at", _kib(sizes.empty_table_kib), on_disk),
        _row("a table with six players who wait", _kib(sizes.seated_table_kib), ""),
        _row("what a hand in play adds", _kib(sizes.playing_table_kib), ""),
        _row("a watcher", _kib(sizes.watcher_kib), watching),
    )  # fmt: skip


def _service(sizes: Sizes, service: str, actions: float) -> str:
    stored = (_stored(sizes.sqlite_bytes_a_hand, service), _stored(sizes.postgres_bytes_a_hand, service))
    memory = f"{sizes.base_kib[service] / 1024:.0f}, {sizes.played_kib[service] / 1024:.0f} MiB"
    return _row(service, *_processor(sizes.cpu_ms_a_hand[service], actions), memory, *stored)


def _processor(spent_ms: float, actions: float) -> tuple[str, str, str]:
    return f"{spent_ms:.1f} ms", f"{spent_ms / actions:.2f} ms", f"{1000 * actions / spent_ms:.0f}"


def _stored(found: Mapping[str, float], *services: str) -> str:
    kept = [found[service] for service in services if service in found]
    return f"{sum(kept) / 1000:.1f} kB" if kept else ""


def _kib(size: float) -> str:
    return f"{size:.1f} KiB"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
