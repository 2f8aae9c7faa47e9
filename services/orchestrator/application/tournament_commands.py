"""What callers may ask of a tournament in play: start, pause, resume, look. Each command has its effect once."""

from collections.abc import Callable

from services.orchestrator.application.tournament_agreement import TournamentAgreement
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_start import TournamentStart
from services.orchestrator.application.tournament_steps import poke_waiting
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import TournamentEvent, TournamentPaused, TournamentResumed
from services.orchestrator.domain.tournament_view import PlayState, TournamentView, view_of
from services.orchestrator.ports import TournamentTables
from shared.kernel.errors import DomainError, Reason
from shared.storage.requests import RequestKey
from shared.storage.to_its_end import to_its_end

Decide = Callable[[Tournament], TournamentEvent]
"""The event that a command is worth in a state, or its refusal."""


class TournamentCommands:
    """Carries out the commands of the contract."""

    def __init__(
        self, books: TournamentBooks, start: TournamentStart, agreement: TournamentAgreement, tables: TournamentTables
    ) -> None:
        """Start tournaments with this, wake these tables."""
        self._books = books
        self._agreement = agreement
        self._start = start
        self._tables = tables

    async def start(self, tournament_id: str, command: RequestKey) -> TournamentView:
        """Start a tournament that has its entrants."""
        return await to_its_end(self._start_once(tournament_id, command))

    async def note_connection(
        self, tournament_id: str, player_id: str, command: RequestKey, *, connected: bool
    ) -> None:
        """An entrant is not connected, or connected again, before play begins (rule 148)."""
        await to_its_end(self._start.note_connection(tournament_id, player_id, command, connected=connected))

    async def pause(self, tournament_id: str, expected_version: int, command: RequestKey) -> TournamentView:
        """Stop all tables after their hands, and the clock of the levels."""
        return await to_its_end(self._once(tournament_id, expected_version, command, _paused))

    async def resume(self, tournament_id: str, expected_version: int, command: RequestKey) -> TournamentView:
        """Let a paused tournament go on."""
        return await to_its_end(self._once(tournament_id, expected_version, command, _resumed))

    async def view(self, tournament_id: str) -> TournamentView:
        """A tournament as it is being played."""
        return view_of(await self._books.state(tournament_id))

    async def _start_once(self, tournament_id: str, command: RequestKey) -> TournamentView:
        known = await self._answered(tournament_id, command)
        if known is not None:  # the first call may not have come to opening the tables
            await self._agreement.open_tables(await self._books.state(tournament_id))
            return known
        try:
            return view_of(await self._start.start(tournament_id, command))
        except DomainError as refusal:
            async with self._books.locked(tournament_id):
                known = await self._answered(tournament_id, command)  # the same command, at the same time
                if known is None:
                    await self._books.refused(tournament_id, command, refusal)
                    raise
            return known

    async def _once(
        self, tournament_id: str, expected_version: int, command: RequestKey, decide: Decide
    ) -> TournamentView:
        async with self._books.locked(tournament_id):
            known = await self._answered(tournament_id, command)
            if known is not None:
                return known
            try:
                state = await self._current(tournament_id, expected_version)
                view = view_of(await self._books.append(tournament_id, state, [decide(state)], command))
            except DomainError as refusal:
                known = await self._answered(tournament_id, command)  # by another process, since we looked
                if known is None:
                    await self._books.refused(tournament_id, command, refusal)
                    raise
                return known
        await poke_waiting(self._books, self._tables, tournament_id)
        return view

    async def _answered(self, tournament_id: str, command: RequestKey) -> TournamentView | None:
        """The first answer again, where the command was carried out before."""
        version = await self._books.answered(command)
        return None if version is None else view_of(await self._books.state_at(tournament_id, version))

    async def _current(self, tournament_id: str, expected_version: int) -> Tournament:
        state = await self._books.state(tournament_id)
        if expected_version not in {0, state.version}:
            message = f"the tournament is at version {state.version}, not {expected_version}: read it and decide anew"
            keys = {"expected": str(expected_version), "current": str(state.version)}
            raise DomainError(Reason.VERSION_CONFLICT, message, keys)
        if state.ended:
            raise _wrong_state(PlayState.FINISHED, PlayState.PLAYING)
        return state


def _paused(state: Tournament) -> TournamentEvent:
    if state.paused_at is not None:
        raise _wrong_state(PlayState.PAUSED, PlayState.PLAYING)
    return TournamentPaused()


def _resumed(state: Tournament) -> TournamentEvent:
    if state.paused_at is None:
        raise _wrong_state(view_of(state).state, PlayState.PAUSED)
    return TournamentResumed()


def _wrong_state(state: PlayState, needed: PlayState) -> DomainError:
    message = f"{_IN_WORDS[state]} ({state}): this is possible only while {_IN_WORDS[needed]} ({needed})"
    return DomainError(Reason.TOURNAMENT_STATE, message, {"state": state.value, "needed": needed.value})


_IN_WORDS = {
    PlayState.PLAYING: "the tournament is being played",
    PlayState.BREAK: "the tournament is in a break",
    PlayState.PAUSED: "the tournament is paused",
    PlayState.FINISHED: "the tournament is over",
}
