"""The state of a tournament as the fold of its events."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from services.orchestrator.domain import fold_rounds
from services.orchestrator.domain.booking import Placement
from services.orchestrator.domain.fold_rounds import tables_of
from services.orchestrator.domain.table_facts import Presence
from services.orchestrator.domain.tournament import SeatedPlayer, TableInPlay, Tournament
from services.orchestrator.domain.tournament_facts import (
    HandForHandRoundBegan,
    HandForHandRoundEnded,
    HandPlayed,
    LateRegistrationClosed,
    LevelBegan,
    MatchEnded,
    NumberedEvent,
    PlaceChanged,
    PlayerOut,
    QualifiersDrawn,
    RoundBegan,
    SeatChanged,
    TableBroken,
    TournamentBegan,
    TournamentBreakBegan,
    TournamentBreakEnded,
    TournamentEnded,
    TournamentPaused,
    TournamentResumed,
    TournamentSeat,
)
from shared.kernel.rules import Formula


def fold(events: Iterable[NumberedEvent], state: Tournament | None = None) -> Tournament | None:
    """The state after the events; None where there are none."""
    for numbered in events:
        state = _begin(numbered) if state is None else after(state, numbered)
    return state


def after(state: Tournament, numbered: NumberedEvent) -> Tournament:
    """The state after one more event."""
    if numbered.version != state.version + 1:
        raise ValueError(f"event {numbered.version} cannot follow {state.version}")
    changed = _HANDLERS[type(numbered.event)](state, numbered.event, numbered.at)
    began_at = changed.level_began_at
    if began_at is not None and changed.paused_at is None and numbered.at < began_at:
        began_at = numbered.at  # the clock was set back: the level lasts no longer than its length from here
    return replace(changed, version=numbered.version, level_began_at=began_at)


def _begin(numbered: NumberedEvent) -> Tournament:
    event = numbered.event
    if not isinstance(event, TournamentBegan) or numbered.version != 1:
        raise ValueError(f"a tournament cannot begin with event {numbered.version}, {type(event).__name__}")
    tables = tables_of(event.seats)
    rounds = event.rules.tournament.formula is Formula.ROUNDS
    return Tournament(
        round=int(rounds),
        tournament_id=numbered.tournament_id,
        version=1,
        name=event.name,
        seats_per_table=event.seats_per_table,
        rules=event.rules,
        players={
            seat.player_id: _seated(seat, absent=seat.player_id in event.absent_player_ids) for seat in event.seats
        },
        tables=tables,
        tables_opened_count=len(tables),
    )


def _seated(seat: TournamentSeat, *, absent: bool) -> SeatedPlayer:
    """In the first seat; who is not there sits out from the start (rule 148)."""
    return SeatedPlayer(
        player_id=seat.player_id,
        table_id=seat.table_id,
        seat=seat.seat,
        newcomer=absent,
        sitting_out=absent,
        presence=Presence.DISCONNECTED if absent else None,
        disconnected=absent,
    )


def _level_began(state: Tournament, event: LevelBegan, at: datetime) -> Tournament:
    tables = {table.table_id: replace(table, hands_in_level=0) for table in state.tables.values()}
    return replace(state, level=event.level, level_began_at=at, tables=tables)


def _break_began(state: Tournament, event: TournamentBreakBegan, _: datetime) -> Tournament:
    return replace(state, break_ends_at=event.until, last_break_level=state.level)


def _break_ended(state: Tournament, _: TournamentBreakEnded, __: datetime) -> Tournament:
    return replace(state, break_ends_at=None)


def _paused(state: Tournament, _: TournamentPaused, at: datetime) -> Tournament:
    return replace(state, paused_at=at)


def _resumed(state: Tournament, _: TournamentResumed, at: datetime) -> Tournament:
    began_at = state.level_began_at
    if began_at is not None and state.paused_at is not None:
        began_at += at - state.paused_at
    return replace(state, paused_at=None, level_began_at=began_at)


def _seat_changed(state: Tournament, event: SeatChanged, _: datetime) -> Tournament:
    to, player = event.to, state.players.get(event.player_id)
    if player is None:  # entered late, or again
        moved = SeatedPlayer(player_id=event.player_id, table_id=to.table_id, seat=to.seat, newcomer=True)
    else:
        moved = replace(player, table_id=to.table_id, seat=to.seat, moves=player.moves + 1, newcomer=True)
    opened = event.to.table_id not in state.tables
    return replace(
        state,
        placed=state.placed if player is not None else _without_place(state.placed, event.player_id),
        players={**state.players, event.player_id: moved},
        tables=_with_table(state.tables, event.to.table_id) if opened else state.tables,
        tables_opened_count=state.tables_opened_count + opened,
    )


def _without_place(placed: Mapping[str, tuple[Placement, ...]], player_id: str) -> Mapping[str, tuple[Placement, ...]]:
    """The place of who enters again is void (rule 201)."""
    return {
        table_id: tuple(each for each in places if each.player_id != player_id) for table_id, places in placed.items()
    }


def _place_changed(state: Tournament, event: PlaceChanged, _: datetime) -> Tournament:
    placed = {
        table_id: tuple(
            replace(each, place=event.place) if each.player_id == event.player_id else each for each in told
        )
        for table_id, told in state.placed.items()
    }
    return replace(state, placed=placed)


def _late_registration_closed(state: Tournament, _: LateRegistrationClosed, __: datetime) -> Tournament:
    return replace(state, late_entries_closed=True)


def _with_table(tables: Mapping[str, TableInPlay], table_id: str) -> Mapping[str, TableInPlay]:
    """A new table takes over the hands of the level from the slowest one."""
    hands = min((table.hands_in_level for table in tables.values()), default=0)
    return {**tables, table_id: TableInPlay(table_id=table_id, hands_in_level=hands)}


def _table_broken(state: Tournament, event: TableBroken, _: datetime) -> Tournament:
    tables = {table_id: table for table_id, table in state.tables.items() if table_id != event.table_id}
    return replace(state, tables=tables)


def _player_out(state: Tournament, event: PlayerOut, _: datetime) -> Tournament:
    table_id = state.players[event.player_id].table_id
    players = {player_id: player for player_id, player in state.players.items() if player_id != event.player_id}
    place = Placement(player_id=event.player_id, place=event.place, prize_minor=event.prize_minor)
    placed = {**state.placed, table_id: (*state.placed.get(table_id, ()), place)}
    return replace(state, players=players, placed=placed)


def _hand_played(state: Tournament, event: HandPlayed, _: datetime) -> Tournament:
    table = state.tables[event.table_id]
    played = replace(
        table,
        hands_played=event.hand_number,
        hands_in_level=table.hands_in_level + 1,
        hand_for_hand_round=event.hand_for_hand_round,
    )
    players = dict(state.players)
    for carry in event.players:
        player = players.get(carry.player_id)
        if player is not None and player.table_id == event.table_id:
            players[carry.player_id] = replace(
                player,
                time_bank_seconds=carry.time_bank_seconds,
                sitting_out=carry.sitting_out,
                presence=carry.presence,
                disconnected=carry.disconnected,
                protections_used=carry.protections_used,
                newcomer=False,
            )
    return replace(state, players=players, tables={**state.tables, event.table_id: played})


def _ended(state: Tournament, event: TournamentEnded, _: datetime) -> Tournament:
    return replace(
        state,
        ended=True,
        cancelled=event.cancelled,
        winner_player_id=event.winner_player_id,
        paused_at=None,
        break_ends_at=None,
    )


_Handler = Callable[[Tournament, Any, datetime], Tournament]
_HANDLERS: Final[Mapping[type, _Handler]] = {
    LevelBegan: _level_began,
    TournamentBreakBegan: _break_began,
    TournamentBreakEnded: _break_ended,
    TournamentPaused: _paused,
    TournamentResumed: _resumed,
    SeatChanged: _seat_changed,
    TableBroken: _table_broken,
    PlayerOut: _player_out,
    HandPlayed: _hand_played,
    MatchEnded: fold_rounds.match_ended,
    QualifiersDrawn: fold_rounds.qualifiers_drawn,
    RoundBegan: fold_rounds.round_began,
    HandForHandRoundBegan: fold_rounds.hand_for_hand_round_began,
    HandForHandRoundEnded: fold_rounds.hand_for_hand_round_ended,
    PlaceChanged: _place_changed,
    LateRegistrationClosed: _late_registration_closed,
    TournamentEnded: _ended,
}
