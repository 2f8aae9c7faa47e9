"""Starting a tournament: lots for the seats, the ledger's start of play, the first event, the tables (rules 160, 187).

Until the first event is in the log nothing of ours says that play began; done again after a kill, every step has the
same answer, because the lots are drawn over the entrants that the ledger froze.
"""

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from services.orchestrator.application.changes_made import ChangesMade
from services.orchestrator.application.tournament_agreement import TournamentAgreement
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_names import final_table_id, table_id_of
from services.orchestrator.application.tournament_rounds import ended_matches
from services.orchestrator.domain.booking import EntrantState, LedgerState, LedgerTournament, SeatAssignment, Standing
from services.orchestrator.domain.levels import level_began
from services.orchestrator.domain.seating import chosen_seats, first_seats, tables_needed
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import TournamentBegan, TournamentEvent, TournamentSeat
from services.orchestrator.ports import Clock, Dealer, Ledger
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import Formula, NoShow, StartSeats
from shared.storage.requests import RequestKey

_STARTABLE = {LedgerState.REGISTERING, LedgerState.RUNNING}
_ENTERED = {EntrantState.REGISTERED, EntrantState.PLAYING}
TRIES: Final = 5
CONNECTIONS_PER_MINUTE_MAX: Final = 100
"""Of one player, in all tournaments: each is an answer that is kept, and whoever says it may say it again and again."""
ENTERED_KEPT_MAX: Final = 64


class _EntrantsChanged(Exception):  # noqa: N818  # read as a sentence: the entrants changed
    """Somebody entered, withdrew or chose a seat after the lots were drawn: they are drawn anew."""


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
        self._changes = ChangesMade()
        self._entered: OrderedDict[str, tuple[int, frozenset[str]]] = OrderedDict()
        """Who had entered the tournaments that were asked about last, by the version of the ledger."""

    async def start(self, tournament_id: str, command: RequestKey | None = None) -> Tournament:
        """Start a tournament, or refuse with what is missing; the tables open at once."""
        async with self._books.locked(tournament_id):
            state = await self._begin_over_all(tournament_id, command)
        await self._agreement.open_tables(state)
        return state

    async def _begin_over_all(self, tournament_id: str, command: RequestKey | None) -> Tournament:
        """Registration goes on until play begins: whoever enters while the lots are drawn has a lot, too."""
        for _ in range(TRIES):
            with suppress(_EntrantsChanged):
                return await self._begin(tournament_id, command)
        raise DomainError(
            Reason.VERSION_CONFLICT,
            f"others enter {tournament_id} faster than lots can be drawn: ask again",
            {"tournament_id": tournament_id},
        )

    async def _begin(self, tournament_id: str, command: RequestKey | None) -> Tournament:
        began = await self._books.find(tournament_id)
        if began is not None:
            raise _wrong_state("FINISHED" if began.ended else "RUNNING", LedgerState.REGISTERING)
        announced = await self._ledger.get_tournament(tournament_id)
        await self._agreement.refuse_foreign_tables(tournament_id, _table_ids(announced))
        gone = await self._books.entrants_gone(tournament_id)
        if announced.rules.clock.no_show is NoShow.REMOVE and announced.state is LedgerState.REGISTERING:
            announced = await self._remove(announced, gone)
        entrants = await self._entrants(announced)
        players = [each.player_id for each in entrants]
        lots = await self._dealer.draw_lots("seats", tournament_id, players, "start")
        count = tables_needed(len(players), announced.announcement.seats_per_table)
        _check_formula(announced, count)
        table_ids = [table_id_of(tournament_id, at) for at in range(1, count + 1)]
        if announced.rules.tournament.start_seats is StartSeats.CHOSEN:
            seats = chosen_seats(lots.drawn, _choices(entrants), table_ids)
        else:
            seats = first_seats(lots.drawn, table_ids)
        if command is None:  # as whoever asked for a start that was cut off, so that asking again gets its answer
            command = await self._books.start_cut_off(tournament_id)
        else:
            await self._books.note_start(tournament_id, command)
        started = await self._start_play(tournament_id, seats, lots.draw_id, entrants)
        if started is not LedgerState.RUNNING:
            raise _wrong_state(started, LedgerState.RUNNING)
        first = TournamentBegan(
            seats=seats,
            draw_id=lots.draw_id,
            name=announced.announcement.name,
            seats_per_table=announced.announcement.seats_per_table,
            rules=announced.rules,
            absent_player_ids=tuple(each for each in players if each in gone),
        )
        level = level_began(announced.rules.tournament, 1, self._clock.now())
        byes: list[TournamentEvent] = []
        if announced.rules.tournament.formula is Formula.ROUNDS:
            byes = ended_matches((await self._ledger.get_tournament(tournament_id)).matches)
        return await self._books.append(tournament_id, None, [first, level, *byes], command)

    async def _start_play(
        self, tournament_id: str, seats: Sequence[TournamentSeat], draw_id: str, entrants: Sequence[Standing]
    ) -> LedgerState:
        """At the ledger, which refuses seats that are not those of all who are registered."""
        try:
            return await self._ledger.start_play(tournament_id, _assignments(seats), draw_id)
        except DomainError as refusal:
            now = await self._entrants(await self._ledger.get_tournament(tournament_id))
            if refusal.reason is Reason.REQUEST_INVALID and _who(now) != _who(entrants):
                raise _EntrantsChanged from refusal
            raise

    async def note_connection(
        self, tournament_id: str, player_id: str, command: RequestKey, *, connected: bool
    ) -> None:
        """Remember whether an entrant is connected; only who is registered, and only before play begins (rule 148).

        Counted before it waits for the tournament: it goes on when its caller goes, and who starts play waits behind.
        """
        self._changes.one_more(player_id, 0, self._clock.now(), CONNECTIONS_PER_MINUTE_MAX)
        async with self._books.locked(tournament_id):
            if await self._books.answered(command) is not None:
                return
            announced = await self._ledger.get_tournament(tournament_id)
            if announced.state is not LedgerState.REGISTERING or await self._books.find(tournament_id) is not None:
                raise _wrong_state(announced.state, LedgerState.REGISTERING)
            if player_id not in await self._who_entered(tournament_id, announced.version):
                message = f"{player_id} is not registered for {tournament_id}: register first"
                raise DomainError(Reason.NOT_REGISTERED, message, {"player_id": player_id})
            await self._books.note_connection(tournament_id, player_id, command, connected=connected)

    async def _who_entered(self, tournament_id: str, version: int) -> frozenset[str]:
        """Read again where somebody came or went: whoever asks again and again has ten thousand lines read once."""
        known = self._entered.pop(tournament_id, None)
        if known is None or known[0] != version:
            standings = await self._ledger.get_standings(tournament_id)
            known = version, frozenset(each.player_id for each in standings if each.state in _ENTERED)
        self._entered[tournament_id] = known
        if len(self._entered) > ENTERED_KEPT_MAX:
            self._entered.popitem(last=False)
        return known[1]

    async def _remove(self, announced: LedgerTournament, gone: frozenset[str]) -> LedgerTournament:
        """Registered players who are not there are not seated; the fee goes back (rule 148, no_show)."""
        for each in await self._ledger.get_standings(announced.tournament_id):
            if each.state in _ENTERED and each.player_id in gone:
                await self._ledger.unregister(announced.tournament_id, each.player_id, announced.version)
        return await self._ledger.get_tournament(announced.tournament_id)

    async def _entrants(self, announced: LedgerTournament) -> list[Standing]:
        """Who takes part, in an order of their own, so that the same lots fall on the same players.

        Where the ledger began play before, and no answer came, those it seated: who entered late since has no seat.
        """
        if announced.state not in _STARTABLE:
            raise _wrong_state(announced.state, LedgerState.REGISTERING)
        standings = await self._ledger.get_standings(announced.tournament_id)
        began = announced.state is LedgerState.RUNNING
        entered = (each for each in standings if each.state in _ENTERED and (each.table_id or not began))
        players = sorted(entered, key=_player_id)
        least = announced.announcement.entrants_min
        if announced.state is LedgerState.REGISTERING and len(players) < least:
            raise _too_few(len(players), least)
        return players


