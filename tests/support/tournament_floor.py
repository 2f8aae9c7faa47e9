"""Tournament tables without cards: each hand moves chips at random. They ask the real director, on a virtual clock."""

import random
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import cast

from services.orchestrator.adapters.tournament_metrics import TournamentMetrics
from services.orchestrator.application.shares import ALONE, Shares
from services.orchestrator.application.tournament_house import TournamentHouse, open_house
from services.orchestrator.domain.booking import HandResult
from services.orchestrator.domain.sheet import HandBooking, PlayerCarry, Sheet, SheetState
from services.orchestrator.ports import Clock, Dealer, Ledger, ServiceAway, TournamentLog
from shared.kernel.game import Street
from shared.kernel.rules import RuleSet, Stakes
from shared.observability.metrics import new_registry


class VirtualClock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    async def sleep_until(self, moment: datetime) -> None:
        self.moment = max(self.moment, moment)


@dataclass
class FloorTable:
    """A table as far as the director can tell."""

    table_id: str
    tournament_id: str
    stakes: Stakes
    hand_number: int = 0
    sheet: Sheet | None = None
    """Of the hand in progress."""
    bound: Sheet | None = None
    """Of the hand that comes next: its deck is bound to these seats, and the table will ask once more."""
    booking: HandBooking | None = None
    """A hand that ended and is not booked yet."""
    waits: bool = False
    until: datetime | None = None
    closed: bool = False
    sheets: list[Sheet] = field(default_factory=list[Sheet])


class Floor:
    """Implements ports.TournamentTables, and plays."""

    def __init__(self, seed: int, hand_seconds: float = 40.0) -> None:
        self.tables: dict[str, FloorTable] = {}
        self.random = random.Random(seed)
        self.clock = VirtualClock()
        self.hand_seconds = hand_seconds
        self.binding_rate = 0.0
        """How many hands have their deck bound to the seats some time before they begin."""
        self.house: TournamentHouse | None = None

    def open(self, log: TournamentLog, dealer: object, ledger: object, shares: Shares = ALONE) -> TournamentHouse:
        """A director as after a start of the process."""
        self.registry = new_registry()
        clock: Clock = self.clock
        self.house = open_house(
            log,
            clock,
            cast("Dealer", dealer),
            cast("Ledger", ledger),
            self,
            TournamentMetrics(self.registry),
            shares=shares,
        )
        return self.house

    # --- ports.TournamentTables -------------------------------------------------------------

    def tournament_of(self, table_id: str) -> str:
        return self.tables[table_id].tournament_id

    async def is_foreign(self, table_id: str, tournament_id: str) -> bool:
        table = self.tables.get(table_id)
        return table is not None and table.tournament_id != tournament_id

    async def open_tournament_table(
        self, table_id: str, name: str, tournament_id: str, rules: RuleSet, stakes: Stakes
    ) -> None:
        del name, rules
        self.tables.setdefault(table_id, FloorTable(table_id, tournament_id, stakes))

    async def poke(self, table_id: str) -> None:
        self.tables[table_id].waits = False

    async def close_table(self, table_id: str) -> None:
        self.tables[table_id].closed = True

    async def hand_in_progress(self, table_id: str) -> bool:
        table = self.tables.get(table_id)
        return table is not None and any((table.bound, table.sheet, table.booking))

    # --- play -------------------------------------------------------------------------------

    def may_move(self) -> list[FloorTable]:
        return [table for table in self.tables.values() if not table.closed and not table.waits]

    async def step(self) -> None:
        """One table does one thing; where all wait, time passes until one need not."""
        ready = self.may_move()
        if not ready:
            waits = [table.until for table in self.tables.values() if not table.closed and table.until is not None]
            assert waits, f"all tables wait for ever: {self.picture()}"
            self.clock.moment = max(self.clock.moment, min(waits))
            for table in self.tables.values():
                if table.until is not None and table.until <= self.clock.moment:
                    table.waits = False
            return
        table = self.random.choice(ready)
        with suppress(ServiceAway):  # a table tries again later
            await self._play(table)

    def picture(self) -> str:
        return "; ".join(
            f"{t.table_id} waits={t.waits} closed={t.closed} hand={t.hand_number}" for t in self.tables.values()
        )

    async def _play(self, table: FloorTable) -> None:
        assert self.house is not None
        director = self.house.director
        if table.booking is not None:
            await director.record_hand(table.tournament_id, table.table_id, table.booking)
            table.booking = None
        elif table.sheet is not None:
            table.booking, table.sheet = self._end_hand(table, table.sheet), None
        else:
            self._take(table, await director.open_sheet(table.tournament_id, table.table_id, table.hand_number + 1))

    def _take(self, table: FloorTable, sheet: Sheet) -> None:
        table.until = None
        if sheet.state is SheetState.GO_ON and table.bound is None and self.random.random() < self.binding_rate:
            table.bound = sheet
        elif sheet.state is SheetState.GO_ON:
            assert table.bound is None or _who_plays(sheet) >= _who_plays(table.bound), "a bound seat was left"
            table.sheet, table.bound, table.hand_number = sheet, None, table.hand_number + 1
            table.sheets.append(sheet)
        elif sheet.state is SheetState.WAIT:
            assert sheet.wait is not None
            table.waits, table.until = True, sheet.wait.until
        else:
            table.closed = True

    def _end_hand(self, table: FloorTable, sheet: Sheet) -> HandBooking:
        """Two players put in up to ten antes' worth of bets or all they have; one of them wins it."""
        self.clock.moment += timedelta(seconds=self.hand_seconds)
        stacks = {seat.player_id: seat.stack_chips for seat in sheet.seats if seat.stack_chips}
        assert len(stacks) >= 2, "no hand is dealt to fewer than two"
        winner, *losers = self.random.sample(sorted(stacks), self.random.randint(2, len(stacks)))
        assert sheet.stakes is not None
        after = dict(stacks)
        for loser in losers:
            lost = min(stacks[winner], stacks[loser], sheet.stakes.lower_limit_chips * self.random.randint(2, 40))
            after[loser] -= lost
            after[winner] += lost
        carries = tuple(
            PlayerCarry(player_id=seat.player_id, time_bank_seconds=50, sitting_out=seat.seat == 3)
            for seat in sheet.seats
        )
        return HandBooking(
            hand_id=f"{table.table_id}-{table.hand_number}",
            hand_number=table.hand_number,
            results=tuple(
                HandResult(player_id=each, before_chips=stacks[each], after_chips=after[each]) for each in stacks
            ),
            street_reached=Street.FIFTH,
            carries=carries,
        )


def _who_plays(sheet: Sheet) -> set[tuple[int, str]]:
    return {(seat.seat, seat.player_id) for seat in sheet.seats if seat.stack_chips}
