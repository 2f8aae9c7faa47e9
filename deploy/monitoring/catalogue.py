"""Every metric of the suite, read from the code that registers it, and the page that lists them."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry

from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.metrics import DealerMetrics
from services.evaluator.metrics import EvaluatorMetrics
from services.orchestrator.adapters.tournament_metrics import TournamentMetrics
from services.orchestrator.metrics import TableMetrics
from services.tournament_ledger.metrics import LedgerMetrics
from shared.observability.logging import get_log
from shared.observability.metrics import RpcMetrics
from shared.observability.process import ProcessMetrics
from shared.storage.metered import StoreMetrics

PAGE = Path(__file__).with_name("METRICS.md")
STORING = ("dealer", "tournament_ledger", "orchestrator")
LABELS: Mapping[str, str] = {
    "cause": "who took the decision: PLAYER, CLOCK, ABSENT, DISCONNECTED",
    "ended": "played, voided",
    "figure": "the figure of the live watch that left its limits",
    "grpc_code": "status of the call, as gRPC names it",
    "grpc_method": "name of the RPC",
    "grpc_service": "full name of the service in the contract",
    "grpc_type": "unary, server_stream",
    "kind": "kind of action, entry, event or disclosure, as the contract names it",
    "outcome": "what became of it, one of a few words",
    "purpose": "hand, lots",
    "scripted": "true, false: the cards were chosen beforehand",
    "service": "name of a service of the suite",
    "source": "where the cards of a street came from (rules 87-91)",
    "state": "state of a table or a tournament, as the contract names it",
    "step": "name of a step of a table",
    "street": "THIRD to SEVENTH",
    "structure": "LIMIT, POT_LIMIT, NO_LIMIT",
    "version": "version of the distribution",
}
"""All labels that there are, and what they may hold: none names a table, a hand, a tournament or a player."""


@dataclass(frozen=True, slots=True, order=True)
class Described:
    """One metric as a scrape shows it."""

    name: str
    """As in expressions; of a histogram without _bucket, _sum and _count."""
    kind: str
    labels: tuple[str, ...]
    meaning: str


def metrics_of(register: Callable[[CollectorRegistry], object]) -> tuple[Described, ...]:
    """What a class of metrics registers."""
    registry = _Seen()
    register(registry)
    return tuple(sorted(registry.described()))


class _Seen(CollectorRegistry):
    """A registry that remembers what was registered."""

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Any] = []

    def register(self, collector: Any) -> None:
        """Remember it too."""
        super().register(collector)
        self._all.append(collector)

    def described(self) -> Iterator[Described]:
        for collector in self._all:
            for metric in collector.describe():
                name = f"{metric.name}_total" if metric.type == "counter" else metric.name
                labels = tuple(collector._labelnames)  # noqa: SLF001  # the library tells them nowhere else
                yield Described(name, metric.type, labels, metric.documentation)


def _dealer(registry: CollectorRegistry) -> object:
    return DealerMetrics(registry, get_log(), DealtStreets(1.0, time.monotonic))


EVERYWHERE = "every service"
KEEPING = "every service that keeps something: " + ", ".join(STORING)
GROUPS: Mapping[str, tuple[Callable[[CollectorRegistry], object], ...]] = {
    EVERYWHERE: (RpcMetrics, lambda registry: ProcessMetrics(registry, "a service")),
    KEEPING: (StoreMetrics,),
    "orchestrator": (lambda registry: TableMetrics(registry, get_log()), TournamentMetrics),
    "dealer": (_dealer,),
    "evaluator": (EvaluatorMetrics,),
    "tournament_ledger": (lambda registry: LedgerMetrics(registry, get_log()),),
}


def groups() -> dict[str, tuple[Described, ...]]:
    """All metrics by who shows them."""
    return {
        title: tuple(sorted(each for register in classes for each in metrics_of(register)))
        for title, classes in GROUPS.items()
    }


def shown_by(service: str) -> tuple[Described, ...]:
    """The metrics of one service."""
    found = groups()
    titles = (EVERYWHERE, *((KEEPING,) if service in STORING else ()), *((service,) if service in found else ()))
    return tuple(sorted(each for title in titles for each in found[title]))


def page() -> str:
    """The catalogue as a page."""
    return "\n".join(_lines()) + "\n"


_INTRODUCTION = """\
Written by `make monitoring` from the code that registers them; a test compares the two. A service shows them as
Prometheus text on its metrics port (`METRICS_LISTEN`), at `/metrics`, beside those of the process (`process_*`,
`python_info`). Durations are in seconds. A histogram has the samples `_bucket`, `_sum` and `_count`.""".splitlines()


def _lines() -> Iterator[str]:
    yield "# Metrics"
    yield ""
    yield from _INTRODUCTION
    for title, described in groups().items():
        yield from ("", f"## {title[0].upper()}{title[1:]}", "", "| metric | kind | labels | meaning |")
        yield "| --- | --- | --- | --- |"
        for each in described:
            labels = ", ".join(f"`{label}`" for label in each.labels)
            yield f"| `{each.name}` | {each.kind} | {labels} | {each.meaning} |"
    yield from ("", "## Labels", "", "No label names a table, a hand, a tournament or a player.", "")
    yield from ("| label | what it holds |", "| --- | --- |")
    for label, meaning in LABELS.items():
        yield f"| `{label}` | {meaning} |"
