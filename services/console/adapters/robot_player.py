"""A robot at the tables: one player with a token of its own, who knows only what that player is told."""

import asyncio
import random
import time
from contextlib import aclosing
from dataclasses import dataclass, field

from services.console.adapters.calls import Refused, new_request_id
from services.console.adapters.robot_purse import Purse
from services.console.adapters.tables import Tables
from services.console.domain.betting import Turn
from services.console.domain.follow import after
from services.console.domain.robot import choose
from services.console.domain.table import Presence, SeatView, TableView
from shared.kernel.errors import Reason

_TOO_LATE = frozenset({Reason.STALE_TURN, Reason.NOT_YOUR_TURN, Reason.NO_HAND, Reason.NOT_SEATED})
_NOT_LEGAL = frozenset({Reason.ACTION_NOT_LEGAL, Reason.AMOUNT_NOT_LEGAL})
_ABSENT = frozenset({Presence.SITTING_OUT, Presence.TIMED_OUT, Presence.DISCONNECTED})


@dataclass(slots=True)
class Tally:
    """What a robot did."""

    act_seconds: list[float] = field(default_factory=list[float])
    """How long each accepted action took."""
    refused_count: int = 0
    late_count: int = 0


class RobotPlayer:
    """Plays at one table after the other, wherever it is seated."""

    def __init__(
        self,
        player_id: str,
        tables: Tables,
        moods: random.Random,
        delay_seconds: float = 0.0,
        purse: Purse | None = None,
    ) -> None:
        """``moods`` makes the robot bold or timid, turn by turn; it waits about the delay before it acts.

        With a purse it may buy more chips: a rebuy when it has lost all, the add-on in a break.
        """
        self.tally = Tally()
        self.player_id = player_id
        self._tables = tables
        self._moods = moods
        self._delay_seconds = delay_seconds
        self._purse = purse
        self._answered = 0
        self._returned_in = ("", 0)
        self._busted_in = ("", 0)

    async def take_break(self) -> None:
        """A break began: the moment for the add-on (rule 151)."""
        if self._purse is not None:
            await self._purse.add_on()

    async def play_at(self, table_id: str) -> None:
        """Follow one table and act whenever it is this player's turn."""
        self._answered = 0
        table: TableView | None = None
        async with aclosing(self._tables.watch(table_id)) as items:
            async for item in items:
                if isinstance(item, TableView):
                    table = item
                elif table is not None:
                    table = after(table, item)
                if table is not None:
                    await self._respond(table)

    async def _respond(self, table: TableView) -> None:
        seat = table.seat_of(self.player_id)
        if seat is None:
            return
        turn = table.turn
        if turn is not None and turn.player_id == self.player_id and turn.turn_id > self._answered:
            self._answered = turn.turn_id
            await self._act(table, turn)
        elif seat.presence in _ABSENT and self._returned_in != (table.table_id, table.hand_number):
            self._returned_in = (table.table_id, table.hand_number)
            await self._come_back(table.table_id)
        elif _has_lost_all(table, seat) and self._busted_in != (table.table_id, table.hand_number):
            self._busted_in = (table.table_id, table.hand_number)
            if self._purse is not None:
                await self._purse.rebuy()

    async def _act(self, table: TableView, turn: Turn) -> None:
        seat = table.seat(turn.seat)
        if seat is None:
            return
        choice = choose(table, seat, turn.legal, self._moods.random())
        if self._delay_seconds:
            await asyncio.sleep(self._delay_seconds * (0.5 + self._moods.random()))
        began = time.perf_counter()
        try:
            await self._tables.act(table.table_id, turn.turn_id, choice, new_request_id())
        except Refused as refused:
            if refused.reason in _NOT_LEGAL:
                self.tally.refused_count += 1
            elif refused.reason in _TOO_LATE:
                self.tally.late_count += 1
            else:
                raise
        else:
            self.tally.act_seconds.append(time.perf_counter() - began)

    async def _come_back(self, table_id: str) -> None:
        try:
            await self._tables.come_back(table_id)
        except Refused as refused:
            if refused.reason not in _TOO_LATE:
                raise


def _has_lost_all(table: TableView, seat: SeatView) -> bool:
    """No chips are left, and the hand that took them is over."""
    return seat.stack_chips == 0 and table.pot_total_chips == 0 and table.turn is None
