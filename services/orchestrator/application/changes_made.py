"""How often a player has changed the own settings at a table: each change is a row of the log and news for everybody.

Sitting out and coming back, a connection lost and there again, the automatic ante, the seat key; and, apart, chips
bought, which leaving gives back. Counted from hand to hand, and where no hand begins from minute to minute, so that
nobody is kept out for ever. What changed nothing, and a refusal that is remembered, is counted
apart, for its answer is a row as well.
"""

from collections import Counter
from datetime import datetime, timedelta

from shared.kernel.errors import DomainError, Reason

_LONG_AGO = timedelta(minutes=1)
NOTHING_FACTOR = 5
"""So many more times a caller may ask in vain: for what is so already, as who is not sure does, or is refused."""


class ChangesMade:
    """Of the players of one table, since its last hand began."""

    def __init__(self) -> None:
        """Nobody has changed anything."""
        self._hand_number = -1
        self._since: datetime | None = None
        self._count: Counter[tuple[str, bool]] = Counter()

    def one_more(self, player_id: str, hand_number: int, at: datetime, most: int, *, changed: bool = True) -> None:
        """Count a change, or a request that changed nothing; LIMIT_REACHED for one too many, which is not counted."""
        if not changed:
            most *= NOTHING_FACTOR
        lately = self._since is not None and timedelta() <= at - self._since < _LONG_AGO  # a clock may be set back
        if hand_number != self._hand_number or not lately:
            self._hand_number, self._since, self._count = hand_number, at, Counter()
        if self._count[player_id, changed] >= most:
            what = "changed so much" if changed else "asked in vain"
            message = f"{player_id} {what} {most} times in this hand or minute: ask again in the next"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "changes_per_hand_max"})
        self._count[player_id, changed] += 1
