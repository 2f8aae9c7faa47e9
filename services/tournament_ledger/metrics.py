"""What the ledger counts and logs. No label holds a player, table or tournament."""

from collections.abc import Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.domain.tournament import TournamentState
from shared.observability.logging import Log


class LedgerMetrics:
    """See services.tournament_ledger.ports.Witness."""

    def __init__(self, registry: CollectorRegistry, log: Log) -> None:
        """Register the metrics."""
        self._log = log
        prefix = "sevenstud_tournament_ledger_"
        self._entries = Counter(f"{prefix}entries", "Journal entries, by kind.", ("kind",), registry=registry)
        self._postings = Counter(f"{prefix}postings", "Postings, by kind of entry.", ("kind",), registry=registry)
        self._conflicts = Counter(
            f"{prefix}write_conflicts", "Writes tried again: another was first.", registry=registry
        )
        self._imbalance = Gauge(
            f"{prefix}units_out_of_balance", "Units that do not sum up to zero; must be 0.", registry=registry
        )
        self._tournaments = Gauge(
            f"{prefix}tournaments", "Tournaments by state, at the last look.", ("state",), registry=registry
        )

    def booked(self, drafts: Sequence[Draft]) -> None:
        """See Witness."""
        for draft in drafts:
            self._entries.labels(draft.kind.value).inc()
            if draft.postings:
                self._postings.labels(draft.kind.value).inc(len(draft.postings))

    def conflicted(self) -> None:
        """See Witness."""
        self._conflicts.inc()

    def tournaments_counted(self, counts: Mapping[TournamentState, int]) -> None:
        """See Witness."""
        for state in TournamentState:
            self._tournaments.labels(state.value).set(counts.get(state, 0))

    def summed(self, units_out_of_balance: int) -> None:
        """See Witness; anything but zero is an alarm."""
        self._imbalance.set(units_out_of_balance)
        if units_out_of_balance:
            self._log.error("books_out_of_balance", units_count=units_out_of_balance)
