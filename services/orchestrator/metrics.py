"""What the tables count (names start with ``sevenstud_``; no label holds a table, a hand or a player)."""

from collections import Counter as Tally
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from services.orchestrator.domain import hand_facts, table_facts
from services.orchestrator.domain.dealing import CardSource
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_views import state_of
from services.orchestrator.domain.views import TableState
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.game import Street
from shared.observability.logging import Log

HAND_SECONDS: Final = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)
DECISION_SECONDS: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0)
STREET_SECONDS: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
LATENESS_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
EVENTS: Final = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0, 144.0, 256.0, 512.0)
POT_LIMITS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_TIMED: Final = {ActionCause.CLOCK: "clock", ActionCause.ABSENT: "absent", ActionCause.DISCONNECTED: "disconnected"}


class TableMetrics:
    """Implements application.world.Witness: counts facts, and logs what people must hear of."""

    def __init__(self, registry: CollectorRegistry, log: Log) -> None:
        """Register the metrics."""
        self._log = log
        self._states: Tally[TableState] = Tally()
        self._started: dict[str, datetime] = {}
        self._turned: dict[str, datetime] = {}
        self._street: dict[str, tuple[Street, datetime]] = {}
        self._waiting: Tally[str] = Tally()
        self._unbooked = 0
        self._hands = _counter(registry, "hands", "Hands that ended.", "structure", "ended")
        self._actions = _counter(registry, "actions", "Actions taken.", "kind", "structure", "cause")
        self._streets = _counter(registry, "streets", "Streets dealt.", "street", "source")
        self._timeouts = _counter(registry, "timeouts", "Decisions taken by the server.", "cause")
        self._stalls = _counter(registry, "table_stalls", "Times a table waited for a service.", "service")
        self._failures = _counter(registry, "table_step_failures", "Steps that failed.", "step")
        self._disclosures = _counter(registry, "mucked_hands_disclosed", "Mucked hands given to who may ask.")
        self._rake = _counter(registry, "rake_chips", "Chips taken as rake.")
        self._pots = _histogram(
            registry, "pot_lower_limits", "Pots won, in whole lower limits.", POT_LIMITS, "structure"
        )
        self._hand_seconds = _histogram(registry, "hand_seconds", "Length of hands.", HAND_SECONDS, "structure")
        self._decision_seconds = _histogram(registry, "decision_seconds", "Time to decide.", DECISION_SECONDS)
        self._tables = Gauge("sevenstud_tables", "Open tables by state.", ("state",), registry=registry)
        self._watchers = Gauge("sevenstud_watchers", "Streams of watchers.", registry=registry)
        self._street_seconds = _histogram(
            registry, "street_seconds", "Length of streets, showdown included.", STREET_SECONDS, "structure", "street"
        )
        self._deck_outs = _counter(registry, "deck_outs", "Streets that the stub was too short for.", "source")
        self._lateness = _histogram(
            registry, "clock_lateness_seconds", "How late the server acted for a player.", LATENESS_SECONDS
        )
        self._appends = _histogram(registry, "log_append_events", "Events of one append to a table's log.", EVENTS)
        self._lag = _histogram(
            registry, "watcher_lag_events", "How many events behind the table a watcher was when it was told.", EVENTS
        )
        self._lost = _counter(registry, "watchers_lost", "Watchers that fell too far behind and must resume.")
        self._tables_waiting = Gauge(
            "sevenstud_tables_waiting", "Tables that wait for a service.", ("service",), registry=registry
        )
        self._hands_unbooked = Gauge(
            "sevenstud_hands_unbooked", "Hands in play or over that the ledger has not booked yet.", registry=registry
        )

        self._action = lru_cache(maxsize=512)(self._actions.labels)  # there is one for every call: looked up once
        self._counts: Mapping[type, Callable[[Table, Recorded, Any], None]] = {
            hand_facts.HandStarted: self._hand_started,
            hand_facts.StreetDealt: self._street_dealt,
            hand_facts.TurnStarted: self._turn_started,
            hand_facts.ActionTaken: self._acted,
            hand_facts.SeatFrozen: self._frozen,
            hand_facts.PotAwarded: self._awarded,
            hand_facts.HandEnded: self._ended,
            hand_facts.HandVoided: self._voided,
            table_facts.TableStalled: self._stalled,
        }

    def recorded(self, before: Table | None, after: Table, events: tuple[Recorded, ...]) -> None:
        """See Witness."""
        self._count_state(before, after)
        self._count_backlog(before, after)
        if events:
            self._appends.observe(len(events))
        self._judge_clock(before, events)
        for event in events:
            count = self._counts.get(type(event.fact))
            if count is not None:
                count(after, event, event.fact)

    def let_go(self, table: Table) -> None:
        """See Witness."""
        self._count_state(table, None)
        self._count_backlog(table, None)
        for moments in (self._started, self._turned, self._street):
            moments.pop(table.table_id, None)

    def step_failed(self, step: str, table_id: str, fault: BaseException) -> None:
        """See Witness."""
        self._failures.labels(step).inc()
        self._log.error("table_step_failed", step=step, table_id=table_id, exc_info=fault)

    def disclosed(self, hand_id: str, player_id: str, seat: int) -> None:
        """See Witness."""
        self._disclosures.inc()
        self._log.info("mucked_hand_disclosed", hand_id=hand_id, player_id=player_id, seat=seat)

    def watchers_changed(self, by: int) -> None:
        """See Witness."""
        self._watchers.inc(by)

    def watcher_told(self, events: int) -> None:
        """See Witness."""
        self._lag.observe(events)

    def watcher_lost(self) -> None:
        """See Witness."""
        self._lost.inc()

    def _count_backlog(self, before: Table | None, after: Table | None) -> None:
        more = _unbooked(after) - _unbooked(before)
        if more:
            self._unbooked += more
            self._hands_unbooked.set(self._unbooked)
        was, now = _waits_for(before), _waits_for(after)
        if was != now:
            for service, by in ((was, -1), (now, 1)):
                if service:
                    self._waiting[service] = max(0, self._waiting[service] + by)
                    self._tables_waiting.labels(service).set(self._waiting[service])

    def _judge_clock(self, before: Table | None, events: tuple[Recorded, ...]) -> None:
        """A decision that the clock took is as late as it comes after the turn's deadline."""
        turn = before.hand.turn if before is not None and before.hand is not None else None
        if turn is None:
            return
        for event in events:
            if (
                getattr(event.fact, "cause", None) is ActionCause.CLOCK
                and getattr(event.fact, "turn_id", 0) == turn.turn_id
            ):
                self._lateness.observe(max(0.0, (event.at - turn.deadline).total_seconds()))

    def _count_state(self, before: Table | None, after: Table | None) -> None:
        was = None if before is None else state_of(before)
        now = None if after is None or after.closed else state_of(after)
        if was is now:
            return
        if was is not None:
            self._move(was, -1)
        if now is not None:
            self._move(now, 1)

    def _move(self, state: TableState, by: int) -> None:
        self._states[state] = max(0, self._states[state] + by)
        self._tables.labels(state.value).set(self._states[state])

    def _hand_started(self, table: Table, event: Recorded, _: hand_facts.HandStarted) -> None:
        self._started[table.table_id] = event.at

    def _street_dealt(self, table: Table, event: Recorded, dealt: hand_facts.StreetDealt) -> None:
        self._streets.labels(dealt.street.value, dealt.source.value).inc()
        if dealt.source is not CardSource.STUB:
            self._deck_outs.labels(dealt.source.value).inc()
        self._street_over(table, event)
        self._street[table.table_id] = (dealt.street, event.at)

    def _street_over(self, table: Table, event: Recorded) -> None:
        street, since = self._street.pop(table.table_id, (None, event.at))
        if street is not None:
            seconds = max(0.0, (event.at - since).total_seconds())
            self._street_seconds.labels(table.rules.hand.structure.value, street.value).observe(seconds)

    def _turn_started(self, table: Table, event: Recorded, _: hand_facts.TurnStarted) -> None:
        self._turned[table.table_id] = event.at

    def _acted(self, table: Table, event: Recorded, taken: hand_facts.ActionTaken) -> None:
        self._action(taken.kind, table.rules.hand.structure, taken.cause).inc()
        since = self._turned.pop(table.table_id, None)
        if taken.cause is ActionCause.PLAYER and since is not None:
            self._decision_seconds.observe(max(0.0, (event.at - since).total_seconds()))
        self._timed(taken.cause)

    def _frozen(self, _: Table, __: Recorded, frozen: hand_facts.SeatFrozen) -> None:
        self._timed(frozen.cause)

    def _timed(self, cause: ActionCause) -> None:
        if cause in _TIMED:
            self._timeouts.labels(_TIMED[cause]).inc()

    def _awarded(self, table: Table, _: Recorded, awarded: hand_facts.PotAwarded) -> None:
        self._pots.labels(table.rules.hand.structure.value).observe(
            awarded.award.chips // max(1, table.stakes.lower_limit_chips)
        )
        self._rake.inc(awarded.award.rake_chips)

    def _ended(self, table: Table, event: Recorded, _: hand_facts.HandEnded) -> None:
        self._count_hand(table, event, "played")

    def _voided(self, table: Table, event: Recorded, voided: hand_facts.HandVoided) -> None:
        self._count_hand(table, event, "voided")
        self._log.error("hand_voided", table_id=table.table_id, hand_id=event.hand_id, cause=voided.cause)

    def _count_hand(self, table: Table, event: Recorded, ended: str) -> None:
        structure = table.rules.hand.structure.value
        self._street_over(table, event)
        self._hands.labels(structure, ended).inc()
        since = self._started.pop(table.table_id, None)
        if since is not None:
            self._hand_seconds.labels(structure).observe(max(0.0, (event.at - since).total_seconds()))

    def _stalled(self, table: Table, _: Recorded, stalled: table_facts.TableStalled) -> None:
        self._stalls.labels(stalled.waiting_for).inc()
        self._log.warning("table_stalled", table_id=table.table_id, waiting_for=stalled.waiting_for)


def _unbooked(table: Table | None) -> int:
    return table.unbooked if table is not None and not table.closed else 0


def _waits_for(table: Table | None) -> str:
    return table.waiting_for if table is not None and not table.closed else ""


def _counter(registry: CollectorRegistry, name: str, meaning: str, *labels: str) -> Counter:
    return Counter(f"sevenstud_{name}", meaning, labels, registry=registry)


def _histogram(
    registry: CollectorRegistry, name: str, meaning: str, buckets: tuple[float, ...], *labels: str
) -> Histogram:
    return Histogram(f"sevenstud_{name}", meaning, labels, buckets=buckets, registry=registry)
