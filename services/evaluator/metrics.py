"""What the evaluator counts beside its calls."""

from typing import Final

from prometheus_client import CollectorRegistry, Histogram

BATCH_HANDS: Final = (1.0, 10.0, 100.0, 1_000.0, 5_000.0, 10_000.0, 50_000.0, 100_000.0, 500_000.0)
EQUITY_DEALS: Final = (1_000.0, 2_000.0, 5_000.0, 10_000.0, 20_000.0, 50_000.0, 100_000.0, 200_000.0, 1_000_000.0)


class EvaluatorMetrics:
    """Sizes of the long work."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._batches = Histogram(
            "sevenstud_evaluator_batch_hands", "Hands of one batch.", buckets=BATCH_HANDS, registry=registry
        )
        self._deals = Histogram(
            "sevenstud_evaluator_equity_deals",
            "Deals counted for one question about equity, to where it was answered or given up.",
            buckets=EQUITY_DEALS,
            registry=registry,
        )

    def batch_asked(self, hands: int) -> None:
        """A batch was taken on."""
        self._batches.observe(hands)

    def equity_counted(self, deals: int) -> None:
        """An answer about equity is over."""
        self._deals.observe(deals)