def _player_id(standing: Standing) -> str:
    return standing.player_id


def _who(entrants: Sequence[Standing]) -> list[tuple[str, int, int]]:
    """Who takes part, and the seats that they chose."""
    return [(each.player_id, each.chosen_table, each.chosen_seat) for each in entrants]


def _choices(entrants: Sequence[Standing]) -> dict[str, tuple[int, int]]:
    """Seats chosen at the ledger: table number and seat."""
    return {each.player_id: (each.chosen_table, each.chosen_seat) for each in entrants if each.chosen_table}


def _table_ids(announced: LedgerTournament) -> list[str]:
    """The tables of the first hands, and the final table; OpenTable gives none of these ids to a cash table."""
    tournament_id, entrants = announced.tournament_id, max(announced.entrants, 1)
    count = tables_needed(entrants, announced.announcement.seats_per_table)
    return [*(table_id_of(tournament_id, at) for at in range(1, count + 1)), final_table_id(tournament_id)]


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
    now, only = f"{_IN_WORDS[state]} ({state})", f"{_IN_WORDS[needed]} ({needed})"
    message = f"the tournament {now}: this is possible only while it {only}"
    return DomainError(Reason.TOURNAMENT_STATE, message, {"state": state, "needed": needed})


_IN_WORDS = {
    "REGISTERING": "has not started and takes registrations",
    "RUNNING": "is being played",
    "FINISHED": "is over",
    "CANCELLED": "was cancelled",
}


def _too_few(entrants: int, least: int) -> DomainError:
    message = f"the tournament has {entrants} entrants and needs {least}: register more, or cancel it at the ledger"
    metadata = {"state": f"{entrants} entrants", "needed": f"{least} entrants"}
    return DomainError(Reason.TOURNAMENT_STATE, message, metadata)
