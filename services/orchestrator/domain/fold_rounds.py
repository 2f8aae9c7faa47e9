"""How rounds of matches and of hand for hand change a tournament in play (rules 155-158, 185, 186, 205)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from services.orchestrator.domain.tournament import TableInPlay, Tournament
from services.orchestrator.domain.tournament_facts import (
    HandForHandRoundBegan,
    HandForHandRoundEnded,
    MatchEnded,
    QualifiersDrawn,
    RoundBegan,
    TournamentSeat,
)
from shared.kernel.rules import RoundStack


def match_ended(state: Tournament, event: MatchEnded, _: datetime) -> Tournament:
    """The table deals no more."""
    lots, count = event.lots_player_ids, event.lots_count
    return _with(state, replace(state.tables[event.table_id], match_over=True, lots_player_ids=lots, lots_count=count))


def qualifiers_drawn(state: Tournament, event: QualifiersDrawn, _: datetime) -> Tournament:
    """Nobody waits for lots any more."""
    return _with(state, replace(state.tables[event.table_id], lots_player_ids=(), lots_count=0))


def round_began(state: Tournament, event: RoundBegan, _: datetime) -> Tournament:
    """New tables, new seats; equal stacks begin with the first level again, and with its breaks."""
    carried = state.rules.tournament.round_stack is RoundStack.CARRY
    slowest = min((table.hands_in_level for table in state.tables.values()), default=0)
    hands = slowest if carried else 0
    tables = tables_of(event.seats, hands)
    return replace(
        state,
        players={
            seat.player_id: replace(
                state.players[seat.player_id], table_id=seat.table_id, seat=seat.seat, newcomer=True
            )
            for seat in event.seats
        },
        tables=tables,
        tables_opened_count=state.tables_opened_count + len(tables),
        round=event.round,
        last_break_level=state.last_break_level if carried else 0,
    )


def tables_of(seats: Iterable[TournamentSeat], hands_in_level: int = 0) -> dict[str, TableInPlay]:
    """The tables that seats are at, in the order they come."""
    names = dict.fromkeys(seat.table_id for seat in seats)
    return {table_id: TableInPlay(table_id=table_id, hands_in_level=hands_in_level) for table_id in names}


def hand_for_hand_round_began(state: Tournament, event: HandForHandRoundBegan, _: datetime) -> Tournament:
    """Every table plays one hand; one that is running counts."""
    return replace(state, hand_for_hand_round=event.round)


def hand_for_hand_round_ended(state: Tournament, event: HandForHandRoundEnded, _: datetime) -> Tournament:
    """The next hands belong to the next round, or to none."""
    return replace(state, hand_for_hand_round=0, hand_for_hand_ended=event.round)


def _with(state: Tournament, table: TableInPlay) -> Tournament:
    return replace(state, tables={**state.tables, table.table_id: table})
