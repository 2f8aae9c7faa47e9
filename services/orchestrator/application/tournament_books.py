"""The tournaments in play as their log has them: states kept at hand, one change at a time, watchers told."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from services.orchestrator.application.passing import stays_refused
from services.orchestrator.application.shares import ALONE, Shares, tournament_subject
from services.orchestrator.domain.sheet import WaitReason
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import NumberedEvent, PlayerOut, TournamentEvent
from services.orchestrator.domain.tournament_fold import fold
from services.orchestrator.ports import Clock, TournamentLog, TournamentWitness
from shared.kernel.errors import DomainError, Reason
from shared.storage.database import WriteConflict
from shared.storage.replicas import OWNER_LABEL
from shared.storage.requests import REQUEST_LABEL, RequestKey

OVER_MAX: Final = 64
"""Tournaments that are over and still kept at hand for readers."""
RECENT_EVENTS: Final = 512
"""Events of a tournament kept at hand: whoever watches is told them without a look into the log."""


@dataclass(slots=True)
class Floor:
    """What is known of a running tournament besides its log: gone with the process, found again from the tables."""

    state: Tournament | None = None
    term: str = ""
    """The time as the owner of which the rest tells; the ledger knows it as the director."""
    agreed: bool = False
    """The log was compared with the ledger since this process started, or since a step failed half-way."""
    playing: set[str] | None = None
    """Tables that were given a sheet and have not booked the hand yet; None: the tables were not asked yet."""
    without_sheet: set[str] = field(default_factory=set[str])
    """Tables of which it is known that no sheet of theirs is open at the ledger: the last hand was booked since."""
    refusals: Counter[str] = field(default_factory=Counter[str])
    """How often in a row the ledger told a table that something else was changed first."""
    unseated: tuple[str, ...] = ()
    """Players who entered after play began and have no seat yet, as of the last comparison with the ledger."""
    paid_places: int = 0
    """Places that the players fight for, as of the last comparison; 0 while the prize table is not frozen."""
    deciding: set[str] = field(default_factory=set[str])
    """Players without chips and without a place, as far as we were told: the ledger may place them by itself."""
    placed_meanwhile: list[PlayerOut] = field(default_factory=list[PlayerOut])
    """Places of such players that the ledger told and the log does not have yet."""
    waiting: dict[str, WaitReason] = field(default_factory=dict[str, WaitReason])
    """Tables that were told to wait, and why."""
    users: int = 0
    """Who holds the lock or waits for it."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    recent: deque[NumberedEvent] = field(default_factory=lambda: deque[NumberedEvent](maxlen=RECENT_EVENTS))
    """The newest events that this process wrote, without a gap."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at the next change and then replaced."""

    @property
    def needed(self) -> bool:
        """Is there more to it than the log? Not once the tournament is over, nor where play never began."""
        in_play = self.playing is not None if self.state is None else not self.state.ended
        return bool(self.users or self.waiting or in_play)


