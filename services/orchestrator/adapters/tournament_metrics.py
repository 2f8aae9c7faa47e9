"""What tournaments count (names start with ``sevenstud_``; no label holds a tournament, a table or a player)."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.orchestrator.domain.tournament_facts import NumberedEvent, TournamentEnded


class TournamentMetrics:
    """Implements ports.TournamentWitness."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._left: dict[str, int] = {}
        self._events = Counter(
            "sevenstud_tournament_events", "Events of tournaments in play.", ("kind",), registry=registry
        )
        self._playing = Gauge(
            "sevenstud_tournaments_playing", "Tournaments in play with an event since the start.", registry=registry
        )
        self._players = Gauge("sevenstud_tournament_players", "Players left in those tournaments.", registry=registry)

    def tournament_recorded(self, events: Sequence[NumberedEvent], players_left: int) -> None:
        """See ports.TournamentWitness."""
        for numbered in events:
            self._events.labels(kind=type(numbered.event).__name__).inc()
            self._left[numbered.tournament_id] = players_left
            if isinstance(numbered.event, TournamentEnded):
                del self._left[numbered.tournament_id]
        self._playing.set(len(self._left))
        self._players.set(sum(self._left.values()))
