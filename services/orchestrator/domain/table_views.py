"""A whole table as a viewer may see it, with the cards that the viewer's sight holds (see ``visibility.py``)."""

from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.table import Table, TableSeat
from services.orchestrator.domain.views import SeatView, TableState, TableSummary, TableView, Turn
from services.orchestrator.domain.visibility import Sight
from shared.kernel.frozen import maker

_summary = maker(TableSummary)


def state_of(table: Table) -> TableState:
    """Where the table stands."""
    if table.closed:
        return TableState.CLOSED
    if table.waiting_for:
        return TableState.STALLED
    if table.stopped:
        return TableState.PAUSED
    if table.in_hand:
        return TableState.PLAYING
    return TableState.PAUSED if table.pause is not None or table.break_until is not None else TableState.WAITING


def view_table(table: Table, sight: Sight) -> TableView:
    """The table."""
    hand = table.hand
    in_play = hand if hand is not None and hand.in_play else None
    return TableView(
        table_id=table.table_id,
        name=table.name,
        mode=table.mode,
        tournament_id=table.tournament_id,
        version=table.version,
        state=state_of(table),
        waiting_for=table.waiting_for,
        stakes=in_play.stakes if in_play else table.stakes,
        rules=table.rules,
        seats=tuple(_seat(seat, in_play, sight) for seat in table.seats),
        hand_id=hand.hand_id if hand else "",
        hand_number=table.hand_number,
        street=in_play.street if in_play else None,
        pots=in_play.pots if in_play else (),
        pot_total_chips=in_play.pot_total_chips if in_play else 0,
        common_card=in_play.common_card if in_play else None,
        turn=turn_of(table),
        level=table.level,
        scripted=table.scripted,
        entropy_asked=table.entropy.asked if table.entropy else None,
    )


def turn_of(table: Table) -> Turn | None:
    """Whose turn it is."""
    if table.hand is None or table.hand.turn is None:
        return None
    turn = table.hand.turn
    return Turn(
        turn_id=turn.turn_id,
        seat=turn.seat,
        player_id=turn.player_id,
        deadline=None if table.stopped else turn.deadline,
        legal=turn.legal,
        in_time_bank=turn.bank_seconds > 0,
    )


def summarise(table: Table) -> TableSummary:
    """The table's line in the lobby."""
    return _summary(
        table_id=table.table_id,
        name=table.name,
        mode=table.mode,
        structure=table.rules.hand.structure,
        stakes=table.stakes,
        state=state_of(table),
        seats_taken=len(table.seats),
        seats_max=table.rules.hand.seats_max,
        tournament_id=table.tournament_id,
        hand_number=table.hand_number,
    )


def _seat(seat: TableSeat, hand: Hand | None, sight: Sight) -> SeatView:
    playing = _in_hand(seat, hand)
    return SeatView(
        seat=seat.seat,
        player_id=seat.player_id,
        stack_chips=playing.stack_chips if playing else seat.stack_chips,
        street_chips=playing.street_chips if playing else 0,
        hand_chips=playing.hand_chips if playing else 0,
        presence=seat.presence,
        in_hand=playing is not None,
        folded=playing.folded if playing else False,
        all_in=playing.all_in if playing else False,
        frozen=playing.frozen if playing else False,
        down_cards=sight.all_down(seat.seat, playing.down_count) if playing else (),
        up_cards=playing.up_cards if playing else (),
        time_bank_seconds=seat.time_bank_seconds,
        auto_ante=seat.auto_ante,
        disconnected=seat.disconnected,
        sealed=bool(seat.public_key),
        sealed_down_cards=sight.all_sealed(seat.seat) if playing else (),
    )


def _in_hand(seat: TableSeat, hand: Hand | None) -> HandSeat | None:
    if hand is None:
        return None
    return next((each for each in hand.seats if each.seat == seat.seat and each.player_id == seat.player_id), None)
