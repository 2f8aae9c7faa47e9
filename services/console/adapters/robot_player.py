"""A robot at the tables: one player with a token of its own, who knows only what that player is told."""

import asyncio
import random
import time
from contextlib import aclosing
from dataclasses import dataclass, field

from services.console.adapters.calls import Refused, new_request_id
from services.console.adapters.tables import Tables
from services.console.adapters.tournaments import Tournaments
from services.console.domain import tournament
from services.console.domain.betting import Turn
from services.console.domain.follow import after
from services.console.domain.robot import choose
from services.console.domain.table import Presence, TableView
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
    """Plays one tournament to its end, or to the player's own."""

    def __init__(
        self, player_id: str, tables: Tables, tournaments: Tournaments, moods: random.Random, delay_seconds: float
    ) -> None:
        """``moods`` makes the robot bold or timid, turn by turn; it waits about the delay before it acts."""
        self.tally = Tally()
        self._player_id = player_id
        self._tables = tables
        self._tournaments = tournaments
        self._moods = moods
        self._delay_seconds = delay_seconds
        self._answered = 0
        self._returned_in = ("", 0)

    async def play(self, tournament_id: str, start_seconds: float) -> None:
        """Wait for the start, then sit where the tournament says until it is over for this player."""
        await self._tournaments.begun(tournament_id, start_seconds)
        async with (
            asyncio.TaskGroup() as group,
            aclosing(self._tournaments.watch(tournament_id)) as items,
        ):
            at_table: asyncio.Task[None] | None = None
            table_id = ""
            async for item in items:
                wanted = self._table_after(item, table_id)
                if wanted != table_id:
                    if at_table is not None:
                        at_table.cancel()
                    table_id = wanted
                    at_table = group.create_task(self.play_at(table_id)) if table_id else None
                if not table_id:
                    return

    def _table_after(self, item: tournament.TournamentView | tournament.TournamentEvent, table_id: str) -> str:
        """Where the player sits now; empty when the tournament is over for this player."""
        if isinstance(item, tournament.TournamentView):
            if item.state is tournament.PlayState.FINISHED:
                return ""
            return self._seat_among(item.seats)
        match item.news:
            case tournament.TournamentBegan(seats=seats):
                return self._seat_among(seats)
            case tournament.SeatChanged(player_id=self._player_id, to=to):
                return to.table_id
            case tournament.PlayerOut(player_id=self._player_id) | tournament.TournamentEnded():
                return ""
            case _:
                return table_id

    def _seat_among(self, seats: tuple[tournament.TournamentSeat, ...]) -> str:
        return next((seat.table_id for seat in seats if seat.player_id == self._player_id), "")

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
        seat = table.seat_of(self._player_id)
        if seat is None:
            return
        turn = table.turn
        if turn is not None and turn.player_id == self._player_id and turn.turn_id > self._answered:
            self._answered = turn.turn_id
            await self._act(table, turn)
        elif seat.presence in _ABSENT and self._returned_in != (table.table_id, table.hand_number):
            self._returned_in = (table.table_id, table.hand_number)
            await self._come_back(table.table_id)

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
