"""The director: owns the clock, levels, breaks, seats and moves of tournaments, and decides them between hands.

Every step derives from the tournament's log and is safe to take again, so that a kill at any point loses nothing.
"""

from itertools import count
from typing import Final

from services.orchestrator.application.tournament_agreement import TournamentAgreement, ending, missing_events
from services.orchestrator.application.tournament_books import Floor, TournamentBooks
from services.orchestrator.application.tournament_rounds import ended_matches
from services.orchestrator.application.tournament_steps import HELD_FOR_OTHERS, TournamentSteps, poke_waiting
from services.orchestrator.domain.booking import BookedHand, HandToBook, LedgerSheet, LedgerState
from services.orchestrator.domain.hand_for_hand import begins
from services.orchestrator.domain.seating import late_entries_open
from services.orchestrator.domain.sheet import HandBooked, HandBooking, Sheet, WaitReason
from services.orchestrator.domain.sheet_reading import misplaced_players, sheet_without_seats, tournament_sheet
from services.orchestrator.domain.tournament import Tournament
from services.orchestrator.domain.tournament_facts import HandForHandRoundBegan, HandPlayed, PlayerOut, TournamentEvent
from services.orchestrator.domain.tournament_step import AskLedger, CloseTable, Hold, Sight, Step, next_step
from services.orchestrator.ports import Clock, Ledger, ServiceAway, TournamentTables
from shared.kernel.errors import DomainError, Reason

REFUSALS_MAX: Final = 5
"""So often a table looks again at once."""
LEDGER: Final = "tournament_ledger"


