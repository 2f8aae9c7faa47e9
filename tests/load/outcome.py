"""What came of calls at a constant rate."""

from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Outcome:
    """One step of a load test."""

    rate: float
    """Calls a second that were offered."""
    seconds: float
    answered: int = 0
    p50_ms: float = float("inf")
    """Of the calls that were answered."""
    p99_ms: float = float("inf")
    refused: int = 0
    """Refused cleanly: RESOURCE_EXHAUSTED that says when to come back."""
    failed: int = 0
    """Ended in neither an answer nor a clean refusal."""
    dropped: int = 0
    """Never made: every caller of the generator was waiting for an answer."""
    busy: dict[str, float] = field(default_factory=dict[str, float])
    """Processors used by each process, 1.0 is one of them."""

    @property
    def served(self) -> float:
        """Calls answered a second."""
        return self.answered / self.seconds
