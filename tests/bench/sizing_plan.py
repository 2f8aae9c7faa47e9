"""The plan to 100,000 tables: arithmetic from what was measured, shown line by line."""

import math
from collections.abc import Iterator
from typing import Final

from services.console.domain.suite_plan import ORCHESTRATOR, SERVICES
from tests.bench.sizing_report import Sizes, watcher_ms

TABLES: Final = 100_000
HANDS_A_MINUTE: Final = 1.0
WATCHERS: Final = 9
"""At each table: its players and one more."""
BUSY: Final = 0.6
"""Of its core, so that a replica that is lost is borne by the others."""
DATABASE_WRITES: Final = 9_000
"""A second that one PostgreSQL server is given: a quarter of the appends that one took in groups."""


def plan(sizes: Sizes) -> Iterator[str]:
    """Sentences with their sums."""
    hands = TABLES * HANDS_A_MINUTE / 60
    actions = sizes.actions / sizes.hands
    played = f"{hands:,.0f} hands and {hands * actions:,.0f} actions a second"
    yield f"- {TABLES:,} tables, {HANDS_A_MINUTE:g} hand a minute each: {played}."
    for service in SERVICES:
        spent = sizes.cpu_ms_a_hand[service]
        sum_of = f"{spent:.1f} ms"
        if service == ORCHESTRATOR:
            spent += WATCHERS * watcher_ms(sizes)
            sum_of = f"({sum_of} + {WATCHERS} watchers x {watcher_ms(sizes):.2f} ms)"
        cores = hands * spent / 1000
        count = f"at {BUSY:.0%} of one each {replicas(cores):,} replicas"
        yield f"- {service}: {hands:,.0f} x {sum_of} = {cores:,.0f} cores; {count}."
    yield from _orchestrator(sizes, hands)
    yield from _databases(sizes, hands, actions)


def replicas(cores: float) -> int:
    """Processes of one core each."""
    return math.ceil(cores / BUSY)


def _orchestrator(sizes: Sizes, hands: float) -> Iterator[str]:
    count = replicas(hands * (sizes.cpu_ms_a_hand[ORCHESTRATOR] + WATCHERS * watcher_ms(sizes)) / 1000)
    tables, base = TABLES / count, sizes.base_kib[ORCHESTRATOR] / 1024
    each = sizes.seated_table_kib + sizes.playing_table_kib + WATCHERS * sizes.watcher_kib
    memory = f"{base:.0f} + {tables:.0f} x {each:.0f} KiB = {base + tables * each / 1024:.0f} MiB"
    has = f"{TABLES:,} / {count:,} = {tables:.0f} tables with {tables * WATCHERS:,.0f} watchers"
    yield f"- A replica of the orchestrator: {has}; {memory}."


def _databases(sizes: Sizes, hands: float, actions: float) -> Iterator[str]:
    writes = hands * sizes.writes_a_hand
    houses = math.ceil(writes / DATABASE_WRITES)
    sums = (
        f"{hands:,.0f} x {sizes.writes_a_hand:.1f} = {writes:,.0f} a second ({actions:.1f} of a hand's are its actions)"
    )
    yield (
        f"- Writes: {sums}; at {DATABASE_WRITES:,} a database server {houses} houses, "
        "each with services and databases of its own, behind one lobby."
    )
    stored = sum(sizes.postgres_bytes_a_hand.values())
    a_day = f"{hands * stored * 86_400 / 1e12:.1f} TB a day with indexes, before compression"
    yield f"- Space: {hands:,.0f} x {stored / 1000:.1f} kB = {hands * stored / 1e6:.0f} MB a second, {a_day}."
