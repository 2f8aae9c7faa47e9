"""After a restart, or a step that failed half-way: what the ledger has and the log has not is put into the log."""

import asyncio
from collections.abc import Sequence
from itertools import count

from services.orchestrator.application.shares import tournament_subject
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_names import table_name
from services.orchestrator.domain.booking import EntrantState, LedgerState, Standing
from services.orchestrator.domain.hand_for_hand import paid_places
from services.orchestrator.domain.seating import late_entries_open
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import (
    LateRegistrationClosed,
    PlaceChanged,
    PlayerOut,
    SeatChanged,
    TableBroken,
    TournamentEnded,
    TournamentEvent,
    TournamentSeat,
)
from services.orchestrator.ports import Ledger, TournamentTables
from shared.kernel.errors import DomainError, Reason


class TournamentAgreement:
    """Compares a tournament's log with the ledger, the truth between hands."""

    def __init__(self, books: TournamentBooks, ledger: Ledger, tables: TournamentTables) -> None:
        """Compare with this ledger; the tables know which hands are in progress."""
        self._books = books
        self._ledger = ledger
        self._tables = tables
        self._looks = count(1)

    async def state(self, tournament_id: str) -> Tournament:
        """The state of a tournament, compared with the ledger if that was not done yet. Hold the lock."""
        state = await self._books.state(tournament_id)
        floor = self._books.floor(tournament_id)
        if state.ended:
            return state
        await self._direct(tournament_id)
        if floor.agreed and not (floor.placed_meanwhile and late_entries_open(state)):
            return await self._with_places(state)
        floor.placed_meanwhile.clear()
        ledger_tournament = await self._ledger.get_tournament(tournament_id)
        standings = await self._ledger.get_standings(tournament_id)
        if floor.playing is None:
            floor.playing = {table_id for table_id in state.tables if await self._tables.hand_in_progress(table_id)}
        floor.paid_places = paid_places(ledger_tournament.prizes_minor, state.rules.tournament)
        moving = ledger_tournament.round == state.round  # else the next round's seats are drawn again, the same ones
        floor.deciding = {each.player_id for each in standings if each.state is EntrantState.DECIDING}
        events = missing_events(state, standings, moving=moving)
        if late_entries_open(state) and not ledger_tournament.late_entries_open:
            events.append(LateRegistrationClosed())
        events += ending(state, ledger_tournament.state, standings)
        if events:
            state = await self._books.append(tournament_id, state, events)
        entered = unseated(state, standings)
        held = {each for each in entered if each in state.players and state.players[each].table_id in floor.playing}
        floor.unseated = tuple(each for each in entered if each not in held)
        await self.open_tables(state)
        floor.agreed = not held  # the hand that excluded them is booked soon
        return state

    async def _direct(self, tournament_id: str) -> None:
        """Tell the ledger that this process directs from now on, before it is compared with: nobody else's steps count.

        Whoever asks last directs. Where this process stood still before it asked, the owner is refused once and asks
        again; what a process does that stood still after it asked is refused.
        """
        for table_id in self._books.begin_term(tournament_id):
            await self._tables.poke(table_id)
        floor, term = self._books.floor(tournament_id), self._books.shares.term(tournament_subject(tournament_id))
        if term and not floor.agreed:
            await self._ledger.record_director(tournament_id, term, next(self._looks))
        floor.term = term or ""
        self._books.director_id(tournament_id)  # WriteConflict where that time as the owner is over by now

    async def _with_places(self, state: Tournament) -> Tournament:
        """Places that the ledger gave by itself, as it told them (rule 163)."""
        told = self._books.floor(state.tournament_id).placed_meanwhile
        outs = [each for each in told if each.player_id in state.players]
        told.clear()
        return await self._books.append(state.tournament_id, state, outs) if outs else state

    async def refuse_foreign_tables(self, tournament_id: str, table_ids: Sequence[str]) -> None:
        """Refuse with ALREADY_EXISTS where a table of these ids is not this tournament's."""
        for table_id in table_ids:
            if await self._tables.is_foreign(table_id, tournament_id):
                message = (
                    f"{tournament_id} needs the table id {table_id}, which a table of another game has: "
                    "announce the tournament under another id"
                )
                raise DomainError(Reason.ALREADY_EXISTS, message, {"kind": "table", "id": table_id})

    async def open_announced(self, table_id: str) -> bool:
        """Open a table that a tournament in play has and that is not open yet; False where none has it."""
        state = self._books.with_table(table_id)
        if state is not None:
            await open_table(self._tables, state, table_id)
        return state is not None

    async def open_tables(self, state: Tournament) -> None:
        """Open every table that is not open yet: one may have been left out when a step failed half-way."""
        if not state.ended:
            await asyncio.gather(*(open_table(self._tables, state, table_id) for table_id in state.tables))


