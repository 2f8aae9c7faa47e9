"""Rounds of matches and of hand for hand: lots at the dealer, the record at the ledger, then the events.

The ledger is told first; done again after a kill, every step has the same answer (rules 155-158, 185, 186, 205).
"""

from collections.abc import Iterable, Sequence

from services.orchestrator.application.tournament_agreement import ending, open_table
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_names import final_table_id, table_id_of
from services.orchestrator.domain import levels, seating
from services.orchestrator.domain.booking import LedgerState, Match, Placement, SeatAssignment
from services.orchestrator.domain.hand_for_hand import BeginHandForHand, EndHandForHand
from services.orchestrator.domain.rounds import BeginRound, DrawQualifiers
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import (
    HandForHandRoundBegan,
    HandForHandRoundEnded,
    MatchEnded,
    PlayerOut,
    QualifiersDrawn,
    RoundBegan,
    TournamentEvent,
    TournamentSeat,
)
from services.orchestrator.ports import Clock, Dealer, Ledger, TournamentTables
from shared.kernel.rules import RoundStack

RoundStep = DrawQualifiers | BeginRound | BeginHandForHand | EndHandForHand


class TournamentRounds:
    """Carries out what rounds ask for."""

    def __init__(
        self, books: TournamentBooks, dealer: Dealer, ledger: Ledger, tables: TournamentTables, clock: Clock
    ) -> None:
        """Draw lots at this dealer, record at this ledger, open tables here."""
        self._books = books
        self._dealer = dealer
        self._ledger = ledger
        self._tables = tables
        self._clock = clock

    async def take(self, state: Tournament, step: RoundStep) -> None:
        """Take one step. Hold the tournament's lock."""
        match step:
            case DrawQualifiers():
                await self._draw(state, step)
            case BeginRound(number):
                await self._begin_round(state, number)
            case BeginHandForHand(number):
                await self._books.append(state.tournament_id, state, [HandForHandRoundBegan(round=number)])
            case EndHandForHand(number):
                await self._end_hand_for_hand(state, number)

    async def _draw(self, state: Tournament, step: DrawQualifiers) -> None:
        """Lots decide who of equal players reaches the next round (rule 156)."""
        table_id = step.table_id
        lots = await self._dealer.draw_lots("qualifiers", state.tournament_id, sorted(step.player_ids), table_id)
        placements, match = await self._ledger.record_lots(
            state.tournament_id, table_id, lots.drawn, lots.draw_id, self._books.director_id(state.tournament_id)
        )
        qualified = tuple(each for each in match.qualified_player_ids if each in step.player_ids)
        drawn = QualifiersDrawn(table_id=table_id, qualified_player_ids=qualified, draw_id=lots.draw_id)
        await self._books.append(state.tournament_id, state, [drawn, *_out(state, placements)])

    async def _begin_round(self, state: Tournament, number: int) -> None:
        """Everybody who is left draws a seat at a new table (rules 187, 205)."""
        players = sorted(state.players)
        lots = await self._dealer.draw_lots("seats", state.tournament_id, players, f"round{number}")
        count = seating.tables_needed(len(players), state.seats_per_table)
        seats = seating.first_seats(lots.drawn, _new_tables(state, count))
        director_id = self._books.director_id(state.tournament_id)
        begun = await self._ledger.start_round(
            state.tournament_id, number, _assignments(seats), lots.draw_id, director_id
        )
        events: list[TournamentEvent] = [RoundBegan(round=number, seats=seats, draw_id=lots.draw_id)]
        if state.rules.tournament.round_stack is RoundStack.RESET:
            events.append(levels.level_began(state.rules.tournament, 1, self._clock.now()))
        events += ended_matches(begun.matches)
        old = tuple(state.tables)
        state = await self._books.append(state.tournament_id, state, events)
        for table_id in state.tables:
            await open_table(self._tables, state, table_id)
        for table_id in old:
            await self._tables.close_table(table_id)

    async def _end_hand_for_hand(self, state: Tournament, number: int) -> None:
        """The exclusions of all tables get their places; each table hears of them with its next sheet."""
        director_id = self._books.director_id(state.tournament_id)
        booked = await self._ledger.end_hand_for_hand_round(state.tournament_id, number, director_id)
        events: list[TournamentEvent] = [*_out(state, booked.placements), HandForHandRoundEnded(round=number)]
        if booked.state in {LedgerState.FINISHED, LedgerState.CANCELLED}:
            events += ending(state, booked.state, await self._ledger.get_standings(state.tournament_id))
        await self._books.append(state.tournament_id, state, events)


def _out(state: Tournament, placements: Iterable[Placement]) -> list[PlayerOut]:
    """Events of places."""
    return [
        PlayerOut(player_id=each.player_id, place=each.place, prize_minor=each.prize_minor)
        for each in placements
        if each.player_id in state.players
    ]


def ended_matches(matches: Iterable[Match]) -> list[TournamentEvent]:
    """The events of matches that are over."""
    return [
        MatchEnded(
            table_id=each.table_id,
            qualified_player_ids=each.qualified_player_ids,
            lots_player_ids=each.lots_player_ids,
            lots_count=each.lots_count,
        )
        for each in matches
        if each.over
    ]


def _assignments(seats: Sequence[TournamentSeat]) -> list[SeatAssignment]:
    return [SeatAssignment(player_id=each.player_id, table_id=each.table_id, seat=each.seat) for each in seats]


def _new_tables(state: Tournament, count: int) -> Sequence[str]:
    """Tables that were not used in this tournament; the last round is played at the final table."""
    if count == 1:
        return [final_table_id(state.tournament_id)]
    first = state.tables_opened_count + 1
    return [table_id_of(state.tournament_id, number) for number in range(first, first + count)]
