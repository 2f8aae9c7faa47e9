"""Answers about a tournament that back ends and the orchestrator read: standings, the sheet, what a hand brought."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from services.tournament_ledger.domain.facts import PlayerPlaced
from services.tournament_ledger.domain.sheets import sheet_lines
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament, TournamentState
from shared.kernel.rules import Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of the standings."""

    player_id: str
    state: EntrantState
    chips: int
    reserve_chips: int
    place: int
    prize_minor: int
    bonus_minor: int
    rebuys: int
    add_on: bool
    re_entries: int
    spent_minor: int
    table_id: str
    seat: int
    decides_until: datetime | None


def standing_of(entrant: Entrant) -> Standing:
    """Where an entrant stands; chips that come with the next hand are counted in."""
    return Standing(
        player_id=entrant.player_id,
        state=entrant.state,
        chips=entrant.stack_chips,
        reserve_chips=entrant.reserve_chips,
        place=entrant.place,
        prize_minor=entrant.prize_minor,
        bonus_minor=entrant.bonus_minor,
        rebuys=entrant.rebuys,
        add_on=entrant.add_on,
        re_entries=entrant.re_entries,
        spent_minor=entrant.spent_minor,
        table_id=entrant.table_id,
        seat=entrant.seat,
        decides_until=entrant.decides_until,
    )


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Everybody, best first: in play by chips, then deciding, then by place; those who withdrew come last."""
    return tuple(standing_of(each) for each in sorted(tournament.entrants.values(), key=_best_first))


_ORDER = {
    EntrantState.WINNER: 0,
    EntrantState.PLAYING: 1,
    EntrantState.REGISTERED: 1,
    EntrantState.DECIDING: 2,
    EntrantState.OUT: 3,
    EntrantState.WITHDRAWN: 4,
}


def _best_first(entrant: Entrant) -> tuple[int, int, int, int]:
    chips = entrant.stack_chips + entrant.reserve_chips
    return _ORDER[entrant.state], entrant.place, -chips, entrant.number


@dataclass(frozen=True, slots=True)
class SheetSeat:
    """A seat of the sheet."""

    seat: int
    player_id: str
    chips: int
    reserve_chips: int
    decides_until: datetime | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the next hand of a table starts from."""

    seats: tuple[SheetSeat, ...]
    level: int
    stakes: Stakes | None
    state: TournamentState | None
    players_left: int


def sheet_of(tournament: Tournament, table_id: str) -> Sheet:
    """The open sheet of a table; no seats where the tournament is over."""
    seats: tuple[SheetSeat, ...] = ()
    if tournament.state is TournamentState.RUNNING:
        chips = {line.player_id: line.chips for line in sheet_lines(tournament, tournament.tables[table_id])}
        seats = tuple(
            SheetSeat(each.seat, each.player_id, chips[each.player_id], each.reserve_chips, each.decides_until)
            for each in tournament.at_table(table_id)
        )
    return Sheet(seats, tournament.level, tournament.stakes, tournament.state, tournament.players_left)


@dataclass(frozen=True, slots=True)
class Placement:
    """A place given."""

    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True)
class HandBooked:
    """What a hand brought."""

    placements: tuple[Placement, ...]
    state: TournamentState | None
    players_left: int
    deciding_player_ids: tuple[str, ...]


def hand_booked(tournament: Tournament, drafts: Iterable[Draft]) -> HandBooked:
    """Places that the entries gave, and who may still buy back."""
    placed = (fact for draft in drafts for fact in draft.facts if isinstance(fact, PlayerPlaced))
    deciding = (each.player_id for each in tournament.remaining() if each.state is EntrantState.DECIDING)
    placements = tuple(Placement(each.player_id, each.place, each.prize_minor) for each in placed)
    return HandBooked(placements, tournament.state, tournament.players_left, tuple(deciding))
