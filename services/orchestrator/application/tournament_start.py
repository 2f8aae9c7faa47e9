"""Starting a tournament: lots for the seats, the ledger's start of play, the first event, the tables (rules 160, 187).

Until the first event is in the log nothing of ours says that play began; done again after a kill, every step has the
same answer, because the lots are drawn over the entrants that the ledger froze.
"""

from collections.abc import Sequence

from services.orchestrator.application.tournament_agreement import TournamentAgreement
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_names import table_id_of
from services.orchestrator.application.tournament_rounds import ended_matches
from services.orchestrator.domain.booking import EntrantState, LedgerState, LedgerTournament, SeatAssignment
from services.orchestrator.domain.levels import level_began
from services.orchestrator.domain.seating import first_seats, tables_needed
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import TournamentBegan, TournamentEvent, TournamentSeat
from services.orchestrator.ports import Clock, Dealer, Ledger
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import Formula
from shared.storage.requests import RequestKey

_STARTABLE = {LedgerState.REGISTERING, LedgerState.RUNNING}
_ENTERED = {EntrantState.REGISTERED, EntrantState.PLAYING}


class TournamentStart:
    """Starts tournaments."""

    def __init__(
        self, books: TournamentBooks, agreement: TournamentAgreement, dealer: Dealer, ledger: Ledger, clock: Clock
    ) -> None:
        """Draw lots at this dealer, start play at this ledger."""
        self._books = books
        self._agreement = agreement
        self._dealer = dealer
        self._ledger = ledger
        self._clock = clock

    async def start(self, tournament_id: str, command: RequestKey | None = None) -> Tournament:
        """Start a tournament, or refuse with what is missing; the tables open at once."""
        async with self._books.locked(tournament_id):
            state = await self._begin(tournament_id, command)
        await self._agreement.open_tables(state)
        return state

    async def _begin(self, tournament_id: str, command: RequestKey | None) -> Tournament:
        began = await self._books.find(tournament_id)
        if began is not None:
            raise _wrong_state("FINISHED" if began.ended else "RUNNING", LedgerState.REGISTERING)
        announced = await self._ledger.get_tournament(tournament_id)
        players = await self._entrants(announced)
        lots = await self._dealer.draw_lots("seats", tournament_id, players, "start")
        count = tables_needed(len(players), announced.announcement.seats_per_table)
        _check_formula(announced, count)
        seats = first_seats(lots.drawn, [table_id_of(tournament_id, at) for at in range(1, count + 1)])
        started = await self._ledger.start_play(tournament_id, _assignments(seats), lots.draw_id)
        if started is not LedgerState.RUNNING:
            raise _wrong_state(started, LedgerState.RUNNING)
        first = TournamentBegan(
            seats=seats,
            draw_id=lots.draw_id,
            name=announced.announcement.name,
            seats_per_table=announced.announcement.seats_per_table,
            rules=announced.rules,
        )
        level = level_began(announced.rules.tournament, 1, self._clock.now())
        byes: list[TournamentEvent] = []
        if announced.rules.tournament.formula is Formula.ROUNDS:
            byes = ended_matches((await self._ledger.get_tournament(tournament_id)).matches)
        return await self._books.append(tournament_id, [first, level, *byes], command)

    async def _entrants(self, announced: LedgerTournament) -> list[str]:
        """Who takes part, in an order of their own, so that the same lots fall on the same players."""
        if announced.state not in _STARTABLE:
            raise _wrong_state(announced.state, LedgerState.REGISTERING)
        standings = await self._ledger.get_standings(announced.tournament_id)
        players = sorted(each.player_id for each in standings if each.state in _ENTERED)
        least = announced.announcement.entrants_min
        if announced.state is LedgerState.REGISTERING and len(players) < least:
            raise _wrong_state(f"{len(players)} entrants", f"{least} entrants")
        return players


def _check_formula(announced: LedgerTournament, tables_count: int) -> None:
    formula = announced.rules.tournament.formula
    if tables_count > 1 and formula is Formula.SINGLE_MATCH:
        raise DomainError(
            Reason.RULES_INVALID,
            f"{announced.entrants} entrants need {tables_count} tables, and the formula {formula} plays at one: "
            "announce it with MULTI_TABLE or ROUNDS, or with fewer entrants",
            {"formula": formula.value, "tables": str(tables_count)},
        )


def _assignments(seats: Sequence[TournamentSeat]) -> list[SeatAssignment]:
    return [SeatAssignment(player_id=seat.player_id, table_id=seat.table_id, seat=seat.seat) for seat in seats]


def _wrong_state(state: str, needed: str) -> DomainError:
    message = f"the tournament cannot start: it has {state}, needed is {needed}"
    return DomainError(Reason.TOURNAMENT_STATE, message, {"state": state, "needed": needed})
