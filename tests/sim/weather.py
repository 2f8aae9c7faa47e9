"""How bad the network of a world is."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Weather:
    """How bad the network is."""

    delay_seconds: tuple[float, float] = (0.0002, 0.003)
    slow_rate: float = 0.0
    """Share of messages that take up to slow_seconds."""
    slow_seconds: float = 2.0
    loss_rate: float = 0.0
    """Share of requests, and of answers, that never arrive."""
    twice_rate: float = 0.0
    """Share of unary requests that arrive twice, the second one up to late_seconds later."""
    late_seconds: float = 20.0
    break_rate: float = 0.0
    """Share of stream items at which the stream breaks."""
