"""Following the ledger: tournaments start when due or full (rule 160), purchases and places wake the tables."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

from services.orchestrator.application.shares import tournament_subject
from services.orchestrator.application.tournament_agreement import TournamentAgreement
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_start import TournamentStart
from services.orchestrator.application.tournament_steps import poke_waiting
from services.orchestrator.domain.booking import (
    ChipsPurchased,
    LateRegistrationClosed,
    LedgerState,
    LedgerTournament,
    NumberedFact,
    PlayerEnteredLate,
    PlayerPlaced,
    PlayerRegistered,
    PrizesFixed,
    StartKind,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentFinished,
)
from services.orchestrator.domain.seating import late_entries_open
from services.orchestrator.domain.tournament_facts import PlayerOut
from services.orchestrator.ports import Clock, Ledger, ServiceAway, TournamentTables
from shared.kernel.errors import DomainError, Reason
from shared.observability.logging import get_log
from shared.storage.database import StoreError

Work = Callable[[str], Awaitable[None]]
_LOOK_AGAIN = timedelta(seconds=30)
"""The stream is a hint; the list is read at least this often."""
_PAUSE = timedelta(seconds=1)
_TOO_FEW = "the least number of entrants was not reached at the start"


class TournamentFollow:
    """Runs for the life of the process, in a task of its own."""

    def __init__(
        self,
        books: TournamentBooks,
        start: TournamentStart,
        agreement: TournamentAgreement,
        ledger: Ledger,
        tables: TournamentTables,
        clock: Clock,
    ) -> None:
        """Follow this ledger."""
        self._books = books
        self._start = start
        self._agreement = agreement
        self._ledger = ledger
        self._tables = tables
        self._clock = clock
        self._entrants_max: dict[str, int] = {}
        """Sit-and-go tournaments that are registering, and how many players fill them."""
        self._due_at: dict[str, datetime] = {}
        self._announced = asyncio.Event()

    async def run(self) -> None:
        """Never returns; cancel it to stop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch_for_ever())
            group.create_task(self._look_for_ever())

    # --- what is due ------------------------------------------------------------------------

    async def _look_for_ever(self) -> None:
        while True:
            self._announced.clear()  # before looking: what is announced meanwhile is looked for again
            try:
                await self.look()
            except Exception as fault:  # noqa: BLE001  # the next look finds what this one missed
                self._failed("tournaments_not_looked_at", fault)
                await self._clock.sleep_until(self._clock.now() + _PAUSE)
            else:
                await self._rest()

    async def look(self) -> None:
        """Go on with all that runs, end all that ended unheard, start all that is due or full."""
        ended = set(self._books.in_play())
        async for tournament in self._ledger.list_tournaments(LedgerState.RUNNING):
            ended.discard(tournament.tournament_id)
            await self._guarded(tournament.tournament_id, self._go_on)
        for tournament_id in sorted(ended):
            await self._guarded(tournament_id, self._cancelled)
        async for tournament in self._ledger.list_tournaments(LedgerState.REGISTERING):
            await self._consider(tournament)

    async def _go_on(self, tournament_id: str) -> None:
        """A tournament that runs: finish a start that was cut off, open its tables after a restart."""
        state = await self._books.find(tournament_id)
        if state is None:
            await self._start.start(tournament_id)
            return
        if late_entries_open(state):
            await self._changed(tournament_id)  # who entered while the stream was broken is not forgotten
        if not self._books.floor(tournament_id).agreed:
            async with self._books.locked(tournament_id):
                await self._agreement.state(tournament_id)

    async def _consider(self, tournament: LedgerTournament) -> None:
        terms, tournament_id = tournament.announcement, tournament.tournament_id
        match terms.start:
            case StartKind.SIT_AND_GO:
                self._entrants_max[tournament_id] = terms.entrants_max
                if tournament.entrants >= terms.entrants_max:
                    await self._guarded(tournament_id, self._start_full)
            case StartKind.SCHEDULED if terms.starts_at is not None:
                self._due_at[tournament_id] = terms.starts_at
                if terms.starts_at <= self._clock.now():
                    await self._guarded(tournament_id, self._start_due)
            case _:
                pass

    async def _start_full(self, tournament_id: str) -> None:
        self._entrants_max.pop(tournament_id, None)
        if await self._books.find(tournament_id) is None:
            await self._start.start(tournament_id)

    async def _start_due(self, tournament_id: str) -> None:
        self._due_at.pop(tournament_id, None)
        tournament = await self._ledger.get_tournament(tournament_id)
        if tournament.state is LedgerState.REGISTERING and tournament.entrants < tournament.announcement.entrants_min:
            await self._cancel(tournament)
        elif await self._books.find(tournament_id) is None:
            await self._start.start(tournament_id)

    async def _cancel(self, tournament: LedgerTournament) -> None:
        """Not where somebody entered meanwhile, nor where another process has it in play by now.

        Then it is looked at again at once; where nothing has changed, as where the fees do not fit into a full wallet,
        after a pause.
        """
        try:
            await self._ledger.cancel_tournament(tournament.tournament_id, _TOO_FEW, tournament.version)
        except DomainError as refused:
            if refused.reason is Reason.VERSION_CONFLICT:
                await self._look_again_at(tournament)
            raise

    async def _look_again_at(self, seen: LedgerTournament) -> None:
        newest = await self._ledger.get_tournament(seen.tournament_id)
        if newest.version != seen.version:
            self._announced.set()
        else:
            self._due_at[seen.tournament_id] = self._clock.now()

    async def _rest(self) -> None:
        """Until the next tournament is due, a new one is announced, or it is time to look anyway."""
        until = min([self._clock.now() + _LOOK_AGAIN, *self._due_at.values()])
        until = max(until, self._clock.now() + _PAUSE)
        waits = (self._clock.sleep_until(until), self._announced.wait())
        tasks = [asyncio.ensure_future(each) for each in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    # --- the ledger's facts -----------------------------------------------------------------

    async def _watch_for_ever(self) -> None:
        while True:
            self._announced.set()  # whatever was said while we were not listening, the list knows
            try:
                async for fact in self._ledger.watch("", 0):
                    await self._guarded(fact.tournament_id, partial(self._heard, fact))
            except Exception as fault:  # noqa: BLE001  # the stream is opened again, and the list read
                self._failed("ledger_stream_broke", fault)
            await self._clock.sleep_until(self._clock.now() + _PAUSE)

    async def _heard(self, numbered: NumberedFact, _: str) -> None:
        await self.heard(numbered)

    async def heard(self, numbered: NumberedFact) -> None:
        """Something happened at the ledger that was not of our doing, or may not have been."""
        tournament_id = numbered.tournament_id
        match numbered.fact:
            case TournamentAnnounced(tournament=tournament):
                await self._consider(tournament)
                self._announced.set()
            case PlayerRegistered(entrants=entrants) if entrants >= self._entrants_max.get(tournament_id, entrants + 1):
                await self._start_full(tournament_id)
            case ChipsPurchased():
                await poke_waiting(self._books, self._tables, tournament_id)
            case PlayerPlaced():
                await self._placed(tournament_id, numbered.fact)
            case PlayerEnteredLate() | LateRegistrationClosed() | PrizesFixed():
                await self._changed(tournament_id)
            case TournamentFinished():
                await self._finished(tournament_id)
            case TournamentCancelled():
                await self._cancelled(tournament_id)
            case _:
                pass

    async def _placed(self, tournament_id: str, placed: PlayerPlaced) -> None:
        """A window that ended unused gave a place (rule 163): the next table that looks knows of it.

        Nothing waits here: hundreds of tables may hold up the tournament's lock.
        """
        if await self._books.find(tournament_id) is None:
            return
        floor = self._books.floor(tournament_id)
        if placed.player_id in floor.deciding:
            floor.deciding.discard(placed.player_id)
            out = PlayerOut(player_id=placed.player_id, place=placed.place, prize_minor=placed.prize_minor)
            floor.placed_meanwhile.append(out)
        await poke_waiting(self._books, self._tables, tournament_id)

    async def _changed(self, tournament_id: str) -> None:
        """Somebody waits for a seat, or the paid places are known: the next table that looks compares and acts."""
        if await self._books.find(tournament_id) is None:
            return
        async with self._books.locked(tournament_id):
            self._books.floor(tournament_id).agreed = False
        await poke_waiting(self._books, self._tables, tournament_id)

    async def _finished(self, tournament_id: str) -> None:
        """An agreed split ended it between hands (rule 203); where a hand did, its booking tells the table."""
        if await self._books.find(tournament_id) is not None and not self._books.floor(tournament_id).playing:
            await self._cancelled(tournament_id)

    async def _cancelled(self, tournament_id: str) -> None:
        self._due_at.pop(tournament_id, None)
        self._entrants_max.pop(tournament_id, None)
        if await self._books.find(tournament_id) is None:
            return
        async with self._books.locked(tournament_id):
            self._books.floor(tournament_id).agreed = False
            state = await self._agreement.state(tournament_id)
        for table_id in state.tables:
            await self._tables.poke(table_id)

    @staticmethod
    def _failed(event: str, fault: Exception) -> None:
        """An outage is no fault of ours, anything else is worth its trace."""
        if isinstance(fault, ServiceAway):
            get_log().warning(event, waiting_for=fault.service)
        else:
            get_log().error(event, exc_info=fault)

    def in_play(self) -> tuple[str, ...]:
        """Tournaments at hand that are not over, as far as this process knows."""
        return self._books.in_play()

    def look_again(self) -> None:
        """Another process came or went: tournaments may be ours now."""
        self._announced.set()

    async def wrote(self, tournament_id: str) -> None:
        """Another process may have added to the tournament's log: its tables here look again where it did."""
        before = self._books.at_hand(tournament_id)
        if before is None:
            return
        state = await self._books.find(tournament_id)
        if state is not None and state.version != before.version:
            for table_id in state.tables:
                await self._tables.poke(table_id)

    async def _guarded(self, tournament_id: str, work: Work) -> None:
        """One tournament that cannot go on must not stop the others; it is tried again at the next look.

        Of several processes on one database only the tournament's owner does anything by itself.
        """
        if not await self._books.shares.take(tournament_subject(tournament_id)):
            return
        try:
            await work(tournament_id)
        except (ServiceAway, StoreError):
            raise
        except DomainError as refused:
            get_log().warning("tournament_not_started", tournament_id=tournament_id, reason=refused.reason.value)
        except Exception as fault:  # noqa: BLE001  # of this one: an answer or a log that cannot be read
            get_log().error("tournament_failed", tournament_id=tournament_id, exc_info=fault)