class TournamentBooks:
    """All tournaments of this orchestrator."""

    def __init__(self, log: TournamentLog, clock: Clock, witness: TournamentWitness, shares: Shares = ALONE) -> None:
        """Read and append through this log, as others may where it is shared; the witness sees what was added."""
        self.shares = shares
        self._log = log
        self._witness = witness
        self._clock = clock
        self._floors: dict[str, Floor] = {}
        self._over: OrderedDict[str, Tournament] = OrderedDict()

    def floor(self, tournament_id: str) -> Floor:
        """The floor of a tournament that is being started or played."""
        return self._floors.setdefault(tournament_id, Floor())

    @asynccontextmanager
    async def locked(self, tournament_id: str) -> AsyncGenerator[None, None]:
        """Change one tournament at a time; what is over, or never began, is forgotten when nobody waits for it."""
        floor = self.floor(tournament_id)
        floor.users += 1
        try:
            async with floor.lock:
                yield
        finally:
            floor.users -= 1
            self._let_go(tournament_id, floor)

    def _let_go(self, tournament_id: str, floor: Floor) -> None:
        if floor.needed:
            return
        self._floors.pop(tournament_id, None)
        if floor.state is not None:
            self._keep(floor.state)
        floor.changed.set()  # whoever waits for it would wait for ever

    def no_longer_waiting(
        self, tournament_id: str, but: str, reasons: AbstractSet[WaitReason] = frozenset(WaitReason)
    ) -> tuple[str, ...]:
        """Take the tables that wait for one of these reasons, but for one table, off the list of those that wait."""
        floor = self._floors.get(tournament_id)
        waiting = {} if floor is None else floor.waiting
        taken = tuple(sorted(each for each, reason in waiting.items() if each != but and reason in reasons))
        for table_id in taken:
            del waiting[table_id]
        return taken

    def with_table(self, table_id: str) -> Tournament | None:
        """The tournament at hand that plays at this table."""
        states = (floor.state for floor in self._floors.values())
        return next((each for each in states if each and not each.ended and table_id in each.tables), None)

    def in_play(self) -> tuple[str, ...]:
        """Tournaments at hand that are not over, as far as this process knows."""
        return tuple(name for name, floor in self._floors.items() if floor.state and not floor.state.ended)

    def at_hand(self, tournament_id: str) -> Tournament | None:
        """A tournament in play as this process knows it."""
        floor = self._floors.get(tournament_id)
        return None if floor is None else floor.state

    async def find(self, tournament_id: str) -> Tournament | None:
        """The state of a tournament, from the log where it is not at hand; None where play never began."""
        floor = self._floors.get(tournament_id)
        known = self._over.get(tournament_id) if floor is None else floor.state
        if known is not None and (known.ended or not self.shares.shared):
            return known
        if known is not None:
            return await self._newest(tournament_id, known)
        state = fold(await self._all_events(tournament_id))
        return None if state is None else self._keep(state)

    async def _newest(self, tournament_id: str, known: Tournament) -> Tournament:
        """With what other processes added."""
        news = await self._log.read(tournament_id, known.version)
        floor = self._floors.get(tournament_id)
        if not news or floor is None or floor.state is not known:
            return floor.state if floor is not None and floor.state is not None else known
        state = self._tell(floor, _applied(known, news))
        self._let_go(tournament_id, floor)  # over, and nobody here directed it
        return state

    def begin_term(self, tournament_id: str) -> tuple[str, ...]:
        """Where a new time as the owner began, what this process knew besides the log counts no more: who waited then?

        A hand that another process began is not known here, nor that one of ours was booked there.
        """
        floor = self.floor(tournament_id)
        if self.shares.term(tournament_subject(tournament_id)) in {floor.term, None}:
            return ()
        waited = tuple(floor.waiting)
        floor.agreed, floor.playing = False, None
        floor.without_sheet.clear()
        floor.waiting.clear()
        return waited

    def director_id(self, tournament_id: str) -> str:
        """As whom to tell the ledger of a step; WriteConflict where another process is the owner, or was meanwhile."""
        now = self.shares.term(tournament_subject(tournament_id))
        if now is None or now != self.floor(tournament_id).term:
            label = OWNER_LABEL if now is None else "director"
            raise WriteConflict(label, "another process goes on with the tournament, and may be dealing by now")
        return now

    def _keep(self, state: Tournament) -> Tournament:
        """A tournament in play stays at hand; of those that are over, the last ones that were asked for."""
        if not state.ended:
            floor = self.floor(state.tournament_id)
            if floor.state is None or floor.state.version < state.version:  # it may have gone on while we were reading
                floor.state = state
            return floor.state
        self._over[state.tournament_id] = state
        while len(self._over) > OVER_MAX:
            self._over.popitem(last=False)
        return state

    async def state(self, tournament_id: str) -> Tournament:
        """The state of a tournament; NOT_FOUND where play never began."""
        found = await self.find(tournament_id)
        if found is None:
            raise not_in_play(tournament_id)
        return found

    async def state_at(self, tournament_id: str, version: int) -> Tournament:
        """The state as it was at a version."""
        events = await self._all_events(tournament_id)
        found = fold(events[:version])
        if found is None:
            raise not_in_play(tournament_id)
        return found

    async def events(self, tournament_id: str, after_version: int) -> tuple[NumberedEvent, ...]:
        """Events after a version, at most 1000; the newest ones from memory, for however many watch."""
        floor = self._floors.get(tournament_id)
        recent = self._recent(floor) if floor is not None else ()
        if recent and recent[0].version <= after_version + 1:
            return tuple(each for each in recent if each.version > after_version)
        return await self._log.read(tournament_id, after_version)

    def _recent(self, floor: Floor) -> Sequence[NumberedEvent]:
        """The newest events, where they are known to be all up to now: nobody else writes, no write is in doubt."""
        whole = floor.recent and floor.state is not None and floor.recent[-1].version == floor.state.version
        return floor.recent if whole and not self.shares.shared else ()

    def change(self, tournament_id: str) -> asyncio.Event | None:
        """Is set at the next change; take it before reading, so that none is missed. None: it is not at hand."""
        floor = self._floors.get(tournament_id)
        return None if floor is None else floor.changed

    async def append(
        self,
        tournament_id: str,
        seen: Tournament | None,
        events: Sequence[TournamentEvent],
        command: RequestKey | None = None,
    ) -> Tournament:
        """Add events after the state that they were decided from, durably, then tell the watchers. Hold the lock.

        Whoever reads may have moved the floor on meanwhile to what another process wrote: then they are decided anew.
        """
        floor = self.floor(tournament_id)
        before = floor.state  # who reads the log while it is being written may move the floor on
        version = 0 if before is None else before.version
        if version != (0 if seen is None else seen.version):
            floor.agreed = False
            raise _moved_on(0 if seen is None else seen.version)
        now = self._clock.now()
        numbered = [
            NumberedEvent(tournament_id=tournament_id, version=number, at=now, event=event)
            for number, event in enumerate(events, start=version + 1)
        ]
        state = _applied(before, numbered)  # first: what cannot be folded would make the log unreadable for ever
        try:
            await self._log.append(tournament_id, version, events, now, command)
        except WriteConflict as conflict:
            floor.state, floor.agreed = None, False
            raise _conflict(conflict, version) from conflict
        except BaseException:
            floor.state, floor.agreed = None, False  # written or not: the log will say
            raise
        if floor.recent and floor.recent[-1].version != version:
            floor.recent.clear()
        floor.recent.extend(numbered)
        self._tell(floor, state)
        self._witness.tournament_recorded(numbered, len(state.players))
        return state

    async def note_connection(
        self, tournament_id: str, player_id: str, command: RequestKey, *, connected: bool
    ) -> None:
        """Remember whether an entrant is connected before play begins. Hold the lock."""
        await self._log.note_connection(tournament_id, player_id, self._clock.now(), command, connected=connected)

    async def entrants_gone(self, tournament_id: str) -> frozenset[str]:
        """Entrants of whom it was said last that they are not connected."""
        return await self._log.entrants_gone(tournament_id)

    async def note_start(self, tournament_id: str, command: RequestKey) -> None:
        """Remember who asked for the start that the ledger is asked for next. Hold the lock."""
        await self._log.note_start(tournament_id, command)

    async def start_cut_off(self, tournament_id: str) -> RequestKey | None:
        """The command of a start that was cut off, whose caller will ask again; None where it has its answer."""
        asked = await self._log.asked_start(tournament_id)
        if asked is None:
            return None
        try:
            return asked if await self._log.answered(asked) is None else None
        except DomainError:
            return None  # the same id was used for something else since

    async def answered(self, command: RequestKey) -> int | None:
        """Version after a command that was carried out before; raises its refusal where it was refused for good."""
        return await self._log.answered(command)

    async def refused(self, tournament_id: str, command: RequestKey, refusal: DomainError) -> None:
        """Remember a refusal: who was told no is not surprised by a copy of the request that was late on its way.

        Not where it passes by itself, was answered meanwhile, or is a start that may have begun. Hold the lock.
        """
        if stays_refused(refusal):
            with suppress(WriteConflict):
                await self._log.refuse(tournament_id, command, refusal, self._clock.now())

    def _tell(self, floor: Floor, state: Tournament) -> Tournament:
        floor.state = state
        changed, floor.changed = floor.changed, asyncio.Event()
        changed.set()
        return state

    async def _all_events(self, tournament_id: str) -> list[NumberedEvent]:
        found: list[NumberedEvent] = []
        while page := await self._log.read(tournament_id, found[-1].version if found else 0):
            found += page
        return found


def _applied(state: Tournament | None, events: Sequence[NumberedEvent]) -> Tournament:
    changed = fold(events, state)
    if changed is None:
        raise ValueError("a tournament cannot begin without an event")
    return changed


def _conflict(conflict: WriteConflict, version: int) -> DomainError:
    if conflict.label == REQUEST_LABEL:
        return DomainError(Reason.VERSION_CONFLICT, "the same request is being carried out: ask again", {})
    return _moved_on(version)


def _moved_on(version: int) -> DomainError:
    message = f"the tournament is no longer at version {version}: read it again"
    return DomainError(Reason.VERSION_CONFLICT, message, {"expected": str(version), "current": "newer"})


def not_in_play(tournament_id: str) -> DomainError:
    """Play never began, for all that the orchestrator knows."""
    where = "not started yet, or unknown; the tournament ledger's GetTournament tells"
    message = f"there is no tournament {tournament_id} in play: {where}"
    return DomainError(Reason.NOT_FOUND, message, {"kind": "tournament in play", "id": tournament_id})
