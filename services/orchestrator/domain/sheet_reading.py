"""From the ledger's sheet to what a table may do."""

from datetime import datetime, timedelta

from services.orchestrator.domain.booking import LedgerSeat, LedgerSheet
from services.orchestrator.domain.seating import late_entries_open
from services.orchestrator.domain.sheet import Sheet, SheetSeat, SheetState, Wait, WaitReason
from services.orchestrator.domain.tournament import SeatedPlayer, Tournament
from shared.kernel.rules import TimeBankRefill

_PLAYERS_OF_A_HAND = 2
_LOOK_AGAIN = timedelta(seconds=2)


def cash_sheet(sheet: LedgerSheet) -> Sheet:
    """The sheet of a cash table."""
    seats = tuple(_cash_seat(seat) for seat in sheet.seats)
    if _with_chips(sheet) >= _PLAYERS_OF_A_HAND:
        return Sheet(state=SheetState.GO_ON, seats=seats)
    return Sheet(state=SheetState.WAIT, seats=seats, wait=Wait(reason=WaitReason.PLAYERS))


def tournament_sheet(state: Tournament, table_id: str, sheet: LedgerSheet, now: datetime) -> Sheet:
    """The sheet of a tournament table: who is dealt in, for which amounts; or why it waits (rules 51, 128, 163)."""
    wait = None if _with_chips(sheet) >= _PLAYERS_OF_A_HAND else _wait(state, sheet, now)
    return Sheet(
        state=SheetState.GO_ON if wait is None else SheetState.WAIT,
        seats=tuple(_seat(state, seat) for seat in sheet.seats),
        stakes=sheet.stakes or state.terms.stakes,
        level=sheet.level or state.level,
        last_two_of_event=sheet.players_left == _PLAYERS_OF_A_HAND,
        decision_seconds=state.terms.decision_seconds,
        wait=wait,
        placements=state.placed.get(table_id, ()),
    )


def sheet_without_seats(state: Tournament, table_id: str, wait: Wait | None) -> Sheet:
    """The table waits for the director, or is over."""
    over = SheetState.TABLE_OVER if wait is None else SheetState.WAIT
    return Sheet(state=over, wait=wait, placements=state.placed.get(table_id, ()))


def misplaced_players(state: Tournament, table_id: str, sheet: LedgerSheet) -> tuple[str, ...]:
    """Players at the table for the director or for the ledger's sheet alone: placed meanwhile, or moved just now."""
    listed = {seat.player_id for seat in sheet.seats}
    here = {player.player_id for player in state.at_table(table_id)}
    return tuple(sorted(listed ^ here))


def _wait(state: Tournament, sheet: LedgerSheet, now: datetime) -> Wait:
    """A window that is over and not closed yet waits for somebody who was excluded before: so does the table.

    Or for the ledger, whose clock is a moment behind ours; what it says then may be missed, so the table looks again.
    No window is longer than the rules say, whatever end the clock of then wrote down.
    """
    windows = [seat.decides_until for seat in sheet.seats if seat.decides_until is not None]
    if windows:
        until = min((each for each in windows if each > now), default=now + _LOOK_AGAIN)
        until = min(until, now + timedelta(seconds=state.rules.tournament.rebuy.window_seconds) + _LOOK_AGAIN)
        return Wait(reason=WaitReason.DECIDING, until=until)
    return Wait(reason=WaitReason.PLAYERS)


def _with_chips(sheet: LedgerSheet) -> int:
    return sum(seat.chips > 0 for seat in sheet.seats)


def _cash_seat(seat: LedgerSeat) -> SheetSeat:
    return SheetSeat(seat=seat.seat, player_id=seat.player_id, stack_chips=seat.chips)


def _seat(state: Tournament, seat: LedgerSeat) -> SheetSeat:
    player = state.players.get(seat.player_id)
    arrives = player is not None and player.newcomer
    return SheetSeat(
        seat=seat.seat,
        player_id=seat.player_id,
        stack_chips=seat.chips,
        reserve_chips=seat.reserve_chips,
        decides_until=seat.decides_until,
        time_bank_seconds=_bank(state, player) if player is not None and arrives else None,
        sitting_out=player.sitting_out if player is not None and arrives else False,
        presence=player.presence if player is not None and arrives else None,
        disconnected=player.disconnected if player is not None and arrives else False,
        protections_used=player.protections_used if player is not None and arrives else None,
    )


def _bank(state: Tournament, player: SeatedPlayer) -> int | None:
    """The bank that a player brings: what is left of it, or a full one at the final table (rules 139, 191)."""
    clock = state.rules.clock
    final = len(state.tables) == 1 and not late_entries_open(state)
    if final and clock.time_bank_refill is TimeBankRefill.FINAL_TABLE:
        return clock.time_bank_seconds
    return player.time_bank_seconds