class Director:
    """Rules between the hands of tournament tables."""

    def __init__(
        self,
        books: TournamentBooks,
        steps: TournamentSteps,
        agreement: TournamentAgreement,
        ledger: Ledger,
        tables: TournamentTables,
        clock: Clock,
    ) -> None:
        """Put together from what it does and whom it asks."""
        self._books = books
        self._steps = steps
        self._agreement = agreement
        self._ledger = ledger
        self._tables = tables
        self._clock = clock
        self._looks = count(1)

    async def open_sheet(self, tournament_id: str, table_id: str, hand_number: int) -> Sheet:
        """What the next hand of a table starts from, once nothing else has to be done first."""
        steps_taken = 0
        while (answer := await self._look(tournament_id, table_id, hand_number)) is None:
            steps_taken += 1
        if steps_taken:
            await poke_waiting(self._books, self._tables, tournament_id, table_id)
        return answer

    async def record_hand(self, tournament_id: str, table_id: str, booking: HandBooking) -> HandBooked:
        """Book a hand of a table; places that it decides are given, and the end of the event is noticed."""
        booked = await self._booked(tournament_id, table_id, booking)
        async with self._books.locked(tournament_id):
            state = await self._agreement.state(tournament_id)
            floor = self._books.floor(tournament_id)
            if floor.playing is not None:
                floor.playing.discard(table_id)
            floor.without_sheet.add(table_id)
            floor.deciding.update(booked.deciding_player_ids)
            events = await self._hand_events(state, table_id, booking, booked)
            if events:
                state = await self._books.append(tournament_id, state, events)
            if booked.placements and late_entries_open(state):  # one of them may have entered again by now
                floor.agreed = False
            if begins(state, floor.paid_places):  # at once: the hands that are running belong to the round (rule 186)
                number = state.hand_for_hand_ended + 1
                await self._books.append(tournament_id, state, [HandForHandRoundBegan(round=number)])
        await poke_waiting(self._books, self._tables, tournament_id, table_id)
        return HandBooked(
            placements=booked.placements,
            deciding_player_ids=booked.deciding_player_ids,
            state=booked.state,
            players_left=booked.players_left,
        )

    async def _booked(self, tournament_id: str, table_id: str, booking: HandBooking) -> BookedHand:
        """The ledger's answer; a hand that was still running when the event ended elsewhere counts for nothing."""
        state = await self._books.state(tournament_id)
        try:
            return await self._ledger.record_hand(_to_book(tournament_id, table_id, booking, state.hand_for_hand_round))
        except DomainError as refused:
            if refused.reason is not Reason.TOURNAMENT_STATE:
                raise
            over = await self._ledger.get_tournament(tournament_id)
            async with self._books.locked(tournament_id):
                self._books.floor(tournament_id).agreed = False
            return BookedHand(placements=(), state=over.state, players_left=0, deciding_player_ids=())

    # --- between hands ----------------------------------------------------------------------

    async def _look(self, tournament_id: str, table_id: str, hand_number: int) -> Sheet | None:
        """One step; None: look again."""
        async with self._books.locked(tournament_id):
            floor = self._books.floor(tournament_id)
            agreed_before = floor.agreed
            state = await self._agreement.state(tournament_id)
            playing = floor.playing if floor.playing is not None else set[str]()
            bound = await self._tables.hand_in_progress(table_id)
            (playing.add if bound else playing.discard)(table_id)
            floor.waiting.pop(table_id, None)
            if floor.unseated and not state.ended:
                await self._steps.seat_newcomers(state)
                return None
            sight = Sight(self._clock.now(), frozenset(playing), _stuck(floor), floor.paid_places)
            step = next_step(state, table_id, sight, bound=bound)
            step = await self._steps.unless_spared(state, table_id, step, sight)
            if isinstance(step, CloseTable):
                return sheet_without_seats(state, table_id, None)
            if isinstance(step, Hold):
                if not await self._sheet_withdrawn(state, table_id, hand_number):
                    return None
                floor.waiting[table_id] = step.wait.reason
                return sheet_without_seats(state, table_id, step.wait)
            if not isinstance(step, AskLedger):
                await self._take(state, table_id, step, agreed_before=agreed_before)
                return None
            playing.add(table_id)
            floor.without_sheet.discard(table_id)
        return await self._ask_ledger(tournament_id, table_id, hand_number, bound=bound)

    async def _sheet_withdrawn(self, state: Tournament, table_id: str, hand_number: int) -> bool:
        """A table that is held has no open sheet: nothing is frozen, and in a pause a deal may be proposed (rule 203).

        The ledger may have opened one whose answer was lost, before this process began too. False where it has changed
        meanwhile, or another process said that it directs: look again. Hold the lock.
        """
        tournament_id, floor = state.tournament_id, self._books.floor(state.tournament_id)
        if table_id in floor.without_sheet:
            return True
        director_id = self._books.director_id(tournament_id)
        version = (await self._ledger.get_tournament(tournament_id)).version
        try:
            await self._ledger.withdraw_sheet(tournament_id, table_id, hand_number, version, director_id)
        except DomainError as refused:
            self._look_again(tournament_id, table_id, refused)
            return False
        floor.refusals.pop(table_id, None)
        floor.without_sheet.add(table_id)
        return True

    async def _take(self, state: Tournament, table_id: str, step: Step, *, agreed_before: bool) -> None:
        """Take a step. A refusal means that the ledger knows more, as of a place it gave: compare and look again."""
        try:
            await self._steps.take(state, table_id, step)
        except ServiceAway:
            raise
        except DomainError:
            if not agreed_before:  # log and ledger were compared just now
                raise

    async def _ask_ledger(self, tournament_id: str, table_id: str, hand_number: int, *, bound: bool) -> Sheet | None:
        look = f"{self._clock.now().isoformat()}#{next(self._looks)}"
        answer: Sheet | None = None
        try:
            director_id = self._books.director_id(tournament_id)
            sheet = await self._ledger.open_sheet(tournament_id, table_id, hand_number, look, director_id)
            self._books.floor(tournament_id).refusals.pop(table_id, None)
            answer = await self._read(tournament_id, table_id, sheet)
        except DomainError as refused:
            self._look_again(tournament_id, table_id, refused)
        finally:
            if not bound and (answer is None or answer.wait is not None):
                self._stands_still(tournament_id, table_id)
        if answer is not None and answer.wait is not None:
            self._books.floor(tournament_id).waiting[table_id] = answer.wait.reason
            await poke_waiting(self._books, self._tables, tournament_id, table_id, HELD_FOR_OTHERS)
        return answer

    def _look_again(self, tournament_id: str, table_id: str, refused: DomainError) -> None:
        """Something else was changed first, or another process said that it directs: who is it?

        Said again and again it is no change, as where a prize does not fit into a wallet: the table waits.
        """
        if refused.reason is not Reason.VERSION_CONFLICT:
            raise refused
        floor = self._books.floor(tournament_id)
        floor.agreed = False
        floor.refusals[table_id] += 1
        if floor.refusals[table_id] > REFUSALS_MAX:
            floor.refusals.pop(table_id)
            raise ServiceAway(LEDGER) from refused

    def _stands_still(self, tournament_id: str, table_id: str) -> None:
        playing = self._books.floor(tournament_id).playing
        if playing is not None:
            playing.discard(table_id)

    async def _read(self, tournament_id: str, table_id: str, sheet: LedgerSheet) -> Sheet | None:
        """The table's sheet; None where the event is over, or a seat changed while we asked."""
        state = await self._books.state(tournament_id)
        over = sheet.state in {LedgerState.FINISHED, LedgerState.CANCELLED}
        if over or misplaced_players(state, table_id, sheet):
            if await self._catch_up(tournament_id, sheet.state):
                return None  # fewer players: the tables may have to be made even before this one deals
            if (await self._books.state(tournament_id)).version != state.version:
                return None  # the seat was changed while we asked
        return None if state.ended else tournament_sheet(state, table_id, sheet, self._clock.now())

    async def _catch_up(self, tournament_id: str, ledger_state: LedgerState | None) -> bool:
        """Places that the ledger gave by itself, as when a decision window ended unused (rule 163); were there any?"""
        async with self._books.locked(tournament_id):
            state = await self._agreement.state(tournament_id)
            if state.ended:
                return True
            standings = await self._ledger.get_standings(tournament_id)
            events = missing_events(state, standings) + ending(state, ledger_state, standings)
            if events:
                await self._books.append(tournament_id, state, events)
        if events:  # fewer players: a table that waited for others may have to be broken now
            await poke_waiting(self._books, self._tables, tournament_id)
        return bool(events)

    # --- after a hand -----------------------------------------------------------------------

    async def _hand_events(
        self, state: Tournament, table_id: str, booking: HandBooking, booked: BookedHand
    ) -> list[TournamentEvent]:
        """What a booked hand means to the tournament; nothing where it was counted before."""
        table = state.tables.get(table_id)
        if state.ended or table is None or booking.hand_number <= table.hands_played:
            return []
        events: list[TournamentEvent] = [
            HandPlayed(
                table_id=table_id,
                hand_number=booking.hand_number,
                players=booking.carries,
                hand_for_hand_round=booked.hand_for_hand_round,
            )
        ]
        events += [
            PlayerOut(player_id=each.player_id, place=each.place, prize_minor=each.prize_minor)
            for each in booked.placements
            if each.player_id in state.players
        ]
        events += ended_matches([] if booked.match is None else [booked.match])
        if booked.state in {LedgerState.FINISHED, LedgerState.CANCELLED}:
            events += ending(state, booked.state, await self._ledger.get_standings(state.tournament_id))
        return events


def _stuck(floor: Floor) -> frozenset[str]:
    """Tables that wait because too few of their players have chips."""
    few = {WaitReason.PLAYERS, WaitReason.DECIDING}
    return frozenset(table_id for table_id, reason in floor.waiting.items() if reason in few)


def _to_book(tournament_id: str, table_id: str, booking: HandBooking, hand_for_hand_round: int) -> HandToBook:
    return HandToBook(
        hand_id=booking.hand_id,
        tournament_id=tournament_id,
        table_id=table_id,
        hand_number=booking.hand_number,
        results=booking.results,
        rake_chips=booking.rake_chips,
        street_reached=booking.street_reached,
        feats=booking.feats,
        voided=booking.voided,
        hand_for_hand_round=hand_for_hand_round,
        deck_root=booking.deck_root,
    )
