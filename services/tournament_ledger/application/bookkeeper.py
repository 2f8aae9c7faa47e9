"""Exactly once and all or nothing: answers of before, the state, the decision, one write with the answer in it."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final, TypeVar

from services.tournament_ledger.application.changes_made import ChangesMade
from services.tournament_ledger.application.decisions import (
    WALLETS,
    Call,
    Decide,
    Decision,
    View,
    cash_book,
    tournament_book,
)
from services.tournament_ledger.application.locks import Locks
from services.tournament_ledger.application.refused import refusal_bytes, refusal_of, stays_refused
from services.tournament_ledger.application.sealing import sealed
from services.tournament_ledger.domain.cash import CashTable
from services.tournament_ledger.domain.journal import Head, next_moment
from services.tournament_ledger.domain.tournament import Tournament
from services.tournament_ledger.ports import (
    Announcer,
    Booking,
    Books,
    Change,
    Clock,
    Looked,
    Remembered,
    TournamentChange,
    Witness,
)
from shared.kernel.errors import DomainError, not_found, out_of_step
from shared.storage.database import WriteConflict
from shared.storage.requests import RequestKey

T = TypeVar("T")
State = TypeVar("State", Tournament, CashTable)
ATTEMPTS: Final = 8
SHARED_ATTEMPTS: Final = 60
BACKOFF_SECONDS: Final = 0.002
READ_ATTEMPTS: Final = 10
CACHED_MAX: Final = 512
_ANSWERED, _REFUSED = b"\x00", b"\x01"


class Bookkeeper:
    """The one way into the books."""

    def __init__(
        self, books: Books, clock: Clock, witness: Witness, announcer: Announcer, *, shared: bool = False
    ) -> None:
        """Write these books; where they are shared, other ledgers do too, and nothing is known without a look."""
        self.books = books
        self._shared = shared
        self._clock = clock
        self._witness = witness
        self._announcer = announcer
        self.changes = ChangesMade()
        self._locks = Locks()
        self._heads: OrderedDict[str, Head] = OrderedDict()
        self._states: OrderedDict[str, Tournament | CashTable] = OrderedDict()

    @property
    def now(self) -> datetime:
        """The ledger's time."""
        return self._clock.now()

    async def run(
        self, call: Call, book: str, decide: Decide, wallets: Iterable[str] = (), apart: Sequence[str] = ()
    ) -> bytes:
        """Answer a request: as before where it is a repeated one, else by deciding and booking.

        Args:
            call: the request.
            book: the book that its entries belong to.
            decide: decides from the newest state; changes nothing itself and may run again after a conflict.
            wallets: accounts of other books whose balance the decision reads.
            apart: the accounts whose balances are all that the decision reads. It is right whatever else is in the
                book: nobody waits for the book while it is made. What it could not know, the bounds of each balance and
                the balances seen see to.
        """
        names = wallets if book == WALLETS else (book, *wallets)
        async with self._locks.hold(_gates(call, book)), self._locks.hold(names):
            for attempt in range(SHARED_ATTEMPTS if self._shared else ATTEMPTS):
                try:
                    looked = await self._look(call, apart)
                    if looked.answer is not None:
                        return looked.answer
                    alone = self._shared or attempt > 0
                    return await self._decided(call, book, decide, looked.balances if apart else None, alone=alone)
                except WriteConflict:
                    self._forget(book)
                    self._witness.conflicted()
                    await asyncio.sleep(BACKOFF_SECONDS * attempt if self._shared else 0)
        raise WriteConflict(book, "others were first again and again")

    # --- answers of before ------------------------------------------------------------------

    async def _look(self, call: Call, apart: Sequence[str]) -> Looked:
        """What was answered before, and with the same read the balances that are decided from."""
        if apart:
            looked = await self.books.look(call.key, apart)
        else:
            looked = Looked(await self.books.answered(call.key), {})
        remembered = looked.answer
        if remembered is None and call.hand_key is not None:
            remembered = await self._hand_answer(call, call.hand_key)
        if remembered is None:
            return looked
        if remembered[:1] == _REFUSED:
            raise refusal_of(remembered[1:])
        return Looked(remembered[1:], {})

    async def _hand_answer(self, call: Call, hand_key: RequestKey) -> bytes | None:
        try:
            remembered = await self.books.answered(hand_key)
        except DomainError:
            raise out_of_step("another result of the hand", "the result that was booked before") from None
        if remembered is not None:
            await self.books.remember(Remembered(call.key, remembered), self.now)
        return remembered

    # --- deciding and booking ---------------------------------------------------------------

    async def _decided(
        self, call: Call, book: str, decide: Decide, balances: Mapping[str, int] | None, *, alone: bool
    ) -> bytes:
        """Decide and book; what is refused because another ledger carried out this very request has its answer."""
        try:
            return await self._decide(call, book, decide, balances, alone=alone)
        except DomainError:
            answer = (await self._look(call, ())).answer if self._shared else None
            if answer is None:
                raise
            return answer

    async def _decide(
        self, call: Call, book: str, decide: Decide, balances: Mapping[str, int] | None, *, alone: bool
    ) -> bytes:
        """Decide, apart from the book where these balances are all that it takes; submit; wait until it is durable.

        The book of wallets is let go as soon as the write is submitted, so that many of them share one commit: the next
        one builds on a head that is on its way, and the guard of the write refuses it should that head never arrive.
        What was refused so is written alone, with nobody behind it: else one that is refused each time would have all
        that stand behind it refused each time too. Other ledgers do not see a head that is on its way: with them, each
        write is alone.
        """
        decision: Decision | None = None
        if balances is not None:
            decision = await self._decision(call, decide, View(await self._head(book), self.now, balances))
        async with self._locks.hold((book,) if book == WALLETS else ()):
            head = await self._head(book)
            at = next_moment(head, self.now)
            if decision is None:
                decision = await self._decision(call, decide, View(head, at))
            answer = call.encode(decision.answer)
            keys = (call.key, call.hand_key)
            remembered = tuple(Remembered(key, _ANSWERED + answer) for key in keys if key is not None)
            known = frozenset(balances or ())
            booking = _booking(call, View(head, at), decision, remembered, known) if decision.drafts else None
            writing = self._submit(booking) if booking else None
            if booking and writing and alone:
                await self._durable(booking, writing)
        if booking and writing:
            if not alone:
                await self._durable(booking, writing)
        else:
            await self.books.remember(remembered[0], at)
        return answer

    async def _decision(self, call: Call, decide: Decide, view: View) -> Decision:
        try:
            return await decide(view)
        except DomainError as refusal:
            await self._refused(call, refusal, view.at)
            raise

    async def named(self, call: Call, reading: Awaitable[T]) -> T:
        """What a request names, before it is decided on; that it does not exist is a refusal like any other."""
        try:
            return await reading
        except DomainError as refusal:
            with suppress(WriteConflict):  # a copy was refused just now
                await self._look(call, ())
                await self._refused(call, refusal, self.now)
            raise

    async def _refused(self, call: Call, refusal: DomainError, at: datetime) -> None:
        """Remember a refusal that stays one."""
        if not stays_refused(refusal, for_good=call.refused_for_good):
            return
        if call.player_id:  # a row for as long as answers are kept
            self.changes.one_more(call.player_id, call.request_id, at)
        await self.books.remember(Remembered(call.key, _REFUSED + refusal_bytes(refusal)), at)

    def _submit(self, booking: Booking) -> "asyncio.Future[None]":
        """Send the write off; the head is where it will be."""
        book, last = booking.head.book, booking.entries[-1]
        _keep(self._heads, book, Head(book, last.number, last.hash, last.at))
        return asyncio.ensure_future(self.books.book(booking))

    async def _durable(self, booking: Booking, writing: "asyncio.Future[None]") -> None:
        """Wait for the end of the write, even where the caller goes away: the locks must cover it."""
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            try:
                await asyncio.wait({writing})
                self._settle(booking, done=_is_done(writing))
            except asyncio.CancelledError:
                self._settle_later(booking, writing)
            raise
        except Exception:
            self._settle(booking, done=False)
            raise
        self._settle(booking, done=True)

    def _settle(self, booking: Booking, *, done: bool) -> None:
        """Keep what a durable write made, or forget what was hoped for.

        Where another ledger's newer entry was seen already, it would be told beside that as the newest.
        """
        book, last = booking.head.book, booking.entries[-1]
        if not done:
            self._forget(book)
            return
        if self._heads.get(book) == Head(book, last.number, last.hash, last.at):
            self._keep_states(book, booking.changes)
        self._witness.booked(booking.drafts)
        self._announcer.grown(book, booking.entries)

    def _settle_later(self, booking: Booking, writing: "asyncio.Future[None]") -> None:
        """Cancelled once more, so that the locks are let go before the end: nothing is known of the book until then."""
        self._forget(booking.head.book)

        def settle(done: "asyncio.Future[None]") -> None:
            self._forget(booking.head.book)
            if _is_done(done):
                self._witness.booked(booking.drafts)
                self._announcer.grown(booking.head.book, booking.entries)

        writing.add_done_callback(settle)

    def _keep_states(self, book: str, changes: Iterable[Change]) -> None:
        for change in changes:
            if isinstance(change, CashTable):
                _keep(self._states, book, change)
            elif isinstance(change, TournamentChange):
                _keep(self._states, book, change.after)

    def _forget(self, book: str) -> None:
        self._heads.pop(book, None)
        self._states.pop(book, None)

    async def _head(self, book: str) -> Head:
        head = self._heads.get(book)
        if head is None or self._shared:
            head = await self._newest(book)
        return head

    async def _newest(self, book: str) -> Head:
        """The head as it is kept; what was known of the book goes where another ledger wrote to it."""
        head = await self.books.head(book)
        if self._shared and head != self._heads.get(book):
            self._forget(book)
            _keep(self._heads, book, head)
        return head

    async def _read(self, book: str, read: Callable[[], Awaitable[State | None]]) -> State | None:
        """Rows of one moment: read again where another ledger wrote to the book meanwhile.

        They are kept where nothing newer is known by now: neither a state nor, of shared books, a head.
        """
        for _ in range(READ_ATTEMPTS if self._shared else 1):
            before = await self._newest(book) if self._shared else None
            found = await read()
            if not self._shared or await self.books.head(book) == before:
                newest = not self._shared or self._heads.get(book) == before
                if found is not None and newest and book not in self._states:
                    _keep(self._states, book, found)
                return found
        raise WriteConflict(book, "others write to it all the time")

    # --- states -----------------------------------------------------------------------------

    async def tournament(self, tournament_id: str) -> Tournament:
        """Where a tournament stands; NOT_FOUND for none."""
        book = tournament_book(tournament_id)
        if self._shared:
            await self._newest(book)
        known = self._states.get(book)
        if isinstance(known, Tournament):
            self._states.move_to_end(book)
            return known
        found = await self._read(book, lambda: self.books.tournament(tournament_id))
        if found is None:
            raise not_found("tournament", tournament_id, "ListTournaments gives all that are announced")
        return found

    async def cash_table(self, table_id: str) -> CashTable:
        """Where a cash table stands; NOT_FOUND for none."""
        book = cash_book(table_id)
        if self._shared:
            await self._newest(book)
        known = self._states.get(book)
        if isinstance(known, CashTable):
            return known
        found = await self._read(book, lambda: self.books.cash_table(table_id))
        if found is None:
            raise not_found("cash table", table_id, "the orchestrator's ListTables gives all that there are")
        return found


def _gates(call: Call, book: str) -> tuple[str, ...]:
    """What to hold before the book: one call from outside wants it at a time, and one of each player wants to be that.

    So what was played is booked after one of them, however many ask, and a player who asks again and again waits for
    its own calls. Locks are taken by the order of their names: the player's own gate comes first.
    """
    return (f"asking {call.player_id} {book}", f"outside {book}") if call.from_outside and book != WALLETS else ()


def _is_done(writing: "asyncio.Future[None]") -> bool:
    """It ended, and well."""
    return not writing.cancelled() and writing.exception() is None


def _keep(cache: OrderedDict[str, T], name: str, value: T) -> None:
    cache[name] = value
    cache.move_to_end(name)
    if len(cache) > CACHED_MAX:
        cache.popitem(last=False)


def _booking(
    call: Call, view: View, decision: Decision, remembered: tuple[Remembered, ...], known: frozenset[str]
) -> Booking:
    return Booking(
        head=view.head,
        entries=sealed(view.head, view.at, call.request_id, decision.drafts),
        drafts=decision.drafts,
        remembered=remembered,
        changes=decision.changes,
        at=view.at,
        accounts=decision.accounts,
        known=known,
        seen=decision.seen,
    )
