"""What happens without being asked: holds expire, decision windows end, old answers go, balances are summed up."""

import uuid
from collections.abc import Awaitable, Iterable
from datetime import datetime, timedelta

from services.tournament_ledger.application.audit import Audit
from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import Call
from services.tournament_ledger.application.play import Play
from services.tournament_ledger.application.wallets import Wallets
from services.tournament_ledger.domain.tournament import Entrant, Tournament, TournamentState
from services.tournament_ledger.ports import Reports
from shared.storage.database import StoreBroken, StoreUnavailable, StoreUnclear
from shared.storage.requests import RequestKey

SCOPE = "chore"
BATCH = HOLDS_A_LOOK = 200
_Window = tuple[str, str, datetime]
"""Tournament, player, and the end that was written down."""


class Chores:
    """The ledger's own work."""

    def __init__(self, bookkeeper: Bookkeeper, reports: Reports, audit: Audit) -> None:
        """Work through these."""
        self._keeper = bookkeeper
        self._reports = reports
        self._audit = audit
        self._wallets = Wallets(bookkeeper)
        self._play = Play(bookkeeper)
        self._kept_back = 0
        """Holds that are due and could not be given back by this look at all of them."""
        self._looked_at: tuple[int, str] | None = None
        """The last tournament of those that were looked at, where there are more of them."""
        self._windows: dict[_Window, datetime] = {}
        self._windows_before: dict[_Window, datetime] = {}
        """Windows that are open, and when each was seen first: by this look at all tournaments, and the one before."""

    async def expire_holds(self) -> int:
        """Give back the money of holds whose time is over; says how many were due.

        One that cannot be given back now, as to a wallet that is full, keeps no other one waiting.
        """
        due = await self._reports.due_holds(self._keeper.now, self._kept_back, BATCH)
        faults = await _each(self._wallets.expire_hold(_call(f"expire {each}"), each) for each in due)
        self._kept_back = self._kept_back + len(faults) if len(due) == BATCH else 0
        _tell(faults)
        return len(due)

    async def close_windows(self) -> int:
        """Give places to players whose time to decide on a rebuy is over; says in how many tournaments.

        A tournament in which that cannot be booked keeps no other one waiting.
        """
        if self._looked_at is None:
            self._windows, self._windows_before = {}, self._windows
        running = await self._reports.tournament_ids(TournamentState.RUNNING, self._looked_at, BATCH)
        self._looked_at = running[-1] if len(running) == BATCH else None
        closed: list[str] = []
        _tell(await _each(self._close_windows(tournament_id, closed) for _, tournament_id in running))
        return len(closed)

    async def _close_windows(self, tournament_id: str, closed: list[str]) -> None:
        """Of one tournament, which is added to those in which something was closed."""
        tournament = await self._keeper.tournament(tournament_id)
        due = self._due(tournament)
        if due:
            call = _call(f"windows {tournament_id} {tournament.version} {' '.join(due)}")
            await self._play.close_windows(call, tournament_id, due)
            closed.append(tournament_id)

    def _due(self, tournament: Tournament) -> dict[str, datetime]:
        """Whose time is over, and until when it was: a place may still wait for others, so more are another chore."""
        now = self._keeper.now
        return {
            each.player_id: each.decides_until
            for each in sorted(tournament.remaining(), key=lambda each: each.player_id)
            if each.decides_until is not None and self._is_over(tournament, each, now)
        }

    def _is_over(self, tournament: Tournament, entrant: Entrant, now: datetime) -> bool:
        """At the moment that was written down, and no later than the window is long.

        A clock that was ahead when it was written down, or when the entry before it was, tells a later moment.
        """
        until = entrant.decides_until or now
        window = (tournament.tournament_id, entrant.player_id, until)
        seen = self._windows[window] = self._windows_before.get(window, now)
        return now >= min(until, seen + timedelta(seconds=tournament.rules.tournament.rebuy.window_seconds))

    async def forget_answers(self, kept: timedelta) -> None:
        """Drop answers that were kept long enough."""
        await self._keeper.books.forget(self._keeper.now - kept)

    async def sum_up(self) -> int:
        """Count the units that do not sum up to zero."""
        return await self._audit.measure()


async def _each(work: Iterable[Awaitable[object]]) -> list[Exception]:
    """One after the other, whatever becomes of each; gives the faults. A store that is away ends all of it."""
    faults: list[Exception] = []
    for each in work:
        try:
            await each
        except (StoreUnavailable, StoreUnclear, StoreBroken):
            raise
        except Exception as fault:  # noqa: BLE001  # the next one may be somebody else's
            faults.append(fault)
    return faults


def _tell(faults: list[Exception]) -> None:
    """The first of them, now that everything else is done: whoever asked for the chore writes it down."""
    if faults:
        raise faults[0]


def _call(name: str) -> Call:
    request_id = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
    return Call(request_id, RequestKey(SCOPE, request_id, b""), lambda _: b"")
