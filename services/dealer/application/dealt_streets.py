"""Streets that were dealt and that nothing followed yet.

Who asks for a street and then lets the hand lie may only have wanted to see the cards: the dealer cannot know what
happens at the table, but it knows that a hand goes on, or ends, within the time that its players have. Where several
dealers share a database, another may have been asked next: what is kept of the hand says so, before there is an alarm.
"""

from collections.abc import Callable
from dataclasses import dataclass

from services.dealer.domain.hand import HandRecord, Step, StepName
from services.dealer.ports import HandStore
from shared.storage.database import StoreError

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

    def __init__(self, silence_seconds: float, now: Callable[[], float], *, alone: bool = True) -> None:
        """How long a hand may lie, a monotonic clock, and whether no other dealer goes on with these hands."""
        self._silence_seconds = silence_seconds
        self._now = now
        self._alone = alone
        self._waiting: dict[str, DealtStreet] = {}
        self._said: set[str] = set()
        self._confirmed: set[str] = set()

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
        self._confirmed.discard(hand_id)

    def overdue(self) -> tuple[DealtStreet, ...]:
        """The hands that have lain too long; with other dealers, those that were looked up as well."""
        return tuple(each for each in self._lying() if self._alone or each.hand_id in self._confirmed)

    async def look_up(self, store: HandStore) -> None:
        """With other dealers: is the street still the last step of each hand that seems to lie? StoreError: later."""
        for each in self._lying():
            followed = await _is_followed(store, each)
            if self._waiting.get(each.hand_id) is not each:
                continue  # a step came meanwhile
            if followed:
                self._forget(each.hand_id)
            else:
                self._confirmed.add(each.hand_id)

    def _lying(self) -> tuple[DealtStreet, ...]:
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


async def _is_followed(store: HandStore, street: DealtStreet) -> bool:
    """Whether a step came after the street. A hand that is gone, or cannot be read, is not gone on with."""
    try:
        found = (await store.look(street.hand_id)).found
    except StoreError:
        raise
    except Exception:  # noqa: BLE001  # changed by somebody, or its key taken out
        return False
    last = None if found is None else found.record.steps[-1]
    return last is not None and (last.step != StepName.DEAL_STREET or str(last.street) != street.street)
