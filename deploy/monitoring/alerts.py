"""The alerts of the suite: what is broken or will be soon, and nothing that nobody has to act on."""

from deploy.monitoring.alerts_of_game import FAIRNESS, PLAY
from deploy.monitoring.alerts_of_services import CALLS, PROCESSES, STORES
from deploy.monitoring.rules import Alert

GROUPS: tuple[tuple[str, tuple[Alert, ...]], ...] = (
    ("sevenstud-processes", PROCESSES),
    ("sevenstud-calls", CALLS),
    ("sevenstud-stores", STORES),
    ("sevenstud-play", PLAY),
    ("sevenstud-fairness-and-money", FAIRNESS),
)


def all_alerts() -> tuple[Alert, ...]:
    """Every alert."""
    return tuple(alert for _, alerts in GROUPS for alert in alerts)
