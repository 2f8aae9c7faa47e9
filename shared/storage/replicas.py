"""Processes that share a database, and which of them goes on by itself with what.

Anybody may write anything that expects the right version; ownership only keeps several from doing the same work. Who
should own a subject follows from the names of those that live, so that nobody has to be asked; who does own it is a row
with an epoch, which changes hands when its owner lets go or has not been heard of for a while. No clocks are compared:
a process is gone when its beat has not changed for so long on the watch of whoever looks.
"""

import asyncio
import hashlib
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from shared.observability.logging import get_log
from shared.storage.database import Statement, Store, StoreError, WriteConflict

BEAT_SECONDS: Final = 0.5
GONE_SECONDS: Final = 4.0
"""Without a new beat for so long a replica is gone."""
SURE_SECONDS: Final = 2.0
"""Whoever could not beat for so long does nothing by itself: soon the others take over."""
FORGOTTEN_SECONDS: Final = 600.0
OWNER_LABEL: Final = "owner"

_BEAT = (
    "INSERT INTO replicas (replica, beat) VALUES (?, 1) ON CONFLICT (replica) DO UPDATE SET beat = replicas.beat + 1"
)
_ALL = "SELECT replica, beat FROM replicas"
_FORGET = "DELETE FROM replicas WHERE replica = ? AND beat = ?"
_OWNED = "SELECT subject, epoch FROM owners WHERE replica = ?"
_EPOCH = "SELECT epoch FROM owners WHERE subject = ? AND replica = ?"
_RELEASE = "UPDATE owners SET replica = '' WHERE subject = ? AND replica = ?"
_OVER = "DELETE FROM owners WHERE subject = ? AND replica = ?"
_FENCE = "SELECT epoch FROM owners WHERE subject = ? AND replica = ? AND epoch = ? FOR SHARE"


@dataclass(slots=True)
class _Seen:
    """Another replica, as it is seen from here."""

    beat: int
    since: float
    """When its beat last changed, on our watch."""
    lives: bool
    """It changed while we looked; a row that only stands there may be of one that is gone."""