async def open_table(tables: TournamentTables, state: Tournament, table_id: str) -> None:
    """Open a table of the tournament; opening it again changes nothing."""
    name = table_name(state.name, table_id)
    await tables.open_tournament_table(table_id, name, state.tournament_id, state.rules, state.terms.stakes)


def unseated(state: Tournament, standings: tuple[Standing, ...]) -> tuple[str, ...]:
    """Players who entered late, or again, and have no seat yet (rules 200, 201).

    Whoever entered again before the log had the exclusion is in the old seat, as far as the log knows, and in none.
    """
    again = state.rules.tournament.re_entry_max_count > 0
    return tuple(
        sorted(
            each.player_id
            for each in standings
            if each.state is EntrantState.PLAYING
            and not each.table_id
            and (again or each.player_id not in state.players)
        )
    )


def missing_events(state: Tournament, standings: tuple[Standing, ...], *, moving: bool = True) -> list[TournamentEvent]:
    """Places and moves that the ledger has and the log has not; tables that were left empty by such moves."""
    events: list[TournamentEvent] = []
    told = state.places()
    tables = {player.table_id for player in state.players.values()}
    for standing in standings:
        player = state.players.get(standing.player_id)
        if player is None:
            if standing.state is EntrantState.PLAYING and standing.table_id:
                events.append(_moved("", standing))  # a late entry whose seat did not come into the log
            elif standing.place and told.get(standing.player_id, standing.place) != standing.place:
                events.append(PlaceChanged(player_id=standing.player_id, place=standing.place))
            continue
        if standing.state in {EntrantState.OUT, EntrantState.WINNER} and standing.place:
            events.append(placed(standing))
        elif moving and standing.table_id and (standing.table_id, standing.seat) != (player.table_id, player.seat):
            events.append(_moved(player.table_id, standing))
    moves = [event for event in events if isinstance(event, SeatChanged)]
    if moves:
        left = {player.player_id: player.table_id for player in state.players.values()}
        left |= {event.player_id: event.to.table_id for event in moves}
        empty = tables & {event.from_table_id for event in moves} - set(left.values())
        events += [TableBroken(table_id=table_id) for table_id in sorted(empty)]
    return events


def placed(standing: Standing) -> PlayerOut:
    """The event of a place that the ledger gave."""
    return PlayerOut(player_id=standing.player_id, place=standing.place, prize_minor=standing.prize_minor)


def ending(
    state: Tournament, ledger_state: LedgerState | None, standings: tuple[Standing, ...]
) -> list[TournamentEvent]:
    """The event of the end, where the ledger says that it has come."""
    if state.ended or ledger_state not in {LedgerState.FINISHED, LedgerState.CANCELLED}:
        return []
    cancelled = ledger_state is LedgerState.CANCELLED
    winner = "" if cancelled else winner_of(standings)
    return [TournamentEnded(winner_player_id=winner, cancelled=cancelled)]


def winner_of(standings: tuple[Standing, ...]) -> str:
    """The winner of a finished event."""
    by_place = [each.player_id for each in standings if each.place == 1]
    by_state = [each.player_id for each in standings if each.state is EntrantState.WINNER]
    return next(iter(by_place or by_state), "")


def _moved(from_table_id: str, standing: Standing) -> SeatChanged:
    to = TournamentSeat(table_id=standing.table_id, seat=standing.seat, player_id=standing.player_id)
    return SeatChanged(player_id=standing.player_id, from_table_id=from_table_id, to=to, draw_id="")
