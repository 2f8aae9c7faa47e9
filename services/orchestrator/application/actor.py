"""One table in this process: its state, its log, and the one lock through which everything happens to it."""

import asyncio
import contextvars
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from services.orchestrator.application.down_cards import ask_again, recalled
from services.orchestrator.application.feeds import Feed, Happening, Lobby
from services.orchestrator.application.line import HOUSE, Line
from services.orchestrator.application.shares import Fence
from services.orchestrator.application.table_log import CommandAnswer, FinishedHand, Purchase, TableRow, TableWrite
from services.orchestrator.application.world import World
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.hand_facts import HandStarted, StreetDealt
from services.orchestrator.domain.next_step import Await, next_step
from services.orchestrator.domain.recording import stamp
from services.orchestrator.domain.table import BareTable, Table, bare
from services.orchestrator.domain.table_views import summarise
from services.orchestrator.domain.views import HandSummary, TableSummary
from services.orchestrator.domain.visibility import DownCards, no_cards
from services.orchestrator.domain.wagering import BettingState
from shared.kernel.frozen import maker
from shared.observability.tracing import Here, here
from shared.storage.requests import RequestKey

_write, _row = maker(TableWrite), maker(TableRow)
HANDS_SHOWN: Final = 2
"""Watchers here are shown so many hands that another process played since; before that, they resume from the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one step or command makes of a table."""

    facts: tuple[Fact, ...] = ()
    betting: BettingState | None = None
    """The new betting state; None: as it was."""
    down_cards: DownCards = field(default_factory=no_cards)
    """Down cards that were dealt; they stay in memory."""
    settled_purchase: str = ""
    """Request id of the purchase that this finishes."""
    nobody_buys: tuple[str, ...] = ()
    """Players whose chips are those of a sheet: none of theirs are on the way, or they would come twice."""


