"""Entropy of the players: asked for when the dealer is bound to its seed, before the deck of the next hand is fixed.

So the dealer cannot choose the deck, nor can a player who does not know the seed. What came is recorded by the table
first and given to the dealer when nobody is waited for any more, so that a crash in between loses none of it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from services.orchestrator.domain import refusals
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.recording import hand_id_of
from services.orchestrator.domain.table import EntropyCall, Table, TableSeat
from services.orchestrator.domain.table_facts import EntropyAdded, EntropyAsked
from shared.kernel.errors import out_of_step


def asked_of(table: Table, seats: Sequence[TableSeat]) -> tuple[int, ...]:
    """Seats whose players are asked before the next hand: who is there; nobody where its cards are scripted."""
    if not table.rules.clock.entropy_seconds or table.hand_number < len(table.scripted_hands):
        return ()
    return tuple(seat.seat for seat in seats if not seat.sitting_out and not seat.disconnected)


def asking(table: Table, seats: Sequence[TableSeat], seed_commitment: bytes, now: datetime) -> EntropyAsked:
    """The call to the players of the next hand."""
    number = table.hand_number + 1
    return EntropyAsked(
        hand_number=number,
        hand_id=hand_id_of(table.table_id, number),
        seats=tuple(seat.seat for seat in seats),
        asked_seats=asked_of(table, seats),
        seed_commitment=seed_commitment,
        deadline=now + timedelta(seconds=table.rules.clock.entropy_seconds),
    )


def waited_for(call: EntropyCall, now: datetime) -> bool:
    """Whether a seat that was asked may still add some."""
    return call.missing and now <= call.asked.deadline


def add(table: Table, player_id: str, hand_id: str, entropy: bytes, now: datetime) -> tuple[Fact, ...]:
    """A player adds entropy: once for each hand, in time."""
    if table.closed:
        raise refusals.table_closed(table)
    seat, call = table.seat_of(player_id), table.entropy
    if seat is None:
        raise refusals.not_seated(table, player_id)
    if call is None or call.asked.hand_id != hand_id or seat.seat not in call.asked.asked_seats:
        raise out_of_step("AddEntropy", "entropy_asked with this hand and the seat among those asked")
    known = next((each.entropy for each in call.added if each.seat == seat.seat), None)
    if known == entropy:
        return ()
    if known is not None or not waited_for(call, now):
        raise out_of_step("AddEntropy", "the next hand: this seat has added its own, or the time is over")
    return (EntropyAdded(seat=seat.seat, entropy=entropy),)
