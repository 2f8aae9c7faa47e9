"""Robots of one process in one tournament: they share its public stream, and each goes to the table it is seated at."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

from services.console.adapters.robot_player import RobotPlayer
from services.console.adapters.tournaments import Item, Tournaments
from services.console.domain import tournament


class Troupe:
    """Plays one tournament until it is over, or over for each of these robots."""

    def __init__(self, robots: Sequence[RobotPlayer], tournaments: Tournaments) -> None:
        """Watch the tournament through the line of one of them."""
        self._robots = {robot.player_id: robot for robot in robots}
        self._tournaments = tournaments
        self._tables: dict[str, str] = {}
        """Where each robot sits that is still in."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def play(self, tournament_id: str, start_seconds: float) -> None:
        """Wait for the start, then sit where the tournament says."""
        await self._tournaments.begun(tournament_id, start_seconds)
        async with asyncio.TaskGroup() as group, aclosing(self._tournaments.watch(tournament_id)) as items:
            async for item in items:
                self._follow(item, group)
                if not self._tables:
                    return

    def _follow(self, item: Item, group: asyncio.TaskGroup) -> None:
        if isinstance(item, tournament.TournamentView):
            over = item.state is tournament.PlayState.FINISHED
            self._seat_all(() if over else item.seats, group)
            return
        match item.news:
            case tournament.TournamentBegan(seats=seats) | tournament.RoundBegan(seats=seats):
                self._seat_all(seats, group)
            case tournament.SeatChanged(player_id=player_id, to=to) if player_id in self._robots:
                self._seat(player_id, to.table_id, group)
            case tournament.PlayerOut(player_id=player_id) if player_id in self._tables:
                self._seat(player_id, "", group)
            case tournament.TournamentEnded():
                self._seat_all((), group)
            case tournament.TournamentBreakBegan():
                for player_id in self._tables:
                    group.create_task(self._robots[player_id].take_break())
            case _:
                pass

    def _seat_all(self, seats: Sequence[tournament.TournamentSeat], group: asyncio.TaskGroup) -> None:
        wanted = {seat.player_id: seat.table_id for seat in seats}
        for player_id in self._robots:
            self._seat(player_id, wanted.get(player_id, ""), group)

    def _seat(self, player_id: str, table_id: str, group: asyncio.TaskGroup) -> None:
        """Go to a table, or home where there is none."""
        if self._tables.get(player_id, "") == table_id:
            return
        task = self._tasks.pop(player_id, None)
        if task is not None:
            task.cancel()
        if table_id:
            self._tables[player_id] = table_id
            self._tasks[player_id] = group.create_task(self._robots[player_id].play_at(table_id))
        else:
            self._tables.pop(player_id, None)