class TableActor:
    """A table in play. Whoever changes it holds ``lock``."""

    def __init__(self, table_id: str, world: World, lobby: Lobby) -> None:
        """Start with nothing recorded; use ``application/tables.py``."""
        self.table_id = table_id
        self.world = world
        self.lock = asyncio.Lock()
        self.line = Line()
        """Of the commands that want the lock."""
        self.feed = Feed()
        self.betting: BettingState | None = None
        self.down_cards: DownCards = {}
        self.cards_at_hand = asyncio.Event()
        """The down cards of the hand in play are known: at once, but for the first moments after a restart."""
        self.buying: dict[str, Purchase] = {}
        """Purchases on their way, by request id: their seats are taken."""
        self.unsettled: list[Purchase] = []
        """Purchases of which the ledger has not said yet what became of them."""
        self.stale = False
        """A write failed: the log may have what this process does not know."""
        self.cause: Here | None = None
        """Where in the traces that is what the next step follows from."""
        self.fence: Fence | None = None
        """While the owner takes a step by itself."""
        self.dealer_compared = False
        """The dealer has dealt no hand here that the log lacks: looked at once, before the first one from here."""
        self.looked_at = world.clock.now()
        """When somebody looked at a table that another process goes on with."""
        self._looking: asyncio.Task[None] | None = None
        """The look that those who only look wait for, until it begins."""
        self._lobby = lobby
        self._table: Table | None = None
        self._poked = asyncio.Event()
        self._rests_until: datetime | None = None
        """While its task waits for a moment."""
        self._due_at: datetime | None = None
        """When the table has something to do by itself, as far as was recorded here."""
        self._dealt_in: Hand | None = None
        """The hand as it began: one for all its events, to know whose seat is whose."""

    @property
    def table(self) -> Table:
        """The table as its log has it."""
        if self._table is None:
            raise LookupError(f"table {self.table_id} has no log yet")
        return self._table

    def restore(self, table: Table, betting: BettingState | None, down_cards: DownCards) -> None:
        """Take over what was saved."""
        self._table, self.betting, self.down_cards = table, betting, down_cards
        self.world.witness.recorded(None, table, ())
        if not table.closed:
            self._lobby.put(summarise(table))

    def seats(self, player_id: str) -> bool:
        """The player has a seat here, as far as this process knows; the house needs none."""
        return player_id == HOUSE or self.table.seat_of(player_id) is not None

    @asynccontextmanager
    async def turn_of(self, player_id: str) -> AsyncGenerator[None]:
        """The lock, for a command of this player or of the house."""
        async with self.line.gate(player_id, seated=self.seats(player_id)), self.lock:
            yield

    @property
    def idle(self) -> bool:
        """Nobody does anything with it in this process, or watches it here; what is being bought is in the log."""
        return not (self.lock.locked() or self.feed.bell.heard)

    async def record(self, change: Change, answer: tuple[RequestKey, CommandAnswer] | None = None) -> None:
        """Make a change durable, then tell everybody. Nothing is changed where the write fails."""
        before, at = self._table, self.world.clock.now()
        events = stamp(self.table_id, before, change.facts, at)
        after = fold(before, events)
        betting = _newest(after, change.betting or self.betting)
        line, due_at = summarise(after), _due_at(after, at)
        write = _write(
            table_id=self.table_id,
            expected_version=before.version if before is not None else 0,
            at=at,
            row=_row(
                summary=line,
                closed=after.closed,
                due_at=due_at,
                betting=betting.opaque if betting is not None else b"",
                kept=_kept(before, events),
            ),
            events=events,
            hand=_finished(after, events),
            answer=answer,
            settled_purchase=change.settled_purchase,
            nobody_buys=change.nobody_buys,
            fence=self.fence,
        )
        try:
            await self.world.log.write(write)
        except BaseException:
            self.stale = True
            raise
        self._table, self.betting, self._due_at = after, betting, due_at
        self._keep_down_cards(before, after, change.down_cards)
        if events:
            self._show(after, events, line)
            self.world.witness.recorded(before, after, events)

    async def catch_up(self) -> bool:
        """Take over what others wrote since this process looked; was there anything? Hold the lock."""
        before = self.table
        news = await self.world.log.since(self.table_id, before.version)
        if news is None:
            self.stale = False
            return False
        hands = split_at_hands(news.events)
        for events in hands[:-HANDS_SHOWN]:
            before, self._table = self.table, fold(self._table, events)
            self.world.witness.recorded(before, self._table, ())
            self.feed.skip()
        for events in hands[-HANDS_SHOWN:]:
            await self._follow(self.table, events)
        self.betting = self.world.betting.recall(news.betting) if news.betting else None
        self.stale = False
        return True

    async def _follow(self, before: Table, events: tuple[Recorded, ...]) -> None:
        """Events of one hand at most, with its down cards from the dealer, who repeats its answers."""
        after = fold(before, events)
        same_hand = before.hand_number == after.hand_number
        cards = self.down_cards if same_hand else no_cards()
        if after.hand is not None and (not same_hand or self.cards_at_hand.is_set()):
            dealt = [each.fact for each in events if isinstance(each.fact, StreetDealt)]
            cards = {**cards, **await ask_again(self.world.dealer, after.hand.hand_id, dealt)}
            self.cards_at_hand.set()
        self._table, self.down_cards, self.betting = after, cards, None
        self._show(after, events, summarise(after))
        self.world.witness.recorded(before, after, ())

    async def recall_cards(self) -> None:
        """After a start the dealer is asked once more for the cards of the hand in play. Hold the lock."""
        hand = self.table.hand
        if self.cards_at_hand.is_set():
            return
        if hand is not None and hand.in_play and not self.down_cards:
            self.down_cards = await recalled(self.world.log, self.world.dealer, self.table)
            self.feed.skip()  # what was told without them: who resumes reads the log
        self.cards_at_hand.set()

    async def refresh(self, patience_seconds: float) -> None:
        """Before somebody looks: catch up, unless the table is busy for longer than that.

        One look for all who wait for it, begun after they asked: or whoever acts would wait behind those who look.
        """
        if self.world.shares.shared or self.stale:
            if self._looking is None or self._looking.done():
                look = self._caught_up()
                self._looking = asyncio.get_running_loop().create_task(look, context=contextvars.Context())
                self._looking.add_done_callback(_heard)
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_seconds):
                    await asyncio.shield(self._looking)

    async def _caught_up(self) -> None:
        """Whoever asks from the moment on that it begins needs another look."""
        async with self.lock:
            self._looking = None
            await self.catch_up()

    def _keep_down_cards(self, before: Table | None, after: Table, dealt: DownCards) -> None:
        """The cards of one hand at a time; those of the last one until the next begins."""
        same_hand = before is not None and before.hand_number == after.hand_number
        known = self.down_cards if same_hand else no_cards()
        self.down_cards = {**known, **dealt} if dealt else known

    def _show(self, after: Table, events: tuple[Recorded, ...], line: TableSummary) -> None:
        """To the watchers of this process."""
        if after.hand is not None and (self._dealt_in is None or self._dealt_in.hand_id != after.hand.hand_id):
            self._dealt_in = after.hand
        dealt_in, cards = self._dealt_in, self.down_cards
        self.feed.publish(
            tuple(Happening(event, hand=dealt_in if event.hand_id else None, down_cards=cards) for event in events)
        )
        self._lobby.put(line)

    # --- waking the table's task -------------------------------------------------------------

    def poke(self) -> None:
        """Let the table look again at what it has to do."""
        self.cause = here()
        self.wake()

    def wake(self) -> None:
        """Let it look, though nothing has happened to it."""
        self._poked.set()

    def look_again(self) -> None:
        """After a command: wake the table's task, unless it wakes by itself before there is anything to do.

        Players who act in time put the moment off again and again; the task wakes at the first one and looks.
        """
        wakes, due = self._rests_until, self._due_at
        if wakes is None or due is None or due < wakes:
            self.poke()

    async def rest(self, until: datetime | None) -> None:
        """Until somebody pokes, or the moment has come."""
        if until is None:
            await self._poked.wait()
        else:
            self._rests_until = until
            try:
                await self._until_poked_or(until)
            finally:
                self._rests_until = None
        self._poked.clear()

    async def _until_poked_or(self, moment: datetime) -> None:
        waits = (
            asyncio.ensure_future(self._poked.wait()),
            asyncio.ensure_future(self.world.clock.sleep_until(moment)),
        )
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()


