"""A ledger in memory: chips, places, decision windows and seats as the director sees them; strict as the real one."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from services.orchestrator.domain.booking import (
    AnnouncedTerms,
    BookedHand,
    EntrantState,
    HandToBook,
    LedgerSeat,
    LedgerSheet,
    LedgerState,
    LedgerTournament,
    Money,
    NumberedFact,
    Placement,
    SeatAssignment,
    Standing,
    StartKind,
)
from services.orchestrator.ports import Clock
from shared.kernel.errors import DomainError, Reason, not_found, out_of_step
from shared.kernel.rules import CashRules, RuleSet

_OUT = {EntrantState.OUT, EntrantState.WITHDRAWN, EntrantState.WINNER}


@dataclass
class LedgerDouble:
    """Implements ports.Ledger for tournaments."""

    clock: Clock
    tournaments: dict[str, LedgerTournament] = field(default_factory=dict[str, LedgerTournament])
    lines: dict[str, dict[str, Standing]] = field(default_factory=dict[str, dict[str, Standing]])
    answered: dict[tuple[object, ...], object] = field(default_factory=dict[tuple[object, ...], object])
    hands: dict[str, int] = field(default_factory=dict[str, int])
    """Hands booked at each table."""
    levels: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    moves: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    directors: dict[str, str] = field(default_factory=dict[str, str])
    """Who directs each tournament."""
    rebuys: set[str] = field(default_factory=set[str])
    """Players who will buy back within their window."""

    def announce(
        self,
        tournament_id: str,
        rules: RuleSet,
        players: Sequence[str],
        *,
        seats_per_table: int = 8,
        start: StartKind = StartKind.ON_COMMAND,
        starts_at: datetime | None = None,
        entrants_min: int = 2,
        entrants_max: int = 1000,
    ) -> None:
        terms = AnnouncedTerms(
            name=f"Event {tournament_id}",
            entrants_min=entrants_min,
            entrants_max=entrants_max,
            seats_per_table=seats_per_table,
            start=start,
            starts_at=starts_at,
        )
        self.tournaments[tournament_id] = LedgerTournament(
            tournament_id=tournament_id,
            announcement=terms,
            rules=rules,
            state=LedgerState.REGISTERING,
            entrants=0,
            players_left=0,
            prizes_minor=(),
            level=0,
            version=1,
        )
        self.lines[tournament_id] = {}
        for player_id in players:
            self.register(tournament_id, player_id)

    def register(self, tournament_id: str, player_id: str) -> int:
        self.lines[tournament_id][player_id] = Standing(
            player_id=player_id,
            state=EntrantState.REGISTERED,
            chips=0,
            reserve_chips=0,
            place=0,
            prize_minor=0,
            table_id="",
            seat=0,
            decides_until=None,
        )
        self._refresh(tournament_id)
        return self.tournaments[tournament_id].entrants

    async def get_tournament(self, tournament_id: str) -> LedgerTournament:
        found = self.tournaments.get(tournament_id)
        if found is None:
            raise not_found("tournament", tournament_id)
        return found

    async def list_tournaments(self, state: LedgerState) -> AsyncIterator[LedgerTournament]:
        for tournament in [each for each in self.tournaments.values() if each.state is state]:
            yield tournament

    async def get_standings(self, tournament_id: str) -> tuple[Standing, ...]:
        return tuple(self.lines[tournament_id].values())

    async def unregister(self, tournament_id: str, player_id: str, version: int) -> None:
        key = ("unregister", tournament_id, player_id, version)
        if key in self.answered:
            return
        self.answered[key] = True
        self.lines[tournament_id].pop(player_id, None)
        self._refresh(tournament_id)

    async def cancel_tournament(self, tournament_id: str, cause: str, version: int) -> None:
        del cause
        if version not in {0, self.tournaments[tournament_id].version}:
            raise DomainError(Reason.VERSION_CONFLICT, "the tournament is at another version")
        self._set(tournament_id, state=LedgerState.CANCELLED)

    async def start_play(self, tournament_id: str, seats: Sequence[SeatAssignment], draw_id: str) -> LedgerState:
        key = ("start_play", tournament_id, draw_id, *seats)
        if key in self.answered:
            return LedgerState.RUNNING
        tournament = self.tournaments[tournament_id]
        if tournament.state is not LedgerState.REGISTERING:
            raise DomainError(Reason.TOURNAMENT_STATE, "play has started")
        lines = self.lines[tournament_id]
        if {seat.player_id for seat in seats} != set(lines):
            raise DomainError(Reason.REQUEST_INVALID, f"seats: exactly the {len(lines)} players who are registered")
        assert len({(seat.table_id, seat.seat) for seat in seats}) == len(seats)
        chips = tournament.rules.tournament.starting_stack_chips
        for seat in seats:
            lines[seat.player_id] = replace(
                lines[seat.player_id],
                state=EntrantState.PLAYING,
                chips=chips,
                table_id=seat.table_id,
                seat=seat.seat,
            )
        self._set(tournament_id, state=LedgerState.RUNNING, level=1)
        self.levels[tournament_id] = [1]
        self.answered[key] = True
        return LedgerState.RUNNING

    async def record_hand(self, hand: HandToBook) -> BookedHand:
        key = ("record_hand", hand.hand_id)
        known = self.answered.get(key)
        if isinstance(known, BookedHand):
            return known
        if self.tournaments[hand.tournament_id].state is not LedgerState.RUNNING:
            raise DomainError(Reason.TOURNAMENT_STATE, "the tournament is over")
        if hand.hand_number != self.hands.get(hand.table_id, 0) + 1:
            raise out_of_step(f"hand {hand.hand_number}", "the next one")
        self.hands[hand.table_id] = hand.hand_number
        self._move_chips(hand)
        placements = self._settle(hand.tournament_id)
        tournament = self.tournaments[hand.tournament_id]
        deciding = [each.player_id for each in self.lines[hand.tournament_id].values() if each.decides_until]
        booked = BookedHand(
            placements=placements,
            state=tournament.state,
            players_left=tournament.players_left,
            deciding_player_ids=tuple(deciding),
        )
        self.answered[key] = booked
        return booked

    def _move_chips(self, hand: HandToBook) -> None:
        lines = self.lines[hand.tournament_id]
        assert sum(each.before_chips for each in hand.results) == sum(each.after_chips for each in hand.results)
        window = self.tournaments[hand.tournament_id].rules.tournament.rebuy
        for result in hand.results:
            line = lines[result.player_id]
            assert line.chips == result.before_chips, f"{line} does not start with {result.before_chips}"
            assert line.table_id == hand.table_id, f"{line} does not sit at {hand.table_id}"
            line = replace(line, chips=result.after_chips)
            if not line.chips:
                seconds = window.window_seconds if window.max_count else 0
                until = self.clock.now() + timedelta(seconds=seconds)
                line = replace(line, state=EntrantState.DECIDING, decides_until=until)
            lines[result.player_id] = line

    async def open_sheet(
        self, tournament_id: str, table_id: str, hand_number: int, look: str, director_id: str = ""
    ) -> LedgerSheet:
        del look
        self._check(tournament_id, director_id)
        self._settle(tournament_id)
        tournament = self.tournaments[tournament_id]
        if tournament.state is LedgerState.RUNNING and hand_number != self.hands.get(table_id, 0) + 1:
            raise out_of_step(f"hand {hand_number}", "the next one")
        seats = [
            LedgerSeat(
                seat=line.seat,
                player_id=line.player_id,
                chips=line.chips,
                reserve_chips=0,
                decides_until=line.decides_until,
            )
            for line in self.lines[tournament_id].values()
            if line.table_id == table_id and line.state not in _OUT
        ]
        terms = tournament.rules.tournament.levels[tournament.level - 1]
        return LedgerSheet(
            seats=tuple(seats) if tournament.state is LedgerState.RUNNING else (),
            level=tournament.level,
            stakes=terms.stakes,
            state=tournament.state,
            players_left=tournament.players_left,
        )

    async def withdraw_sheet(
        self, tournament_id: str, table_id: str, hand_number: int, version: int, director_id: str
    ) -> None:
        del table_id, hand_number
        self._check(tournament_id, director_id)
        if version != self.tournaments[tournament_id].version:
            raise DomainError(Reason.VERSION_CONFLICT, "the tournament is at another version")

    def rebuy(self, tournament_id: str, player_id: str) -> None:
        line = self.lines[tournament_id][player_id]
        assert line.state is EntrantState.DECIDING
        chips = self.tournaments[tournament_id].rules.tournament.starting_stack_chips
        self.lines[tournament_id][player_id] = replace(
            line, state=EntrantState.PLAYING, chips=chips, decides_until=None
        )
        self._refresh(tournament_id)

    async def record_director(self, tournament_id: str, director_id: str, look: int) -> None:
        key = ("record_director", tournament_id, director_id, look)
        if key not in self.answered:
            self.directors[tournament_id] = director_id
        self.answered[key] = True

    def _check(self, tournament_id: str, director_id: str) -> None:
        if director_id and self.directors.get(tournament_id, "") != director_id:
            raise DomainError(Reason.VERSION_CONFLICT, "another process directs the tournament by now")

    async def record_level(self, tournament_id: str, level: int, round_number: int, director_id: str) -> None:
        key = ("record_level", tournament_id, level, round_number)
        if key in self.answered:
            return
        self._check(tournament_id, director_id)
        if level != self.tournaments[tournament_id].level + 1:
            raise out_of_step(f"level {level}", "the next one")
        self._set(tournament_id, level=level)
        self.levels[tournament_id].append(level)
        self.answered[key] = True

    async def record_move(
        self, tournament_id: str, to: SeatAssignment, draw_id: str, step: str, director_id: str
    ) -> None:
        key = ("record_move", tournament_id, to, draw_id, step)
        if key in self.answered:
            return
        self._check(tournament_id, director_id)
        lines = self.lines[tournament_id]
        taken = [
            line.player_id
            for line in lines.values()
            if (line.table_id, line.seat) == (to.table_id, to.seat) and line.state not in _OUT
        ]
        if taken and taken != [to.player_id]:
            raise DomainError(Reason.SEAT_TAKEN, "somebody sits there", {"seat": str(to.seat)})
        lines[to.player_id] = replace(lines[to.player_id], table_id=to.table_id, seat=to.seat)
        self.moves.append((to.player_id, to.table_id, to.seat))
        self.answered[key] = True

    async def open_cash_table(self, table_id: str, chip_value: Money, rules: CashRules) -> None:
        raise NotImplementedError

    async def buy_in(self, table_id: str, player_id: str, seat: int, chips: int, cause_id: str) -> int:
        raise NotImplementedError

    async def cash_out(self, table_id: str, player_id: str, cause_id: str) -> int:
        raise NotImplementedError

    async def watch(self, tournament_id: str, after_version: int) -> AsyncIterator[NumberedFact]:
        del tournament_id, after_version
        for fact in tuple[NumberedFact, ...]():
            yield fact

    # --- places -----------------------------------------------------------------------------

    def _settle(self, tournament_id: str) -> tuple[Placement, ...]:
        """Whoever's window is over is out; the last one wins."""
        if self.tournaments[tournament_id].state is not LedgerState.RUNNING:
            return ()
        lines, now = self.lines[tournament_id], self.clock.now()
        over = [each for each in lines.values() if each.decides_until is not None and each.decides_until <= now]
        left = sum(each.state not in _OUT for each in lines.values())
        placements = [self._place(tournament_id, each, left - len(over) + 1) for each in over]
        remaining = [each for each in lines.values() if each.state not in _OUT]
        if len(remaining) == 1:
            placements.append(self._place(tournament_id, remaining[0], 1))
            self._set(tournament_id, state=LedgerState.FINISHED)
        self._refresh(tournament_id)
        return tuple(placements)

    def _place(self, tournament_id: str, line: Standing, place: int) -> Placement:
        state = EntrantState.WINNER if place == 1 else EntrantState.OUT
        prize = 100 if place == 1 else 0
        placed = replace(line, state=state, place=place, prize_minor=prize, decides_until=None)
        self.lines[tournament_id][line.player_id] = placed
        return Placement(player_id=line.player_id, place=place, prize_minor=prize)

    def _set(self, tournament_id: str, *, state: LedgerState | None = None, level: int | None = None) -> None:
        tournament = self.tournaments[tournament_id]
        self.tournaments[tournament_id] = replace(
            tournament, state=state or tournament.state, level=tournament.level if level is None else level
        )
        self._refresh(tournament_id)

    def _refresh(self, tournament_id: str) -> None:
        lines = self.lines[tournament_id].values()
        entered = [each for each in lines if each.state is not EntrantState.WITHDRAWN]
        left = [each for each in lines if each.state not in _OUT]
        self.tournaments[tournament_id] = replace(
            self.tournaments[tournament_id],
            entrants=len(entered),
            players_left=len(left),
            version=self.tournaments[tournament_id].version + 1,
        )
