"""Who sits where: first seats, moves, broken tables, the final table (rules 187-192). Chance comes in as drawn lots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.orchestrator.domain.tournament import SeatedPlayer, Tournament
from services.orchestrator.domain.tournament_facts import TournamentSeat
from shared.kernel.rules import Formula, StudBalance

_UNEVEN = 2


def tables_needed(players_count: int, seats_per_table: int) -> int:
    """The fewest tables that seat all players."""
    return -(-players_count // seats_per_table)


def first_seats(drawn: Sequence[str], table_ids: Sequence[str]) -> tuple[TournamentSeat, ...]:
    """Seats in the order drawn, one table after the other, so that sizes differ by at most one (rule 187)."""
    return tuple(
        TournamentSeat(table_id=table_ids[at % len(table_ids)], seat=at // len(table_ids) + 1, player_id=player_id)
        for at, player_id in enumerate(drawn)
    )


def chosen_seats(
    drawn: Sequence[str], choices: Mapping[str, tuple[int, int]], table_ids: Sequence[str]
) -> tuple[TournamentSeat, ...]:
    """First seats as chosen, table number and seat, where that leaves sizes within one; lots place the others.

    Where more players chose a table than it may have, the order drawn says who sits there (rule 187).
    """
    room = _Room(len(drawn), len(table_ids))
    taken: dict[tuple[int, int], str] = {}
    for player_id in drawn:
        table, seat = choices.get(player_id, (0, 0))
        if 0 < table <= len(table_ids) and room.take(table - 1):
            taken[table - 1, seat] = player_id
    seated = set(taken.values())
    for player_id in drawn:
        if player_id not in seated:
            table = room.emptiest()
            room.take(table)
            seat = next(number for number in range(1, len(drawn) + 1) if (table, number) not in taken)
            taken[table, seat] = player_id
    return tuple(
        TournamentSeat(table_id=table_ids[table], seat=seat, player_id=player_id)
        for (table, seat), player_id in sorted(taken.items())
    )


class _Room:
    """How many more each table may take so that all sizes end within one."""

    def __init__(self, players_count: int, tables_count: int) -> None:
        self._small, self._larger = divmod(players_count, tables_count)
        self._counts = [0] * tables_count

    def take(self, table: int) -> bool:
        """One more at this table, if there is room."""
        most = self._small + (self._counts.count(self._small + 1) < self._larger)
        if self._counts[table] >= most:
            return False
        self._counts[table] += 1
        return True

    def emptiest(self) -> int:
        """The first table with fewest players."""
        return self._counts.index(min(self._counts))


@dataclass(frozen=True, slots=True)
class Move:
    """One player is to leave a table that is too full for the others (rule 189)."""

    player_ids: tuple[str, ...]
    """The player, or those among whom lots decide."""
    seats: tuple[tuple[str, int], ...]
    """Table and seat, or those among which lots decide."""


@dataclass(frozen=True, slots=True)
class Break:
    """A table may be broken: this one, or some of these by lot (rule 188)."""

    table_ids: tuple[str, ...]
    """The smallest tables."""
    count: int = 1
    """How many of them are to be broken before the tables are as few as can seat everybody."""


@dataclass(frozen=True, slots=True)
class FinalTable:
    """Everybody fits at one table: all seats are drawn anew at a new one (rule 192)."""


Balance = Move | Break | FinalTable


def balance(state: Tournament, table_id: str, *, spared: bool = False) -> Balance | None:
    """What must happen before this table's next hand so that tables stay even; None: nothing.

    ``spared``: the lots have decided that this is not the table to be broken.
    """
    if state.rules.tournament.formula is not Formula.MULTI_TABLE or len(state.tables) == 1:
        return None
    counts = state.counts()
    total = len(state.players)
    if total <= state.seats_per_table and not late_entries_open(state):
        return FinalTable()
    if not spared and total <= (len(state.tables) - 1) * state.seats_per_table:
        smallest = tuple(sorted(table for table, count in counts.items() if count == min(counts.values())))
        if table_id in smallest:
            surplus = len(state.tables) - tables_needed(total, state.seats_per_table)
            return Break(smallest, min(surplus, len(smallest)))
    if counts[table_id] - min(counts.values()) >= _UNEVEN:
        return _move(state, table_id, counts)
    return None


def late_entries_open(state: Tournament) -> bool:
    """May players still enter, so that more tables may be needed again (rules 200, 201)?"""
    last = state.rules.tournament.late_registration_last_level
    return 0 < state.level <= last and not state.late_entries_closed


def seats_for_newcomers(state: Tournament) -> tuple[tuple[str, int], ...]:
    """Free seats of the tables with fewest players; none where every table is full (rule 200)."""
    counts = state.counts()
    free = {table_id: free_seats(state, table_id) for table_id in sorted(state.tables)}
    least = min((counts[table_id] for table_id, seats in free.items() if seats), default=0)
    return tuple((table_id, seat) for table_id, seats in free.items() if counts[table_id] == least for seat in seats)


def must_halt(state: Tournament, table_id: str) -> bool:
    """Is the table so short that it stops dealing until others were moved to it (rule 190)?"""
    short = state.rules.tournament.halt_short
    if not short or state.rules.tournament.formula is not Formula.MULTI_TABLE:
        return False
    counts = state.counts()
    return max(counts.values()) - counts[table_id] >= short


def _move(state: Tournament, table_id: str, counts: Mapping[str, int]) -> Move:
    least = min(counts.values())
    seats = tuple(
        (target, seat)
        for target in sorted(table for table, count in counts.items() if count == least)
        for seat in free_seats(state, target)
    )
    sitting = state.at_table(table_id)
    if state.rules.tournament.stud_balance is StudBalance.POSITION:
        return Move((_in_position(sitting, seats[0][1]).player_id,), (seats[0],))
    fewest = min(player.moves for player in sitting)
    return Move(tuple(player.player_id for player in sitting if player.moves == fewest), seats)


def _in_position(sitting: Sequence[SeatedPlayer], seat: int) -> SeatedPlayer:
    """Who sits in the place that is to be filled, else the next one clockwise (rule 189, by position)."""
    return next((player for player in sitting if player.seat >= seat), sitting[0])


def free_seats(state: Tournament, table_id: str) -> tuple[int, ...]:
    """Seats that nobody has."""
    taken = {player.seat for player in state.at_table(table_id)}
    return tuple(seat for seat in range(1, state.seats_per_table + 1) if seat not in taken)


def seats_elsewhere(state: Tournament, table_id: str) -> tuple[tuple[str, int], ...]:
    """All free seats of the other tables."""
    return tuple(
        (other, seat) for other in sorted(state.tables) if other != table_id for seat in free_seats(state, other)
    )


def next_seat(drawn: Iterable[tuple[str, int]], counts: Mapping[str, int]) -> tuple[str, int]:
    """Of seats in the order drawn, the first at a table with fewest players."""
    seats = tuple(drawn)
    least = min(counts[table_id] for table_id, _ in seats)
    return next((table_id, seat) for table_id, seat in seats if counts[table_id] == least)
