"""How often a player has changed tournaments by its own calls: each change is an entry of the journal for ever.

Registering and withdrawing, choosing seats, proposing splits cost nothing and can be done again and again. Counted from
minute to minute. Back ends and operators speak for many players and have no such limit.
"""

from datetime import datetime, timedelta
from typing import Final

from shared.kernel.errors import DomainError, Reason

PER_MINUTE_MAX: Final = 60
_MINUTE: Final = timedelta(minutes=1)


class ChangesMade:
    """By players, in this minute."""

    def __init__(self) -> None:
        """Nobody has changed anything."""
        self._since: datetime | None = None
        self._requests: dict[str, set[str]] = {}

    def one_more(self, player_id: str, request_id: str, at: datetime) -> None:
        """Count a change, each request once; LIMIT_REACHED for one too many, which is not counted."""
        if self._since is None or not timedelta() <= at - self._since < _MINUTE:  # a book's time may lie ahead
            self._since, self._requests = at, {}
        made = self._requests.setdefault(player_id, set())
        if request_id not in made and len(made) >= PER_MINUTE_MAX:
            message = f"{player_id} changed tournaments {PER_MINUTE_MAX} times in this minute: ask again in the next"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "changes_per_minute_max"})
        made.add(request_id)
