"""Streets that were dealt and that nothing followed yet.

Who asks for a street and then lets the hand lie may only have wanted to see the cards: the dealer cannot know what
happens at the table, but it knows that a hand goes on, or ends, within the time that its players have.
"""

from collections.abc import Callable
from dataclasses import dataclass

from services.dealer.domain.hand import HandRecord, Step, StepName

WATCHED_MAX = 100_000
"""Hands that are watched at a time; with more, the oldest are let go, which have had their alarm."""


@dataclass(frozen=True, slots=True)
class DealtStreet:
    """The last step of a hand, which dealt a street."""

    hand_id: str
    table_id: str
    street: str
    since: float
    """Monotonic seconds."""


class DealtStreets:
    """The hands whose last step is a deal, the oldest first."""

    def __init__(self, silence_seconds: float, now: Callable[[], float]) -> None:
        """How long a hand may lie, and a monotonic clock."""
        self._silence_seconds = silence_seconds
        self._now = now
        self._waiting: dict[str, DealtStreet] = {}
        self._said: set[str] = set()

    def step_taken(self, record: HandRecord, step: Step) -> None:
        """A step of a hand: it answers for the street before it, and may deal the next."""
        hand_id = record.terms.hand_id
        self._forget(hand_id)
        if step.step == StepName.DEAL_STREET:
            self._waiting[hand_id] = DealtStreet(hand_id, record.terms.table_id, str(step.street), self._now())
            if len(self._waiting) > WATCHED_MAX:
                self._forget(next(iter(self._waiting)))

    def _forget(self, hand_id: str) -> None:
        self._waiting.pop(hand_id, None)
        self._said.discard(hand_id)

    def overdue(self) -> tuple[DealtStreet, ...]:
        """The hands that have lain too long."""
        before, found = self._now() - self._silence_seconds, list[DealtStreet]()
        for each in self._waiting.values():
            if each.since > before:
                break
            found.append(each)
        return tuple(found)

    def unsaid(self) -> tuple[DealtStreet, ...]:
        """Those of them that were never given out before."""
        found = tuple(each for each in self.overdue() if each.hand_id not in self._said)
        self._said.update(each.hand_id for each in found)
        return found