class Replicas:
    """This process among those that share its store."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        """A replica with a name of its own; ``run`` makes it live."""
        self.name = uuid.uuid4().hex
        self.changed = asyncio.Event()
        """Set whenever somebody came or went; whoever waits clears it."""
        self._store = store
        self._now = now
        self._others: dict[str, _Seen] = {}
        self._beaten_at: float | None = None
        self._epochs: dict[str, int] = {}
        self._lost: set[str] = set()

    @property
    def sure(self) -> bool:
        """Whether the others still hear of us."""
        return self._beaten_at is not None and self._now() - self._beaten_at < SURE_SECONDS

    @property
    def alone(self) -> bool:
        """Nobody else lives, as far as could be seen by now."""
        return all(self._gone(each) for each in self._others.values())

    def wants(self, subject: str) -> bool:
        """Whether this replica should own a subject: the same answer everywhere once all know of each other."""
        if not self.sure:
            return False
        names = [self.name, *(name for name, seen in self._others.items() if seen.lives)]
        return max(names, key=lambda name: _weight(subject, name)) == self.name

    def owns(self, subject: str) -> bool:
        """Whether this replica may go on with a subject by itself."""
        return self.sure and subject in self._epochs

    @property
    def subjects(self) -> frozenset[str]:
        """Those that this replica owns, as far as it knows."""
        return frozenset(self._epochs)

    def term(self, subject: str) -> str | None:
        """A name for this time of being the owner, at most 64 characters; None for who is not, or no longer."""
        return f"{self.name}.{self._epochs[subject]}" if self.owns(subject) else None

    async def claim(self, subject: str) -> bool:
        """Become the owner; not while another one that may live is."""
        if self.owns(subject):
            return True
        living = [self.name, *(name for name, seen in self._others.items() if not self._gone(seen))]
        places = ", ".join("?" * len(living[1:])) or "'-'"
        take = (
            "INSERT INTO owners (subject, replica, epoch) VALUES (?, ?, 1) ON CONFLICT (subject) DO UPDATE SET "  # noqa: S608
            f"replica = excluded.replica, epoch = owners.epoch + 1 WHERE owners.replica NOT IN ({places})"  # '?' only
        )
        try:
            await self._store.write([Statement(take, (subject, self.name, *living[1:]), rows=1, label=OWNER_LABEL)])
        except WriteConflict:
            return False
        ((epoch,),) = await self._store.read(_EPOCH, (subject, self.name)) or ((None,),)
        if isinstance(epoch, int):
            self._epochs[subject] = epoch
            self._lost.discard(subject)
        return isinstance(epoch, int)

    async def release(self, subject: str) -> None:
        """Let another one have it; nothing of ours may go on with it any more."""
        if self._epochs.pop(subject, None) is not None:
            self._lost.add(subject)
        if subject in self._lost:
            await self._store.write([Statement(_RELEASE, (subject, self.name))])
            self._lost.discard(subject)

    async def forget(self, subject: str) -> None:
        """It is over: nobody goes on with it, and nothing of it is kept here or in the database."""
        await self._store.write([Statement(_OVER, (subject, self.name))])
        self._epochs.pop(subject, None)
        self._lost.discard(subject)

    def lose(self, subject: str) -> None:
        """It may be another's by now; where it is not, ``release`` still has to let go of it."""
        self._epochs.pop(subject, None)
        self._lost.add(subject)

    def fence(self, subject: str) -> Statement:
        """Put into a write: WriteConflict labelled ``owner`` where the subject is not ours, or no longer."""
        return Statement(_FENCE, (subject, self.name, self._epochs.get(subject, 0)), rows=1, label=OWNER_LABEL)

    # --- living -----------------------------------------------------------------------------

    async def join(self) -> None:
        """Be known to the others; StoreError where that cannot be."""
        await self._beat()

    async def run(self) -> None:
        """Beat and look who lives; cancel it to stop, then ``leave``."""
        while True:
            try:
                await self._beat()
            except StoreError:  # others take over; we go on when the store is back
                pass
            except Exception as fault:  # noqa: BLE001  # without a beat nothing here would ever go on by itself again
                get_log().error("beat_failed", exc_info=fault)
            await asyncio.sleep(BEAT_SECONDS)

    async def leave(self) -> None:
        """Let the others take over at once."""
        with suppress(StoreError):
            let_go = Statement("UPDATE owners SET replica = '' WHERE replica = ?", (self.name,))
            gone = Statement("DELETE FROM replicas WHERE replica = ?", (self.name,))
            await self._store.write([let_go, gone])
        self._beaten_at = None
        self._epochs.clear()

    async def _beat(self) -> None:
        began, was_sure = self._now(), self.sure
        await self._store.write([Statement(_BEAT, (self.name,))])
        before = self._living()
        self._look({str(name): int(str(beat)) for name, beat in await self._store.read(_ALL)})
        if not was_sure:  # while we were away others may have taken what was ours
            owned = await self._store.read(_OWNED, (self.name,))
            ours = {str(subject): int(str(epoch)) for subject, epoch in owned}
            self._epochs = {subject: epoch for subject, epoch in self._epochs.items() if ours.get(subject) == epoch}
        self._beaten_at = began
        if not was_sure or self._living() != before:
            self.changed.set()
        await self._forget_the_gone()

    def _look(self, beats: dict[str, int]) -> None:
        now = self._now()
        beats.pop(self.name, None)
        for name in self._others.keys() - beats.keys():
            del self._others[name]
        for name, beat in beats.items():
            seen = self._others.get(name)
            if seen is None:
                self._others[name] = _Seen(beat, now, lives=False)
            elif seen.beat != beat:
                seen.beat, seen.since, seen.lives = beat, now, True
            elif self._gone(seen):
                seen.lives = False

    def _gone(self, seen: _Seen) -> bool:
        return self._now() - seen.since > GONE_SECONDS

    def _living(self) -> set[str]:
        return {name for name, seen in self._others.items() if seen.lives}

    async def _forget_the_gone(self) -> None:
        old = [
            Statement(_FORGET, (name, seen.beat))
            for name, seen in self._others.items()
            if self._now() - seen.since > FORGOTTEN_SECONDS
        ]
        if old:
            await self._store.write(old)


def _weight(subject: str, name: str) -> bytes:
    return hashlib.blake2b(f"{subject}\x1f{name}".encode(), digest_size=16).digest()