def _heard(look: "asyncio.Task[None]") -> None:
    """Nobody may be waiting for it any more."""
    if not look.cancelled():
        look.exception()


def split_at_hands(events: tuple[Recorded, ...]) -> list[tuple[Recorded, ...]]:
    """Pieces of which each but the first begins with a hand."""
    starts = [at for at, event in enumerate(events) if at and isinstance(event.fact, HandStarted)]
    return [events[begin:end] for begin, end in zip([0, *starts], [*starts, len(events)], strict=True)]


def _newest(table: Table, betting: BettingState | None) -> BettingState | None:
    """A betting state lives as long as its hand."""
    return betting if table.in_hand else None


def _kept(before: Table | None, events: tuple[Recorded, ...]) -> BareTable | None:
    """Once a hand, when it begins, so that a restart reads no further back."""
    begins = any(isinstance(event.fact, HandStarted) for event in events)
    return bare(before) if begins and before is not None else None


def _due_at(table: Table, now: datetime) -> datetime | None:
    step = next_step(table, now)
    return step.until if isinstance(step, Await) else now


def _finished(table: Table, events: tuple[Recorded, ...]) -> FinishedHand | None:
    """The line in the index of hands, once a hand is over; it grows while more is said about the hand."""
    hand = table.hand
    if hand is None or hand.in_play or not any(event.hand_id == hand.hand_id for event in events):
        return None
    last = max(event.version for event in events if event.hand_id == hand.hand_id)
    summary = HandSummary(
        hand_id=hand.hand_id,
        hand_number=hand.hand_number,
        first_version=hand.first_version,
        last_version=last,
        voided=hand.voided,
    )
    return FinishedHand(table_id=table.table_id, summary=summary)
