"""Steps of a table that concern a seat or the table itself, not the cards."""

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.taken import Taken
from services.orchestrator.domain import decisions
from services.orchestrator.domain.next_step import CashOutSeat, PauseSelf, StartTimeBank
from services.orchestrator.domain.table import TableSeat
from services.orchestrator.domain.table_facts import LeaveCause, PlayerLeft, Presence, TablePaused
from shared.kernel.errors import DomainError, Reason


async def start_time_bank(actor: TableActor, step: StartTimeBank) -> Taken:
    """The decision time is over, the bank begins by itself (rule 138)."""
    return Taken(Change(facts=(decisions.start_bank(actor.table, step.turn),)))


async def pause_self(_: TableActor, __: PauseSelf) -> Taken:
    """As many hands were played as were asked for."""
    paused = TablePaused(
        cause="all hands that were asked for are played", clocks_too=False, remaining_millis=0, by_director=False
    )
    return Taken(Change(facts=(paused,)))


async def cash_out_seat(actor: TableActor, step: CashOutSeat) -> Taken:
    """The player's chips go back to the wallet, the seat is free.

    It is said first that the player goes: nobody whose chips are being paid out, and may be already, plays with them.
    """
    if step.seat.presence is not Presence.LEAVING:
        return Taken(Change(facts=(decisions.let_go(step.seat),)))
    return Taken(Change(facts=(await cash_out(actor, step.seat, step.cause),)))


async def cash_out(actor: TableActor, seat: TableSeat, cause: LeaveCause) -> PlayerLeft:
    """Cash a player out, once for each time the player sat down."""
    try:
        chips = await actor.world.ledger.cash_out(actor.table_id, seat.player_id, str(seat.seated_version))
    except DomainError as refusal:
        if refusal.reason is not Reason.NOT_SEATED:
            raise
        chips = 0  # nothing was left to take
    return PlayerLeft(seat=seat.seat, player_id=seat.player_id, stack_chips=chips, cause=cause)
