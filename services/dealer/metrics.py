"""What the dealer counts and logs. No label holds a table, hand or seat; no line holds a card, a seed or a salt."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.domain.hand import HandRecord, Step, StepName
from services.dealer.domain.live_watch import Figure, Look
from services.dealer.ports import ShuffleCount
from shared.observability.logging import Log

ENDINGS = {StepName.CLOSE_HAND: "closed", StepName.VOID_HAND: "voided"}


class DealerMetrics:
    """See services.dealer.ports.Witness. Shuffles drawn = used + voided, over all starts of this database.

    Dealers that share a database count from their own starts: the sum over them holds every shuffle once.
    """

    def __init__(self, registry: CollectorRegistry, log: Log, streets: DealtStreets) -> None:
        """Register the metrics."""
        self._log = log
        self._dealt = streets

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"sevenstud_dealer_{name}", text, labels, registry=registry)

        self._shuffles = {
            "drawn": counter("shuffles_drawn", "Shuffles begun since the database was made.", "purpose"),
            "used": counter("shuffles_used", "Shuffles that a hand or lots came from.", "purpose"),
            "voided": counter("shuffles_voided", "Shuffles that will never be used, each with a reason.", "purpose"),
        }
        self._opened = counter("hands_opened", "Hands opened; each had one shuffle.", "scripted")
        self._ended = counter("hands_ended", "Hands closed or voided.", "outcome")
        self._streets = counter("streets_dealt", "Streets dealt, by where the cards came from.", "street", "source")
        self._disclosures = counter("disclosures", "Seats whose down cards were given to somebody.", "kind")
        self._lots = counter("lots_drawn", "Draws of lots.")
        self._alarms = counter("watch_alarms", "Looks of the live watch at which the cards are not chance.", "figure")
        for figure in Figure:
            self._alarms.labels(str(figure))

        def gauge(name: str, text: str) -> Gauge:
            return Gauge(f"sevenstud_dealer_{name}", text, registry=registry)

        self._watched = gauge("watch_hands", "Closed hands that the last look of the live watch was at.")
        self._statistic = gauge("watch_card_by_position", "Live watch: chi-square with 2601 degrees of freedom.")
        self._deviations = gauge("watch_furthest_cell", "Live watch: deviations of the cell furthest from chance.")
        unfollowed = gauge("streets_unfollowed", "Hands in play in which nothing followed the street dealt last.")
        unfollowed.set_function(self._unfollowed)

    def go_on_from(self, counts: Iterable[ShuffleCount]) -> None:
        """Begin with what the database holds, so that no restart hides a shuffle."""
        for each in counts:
            if each.outcome not in self._shuffles:
                continue  # begun, and not over
            self._shuffles["drawn"].labels(each.purpose).inc(each.count)
            self._shuffles[each.outcome].labels(each.purpose).inc(each.count)

    def shuffles_cut_off(self, count: int) -> None:
        """Shuffles of the last process were voided at this start."""
        self._log.warning("shuffles_cut_off", count=count)

    def shuffle_drawn(self, purpose: str) -> None:
        """See Witness."""
        self._shuffles["drawn"].labels(purpose).inc()

    def shuffle_used(self, purpose: str) -> None:
        """See Witness."""
        self._shuffles["used"].labels(purpose).inc()

    def shuffle_voided(self, purpose: str, reason: str) -> None:
        """See Witness."""
        self._shuffles["voided"].labels(purpose).inc()
        self._log.warning("shuffle_voided", purpose=purpose, reason=reason)

    def hand_opened(self, record: HandRecord) -> None:
        """See Witness; a scripted hand is a warning."""
        scripted = record.terms.scripted
        self._opened.labels(str(scripted).lower()).inc()
        say = self._log.warning if scripted else self._log.info
        say(
            "scripted_hand_opened" if scripted else "hand_opened",
            hand_id=record.terms.hand_id,
            table_id=record.terms.table_id,
            hand_number=record.terms.hand_number,
            commitment_hex=record.seed_commitment.hex(),
        )

    def step_taken(self, record: HandRecord, step: Step) -> None:
        """See Witness; disclosures and voids are logged, each with who is concerned."""
        self._dealt.step_taken(record, step)
        name = StepName(step.step)
        identity = {"hand_id": record.terms.hand_id, "table_id": record.terms.table_id}
        if name is StepName.DEAL_STREET:
            self._streets.labels(str(step.street), str(step.source)).inc()
        elif name in {StepName.REVEAL_FOR_RANKING, StepName.OPEN_CARDS}:
            self._disclosures.labels(str(name)).inc(len(step.seats))
            self._log.info("disclosed", kind=str(name), seats=list(step.seats), **identity)
        elif name in ENDINGS:
            self._ended.labels(ENDINGS[name]).inc()
            if name is StepName.VOID_HAND:
                self._log.warning("hand_voided", reason=record.void_reason, **identity)

    def lots_drawn(self, purpose: str) -> None:
        """See Witness."""
        self._lots.inc()
        self._log.info("lots_drawn", purpose=purpose)

    def own_openings_given(self, hand_id: str, seat: int) -> None:
        """See Witness."""
        self._disclosures.labels("own_openings").inc()
        self._log.info("disclosed", kind="own_openings", seats=[seat], hand_id=hand_id)

    def decks_looked_at(self, look: Look) -> None:
        """See Witness; an alarm is an error line."""
        self._watched.set(look.hands)
        self._statistic.set(look.statistic)
        self._deviations.set(look.deviations)
        figures = {"hands": look.hands, "statistic": round(look.statistic, 1), "deviations": round(look.deviations, 2)}
        for figure in look.alarms:
            self._alarms.labels(str(figure)).inc()
            self._log.error("live_watch_alarm", figure=str(figure), **figures)

    def _unfollowed(self) -> float:
        """Asked for at each scrape; the first time that a hand is among them is an error line."""
        for each in self._dealt.unsaid():
            self._log.error("street_unfollowed", street=each.street, hand_id=each.hand_id, table_id=each.table_id)
        return float(len(self._dealt.overdue()))
