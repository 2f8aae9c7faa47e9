"""Answers about a tournament that back ends and the orchestrator read: standings, the sheet, what a hand brought."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from services.tournament_ledger.domain.facts import HandRecorded, PlayerPlaced
from services.tournament_ledger.domain.facts_rounds import MatchEnded
from services.tournament_ledger.domain.sheets import sheet_lines
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.domain.tournament import (
    Entrant,
    EntrantState,
    TablePlay,
    Tournament,
    TournamentState,
)
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
    qualified: bool
    chosen_table: int
    chosen_seat: int


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
        qualified=entrant.qualified,
        chosen_table=entrant.chosen_table,
        chosen_seat=entrant.chosen_seat,
    )


_ORDER = {
    EntrantState.WINNER: 0,
    EntrantState.PLAYING: 1,
    EntrantState.REGISTERED: 1,
    EntrantState.DECIDING: 2,
    EntrantState.OUT: 3,
    EntrantState.WITHDRAWN: 4,
}


def best_first(entrant: Entrant) -> tuple[int, int, int, int]:
    """What standings are sorted by; no two entrants have the same."""
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
class Match:
    """A match of the round in play."""

    table_id: str
    over: bool
    qualified_player_ids: tuple[str, ...]
    lots_player_ids: tuple[str, ...]
    lots_count: int


def match_of(table: TablePlay) -> Match:
    """The match of a table."""
    return Match(table.table_id, table.match_over, table.qualified_player_ids, table.lots_player_ids, table.lots_count)


@dataclass(frozen=True, slots=True)
class HandBooked:
    """What a hand brought."""

    placements: tuple[Placement, ...]
    state: TournamentState | None
    players_left: int
    deciding_player_ids: tuple[str, ...]
    hand_for_hand_round: int = 0
    """Round of hand for hand that it was booked in."""
    match: Match | None = None
    """The match that it ended."""


def hand_booked(tournament: Tournament, drafts: Sequence[Draft]) -> HandBooked:
    """Places that the entries gave, who may still buy back, and the match that is over."""
    facts = [fact for draft in drafts for fact in draft.facts]
    deciding = (each.player_id for each in tournament.remaining() if each.state is EntrantState.DECIDING)
    rounds = (fact.hand_for_hand_round or 0 for fact in facts if isinstance(fact, HandRecorded))
    ended = (match_of(tournament.tables[fact.table_id]) for fact in facts if isinstance(fact, MatchEnded))
    return HandBooked(
        placements_of(drafts),
        tournament.state,
        tournament.players_left,
        tuple(deciding),
        next(rounds, 0),
        next(ended, None),
    )


@dataclass(frozen=True, slots=True)
class RoundBooked:
    """What the end of a hand-for-hand round brought."""

    placements: tuple[Placement, ...]
    state: TournamentState
    players_left: int


def round_booked(tournament: Tournament, drafts: Sequence[Draft]) -> RoundBooked:
    """Places that the entries gave."""
    return RoundBooked(placements_of(drafts), tournament.state, tournament.players_left)


@dataclass(frozen=True, slots=True)
class LotsBooked:
    """What lots among equal players brought."""

    placements: tuple[Placement, ...]
    match: Match


def lots_booked(tournament: Tournament, drafts: Sequence[Draft], table_id: str) -> LotsBooked:
    """Places of those who were not drawn, and the match as it is now."""
    return LotsBooked(placements_of(drafts), match_of(tournament.tables[table_id]))


def placements_of(drafts: Sequence[Draft]) -> tuple[Placement, ...]:
    """Places that entries gave."""
    placed = (fact for draft in drafts for fact in draft.facts if isinstance(fact, PlayerPlaced))
    return tuple(Placement(each.player_id, each.place, each.prize_minor) for each in placed)
