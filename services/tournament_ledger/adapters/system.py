"""Time of the operating system."""

from datetime import UTC, datetime


class SystemClock:
    """The wall clock; the books themselves see to it that entries never go back in time."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.now(UTC)
