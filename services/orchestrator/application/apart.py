"""What is said where a service has older, or other, data than the rest: nobody may play on."""

from collections.abc import Sequence
from typing import Final

NAMED_MAX: Final = 3
MEND: Final = (
    "restore orchestrator, ledger and dealer from backups of one time, or bring the older one's newest data back"
)


class HistoriesApart(Exception):  # noqa: N818  # read as a sentence: the histories are apart
    """A service has older, or other, data than the rest."""


def apart(found: Sequence[str]) -> HistoriesApart:
    """What was found, the first of it by name."""
    more = f", and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
    return HistoriesApart(f"{'; '.join(found[:NAMED_MAX])}{more}: {MEND}")
