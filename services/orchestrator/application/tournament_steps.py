"""Taking the steps that a tournament needs between hands: levels, breaks, moves. Hold the tournament's lock."""

from collections.abc import Set as AbstractSet
from datetime import timedelta

from services.orchestrator.application.tournament_agreement import open_table
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_moves import TournamentMoves
from services.orchestrator.application.tournament_names import final_table_id
from services.orchestrator.application.tournament_rounds import TournamentRounds
from services.orchestrator.domain import levels, seating
from services.orchestrator.domain.hand_for_hand import BeginHandForHand, EndHandForHand, paid_places
from services.orchestrator.domain.rounds import BeginRound, DrawQualifiers
from services.orchestrator.domain.sheet import WaitReason
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import TournamentBreakBegan, TournamentBreakEnded
from services.orchestrator.domain.tournament_step import (
    BeginBreak,
    BeginLevel,
    EndBreak,
    Sight,
    Step,
    next_step,
)
from services.orchestrator.ports import Clock, Ledger, TournamentTables


class TournamentSteps:
    """Carries out one step at a time."""

    def __init__(
        self,
        books: TournamentBooks,
        moves: TournamentMoves,
        rounds: TournamentRounds,
        ledger: Ledger,
        tables: TournamentTables,
        clock: Clock,
    ) -> None:
        """Record at this ledger, open tables here."""
        self._rounds = rounds
        self._books = books
        self._moves = moves
        self._ledger = ledger
        self._tables = tables
        self._clock = clock

    async def unless_spared(self, state: Tournament, table_id: str, step: Step, sight: Sight) -> Step:
        """The step; where tables tie for being broken, what lots leave to this one (rule 188).

        A table that is drawn may wait since before it was to be broken: it looks again, or nobody would break it.
        Where several are too many each of the drawn ones is broken as soon as it is between hands.
        """
        if not isinstance(step, seating.Break):
            return step
        drawn = await self._moves.drawn_to_break(state, step)
        if table_id in drawn:
            return step
        for each in drawn:
            if self._books.floor(state.tournament_id).waiting.pop(each, None) is not None:
                await self._tables.poke(each)
        return next_step(state, table_id, sight, spared=True)

    async def take(self, state: Tournament, table_id: str, step: Step) -> None:
        """Take a step that changes the tournament; where it fails half-way, log and ledger are compared anew."""
        floor = self._books.floor(state.tournament_id)
        agreed, floor.agreed = floor.agreed, False
        match step:
            case BeginLevel(level):
                await self._begin_level(state, level)
            case BeginBreak(length_seconds):
                until = self._clock.now() + timedelta(seconds=length_seconds)
                await self._books.append(state.tournament_id, state, [TournamentBreakBegan(until=until)])
            case EndBreak():
                await self._books.append(state.tournament_id, state, [TournamentBreakEnded()])
            case seating.Move():
                await self._moves.move(state, step)
            case seating.Break():
                await self._moves.break_table(state, table_id)
            case seating.FinalTable():
                await self._gather(state)
            case DrawQualifiers() | BeginRound() | BeginHandForHand() | EndHandForHand():
                await self._rounds.take(state, step)
            case _:
                raise TypeError(f"{type(step).__name__} is nothing that changes a tournament")
        floor.agreed = agreed

    async def seat_newcomers(self, state: Tournament) -> None:
        """Seat one of those who entered late, and open the table where there was none (rule 200)."""
        floor = self._books.floor(state.tournament_id)
        waiting, agreed, floor.agreed = floor.unseated, floor.agreed, False
        player_id, table_id = await self._moves.seat_newcomer(state, waiting)
        state = await self._books.state(state.tournament_id)
        await open_table(self._tables, state, table_id)
        floor.unseated = tuple(each for each in waiting if each != player_id)
        floor.agreed = agreed

    async def _begin_level(self, state: Tournament, level: int) -> None:
        director_id = self._books.director_id(state.tournament_id)
        await self._ledger.record_level(state.tournament_id, level, state.round, director_id)
        await self._prizes_may_be_fixed(state)
        await self._books.append(
            state.tournament_id, state, [levels.level_began(state.rules.tournament, level, self._clock.now())]
        )

    async def _prizes_may_be_fixed(self, state: Tournament) -> None:
        """With a level purchases may end, and then the prize table is frozen (rule 176)."""
        floor = self._books.floor(state.tournament_id)
        if not floor.paid_places:
            found = await self._ledger.get_tournament(state.tournament_id)
            floor.paid_places = paid_places(found.prizes_minor, state.rules.tournament)

    async def _gather(self, state: Tournament) -> None:
        await self._moves.gather(state)
        await open_table(self._tables, state, final_table_id(state.tournament_id))


HELD_FOR_OTHERS = frozenset({WaitReason.BREAK, WaitReason.BALANCING, WaitReason.HAND_FOR_HAND, WaitReason.ROUND})
"""Reasons for which a table waits until the others are between hands."""


async def poke_waiting(
    books: TournamentBooks,
    tables: TournamentTables,
    tournament_id: str,
    but: str = "",
    reasons: AbstractSet[WaitReason] = frozenset(WaitReason),
) -> None:
    """Let every table that waits for one of these reasons look again, but for one table."""
    for table_id in books.no_longer_waiting(tournament_id, but, reasons):
        await tables.poke(table_id)
