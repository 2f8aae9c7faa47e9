"""Moving players between tables: lots at the dealer, the record at the ledger, then the event (rules 188-192).

The ledger is told first: a move that it took and the log does not have is found by comparing the two (see
``tournament_agreement``), and never made a second time.
"""

from collections.abc import Sequence

from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_names import final_table_id, table_id_of
from services.orchestrator.domain import seating
from services.orchestrator.domain.booking import SeatAssignment
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import SeatChanged, TableBroken, TournamentEvent, TournamentSeat
from services.orchestrator.ports import Dealer, Ledger

Place = tuple[str, int]
"""Table and seat."""


class TournamentMoves:
    """Carries out what the balance of the tables asks for."""

    def __init__(self, books: TournamentBooks, dealer: Dealer, ledger: Ledger) -> None:
        """Draw lots at this dealer, record at this ledger."""
        self._books = books
        self._dealer = dealer
        self._ledger = ledger

    async def move(self, state: Tournament, wanted: seating.Move) -> None:
        """Move one player to a shorter table (rule 189)."""
        players, _ = await self._draw(state, "move-player", wanted.player_ids)
        places, draw_id = await self._draw_places(state, "move-seat", wanted.seats)
        await self._books.append(state.tournament_id, state, [await self._place(state, players[0], places[0], draw_id)])

    async def seat_newcomer(self, state: Tournament, player_ids: Sequence[str]) -> tuple[str, str]:
        """Give one of those who entered late a seat by lot; answers who, and the table: a new one if all are full."""
        players, _ = await self._draw(state, "newcomer", player_ids)
        places, draw_id = await self._draw_places(state, "newcomer-seat", seating.seats_for_newcomers(state))
        opened = (table_id_of(state.tournament_id, state.tables_opened_count + 1), 1)
        place = places[0] if places else opened
        await self._books.append(state.tournament_id, state, [await self._place(state, players[0], place, draw_id)])
        return players[0], place[0]

    async def break_table(self, state: Tournament, table_id: str) -> None:
        """Let all players of a table draw seats elsewhere (rule 188)."""
        sitting = tuple(player.player_id for player in state.at_table(table_id))
        players, _ = await self._draw(state, "break-players", sitting)
        places, draw_id = await self._draw_places(state, "break-seats", seating.seats_elsewhere(state, table_id))
        counts = state.counts()
        events: list[TournamentEvent] = []
        for player_id in players:
            place = seating.next_seat(places, counts)
            places = tuple(each for each in places if each != place)
            counts[place[0]] += 1
            events.append(await self._place(state, player_id, place, draw_id))
        await self._books.append(state.tournament_id, state, [*events, TableBroken(table_id=table_id)])

    async def drawn_to_break(self, state: Tournament, tied: seating.Break) -> tuple[str, ...]:
        """Which of equally small tables are to be broken, by lot (rule 188)."""
        drawn, _ = await self._draw(state, "break-table", tied.table_ids, step=f"{len(state.tables)}")
        return drawn[: tied.count]

    async def gather(self, state: Tournament) -> None:
        """Seat everybody anew at the final table, a table of its own (rule 192)."""
        final = final_table_id(state.tournament_id)
        arriving = tuple(sorted(player.player_id for player in state.players.values() if player.table_id != final))
        players, draw_id = await self._draw(state, "final-table", arriving)
        free = seating.free_seats(state, final)
        events: list[TournamentEvent] = [
            await self._place(state, player_id, (final, seat), draw_id)
            for player_id, seat in zip(players, free, strict=False)
        ]
        events += [TableBroken(table_id=table_id) for table_id in state.tables if table_id != final]
        await self._books.append(state.tournament_id, state, events)

    async def _place(self, state: Tournament, player_id: str, place: Place, draw_id: str) -> SeatChanged:
        table_id, seat = place
        director_id = self._books.director_id(state.tournament_id)
        to = SeatAssignment(player_id=player_id, table_id=table_id, seat=seat)
        await self._ledger.record_move(state.tournament_id, to, draw_id, f"v{state.version}", director_id)
        known = state.players.get(player_id)
        return SeatChanged(
            player_id=player_id,
            from_table_id=known.table_id if known else "",
            to=TournamentSeat(table_id=table_id, seat=seat, player_id=player_id),
            draw_id=draw_id,
        )

    async def _draw_places(
        self, state: Tournament, purpose: str, places: Sequence[Place]
    ) -> tuple[tuple[Place, ...], str]:
        entries = {f"{table_id}/{seat}": (table_id, seat) for table_id, seat in places}
        drawn, draw_id = await self._draw(state, purpose, tuple(entries))
        return tuple(entries[entry] for entry in drawn), draw_id

    async def _draw(
        self, state: Tournament, purpose: str, entries: Sequence[str], step: str = ""
    ) -> tuple[tuple[str, ...], str]:
        """The entries in the order drawn; one entry alone needs no lots."""
        if len(entries) <= 1:
            return tuple(entries), ""
        lots = await self._dealer.draw_lots(purpose, state.tournament_id, entries, step or f"v{state.version}")
        return lots.drawn, lots.draw_id
