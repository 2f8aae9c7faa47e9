"""Between two hands: the sheet, the seats, the deck, the antes (design section 4, steps 1 and 2)."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.dealer_check import REFUSED, DealerRefused
from services.orchestrator.application.end_hand import VOIDED
from services.orchestrator.application.taken import Taken
from services.orchestrator.domain.dealing import Commitment, HandToDeal, Script
from services.orchestrator.domain.entropy import asked_of, asking
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.fold import preview
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.hand_facts import HandStarted, SeatDealtIn
from services.orchestrator.domain.next_step import PLAYERS_MIN, Await, CloseEntropy, StartHand
from services.orchestrator.domain.outcomes import outcome_facts, voided_fact
from services.orchestrator.domain.recording import hand_id_of
from services.orchestrator.domain.sheet import Sheet, SheetState, Wait, WaitReason
from services.orchestrator.domain.sheets import dealing_order, left, sheet_facts
from services.orchestrator.domain.table import EntropyCall, Table, TableSeat, keys_of
from services.orchestrator.domain.table_facts import (
    BreakStarted,
    EntropyClosed,
    Halt,
    LeaveCause,
    PlayerLeft,
    TableClosed,
    TablePaused,
    TableResumed,
)
from services.orchestrator.domain.wagering import HandToBet, SeatStack
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode

SEATS_CHANGED: Final = "the seats changed while the hand was being prepared"
DEALT_BEFORE: Final = "the dealer dealt this hand before: older databases than its own were restored"
SCRIPTED_DEALER: Final = "the dealer that prepared the hand was started with scripted decks allowed"
ANOTHER_SEED: Final = "the dealer is bound to another seed than the one that the players added to"
_PREPARED_OTHERWISE: Final = {Reason.REQUEST_ID_REUSED, Reason.ALREADY_EXISTS}
_ADDED_TOO_LATE: Final = {Reason.OUT_OF_STEP}
"""The deck was fixed by a process for which the time was over before what was added came."""


async def start_hand(actor: TableActor, step: StartHand) -> Taken:
    """Ask for the sheet; where it says so, begin the hand with deck and antes in one step.

    At a cash table another process may have begun to sell chips to a player since this one looked: they may be in the
    sheet already, and are found out about first.
    """
    taken = await _from_the_sheet(actor, step)
    if actor.table.mode is Mode.TOURNAMENT:
        return taken
    players = tuple(seat.player_id for seat in actor.table.seats)
    return Taken(replace(taken.change, nobody_buys=players), rest=taken.rest)


async def _from_the_sheet(actor: TableActor, step: StartHand) -> Taken:
    table = actor.table
    sheet = await actor.world.between_hands[table.mode].open_sheet(table.table_id, step.hand_number, table.version)
    if sheet.state is SheetState.TABLE_OVER:
        if table.entropy is not None:
            await actor.world.dealer.void_hand(table.entropy.asked.hand_id, VOIDED)
        return Taken(Change(facts=_closing(table, sheet)))
    now = actor.world.clock.now()
    if sheet.state is SheetState.WAIT:
        facts = (*sheet_facts(table, sheet), *_waiting(table, sheet.wait))
        return Taken(Change(facts=facts), rest=Await(sheet.wait.until if sheet.wait else None))
    facts = (*_going_on(table), *sheet_facts(table, sheet))
    seated = preview(table, facts, now)
    seats = dealing_order(seated, step.hand_number) if table.entropy is None else _prepared(seated, table.entropy)
    if len(seats) < PLAYERS_MIN:
        return Taken(Change(facts=facts), rest=Await())
    if asked_of(seated, seats) and table.entropy is None:
        return await _ask_for_entropy(actor, seated, facts, seats)
    return await _begin(actor, seated, facts, seats, sheet)


async def close_entropy(_: TableActor, __: CloseEntropy) -> Taken:
    """The time is over, said before the deck is fixed: no outage and no clock set back opens it again afterwards."""
    return Taken(Change(facts=(EntropyClosed(),)))


def _prepared(table: Table, call: EntropyCall) -> tuple[TableSeat, ...]:
    """The seats that the deck is bound to, as far as somebody sits there; who sits out since then is absent."""
    seats = (table.seat(number) for number in call.asked.seats)
    return tuple(seat for seat in seats if seat is not None and seat.stack_chips > 0)


async def _ask_for_entropy(
    actor: TableActor, table: Table, before: tuple[Fact, ...], seats: tuple[TableSeat, ...]
) -> Taken:
    """Bind the dealer to its seed, and say so before anybody adds anything."""
    number, now = table.hand_number + 1, actor.world.clock.now()
    try:
        commitment = await actor.world.dealer.open_hand(_hand_to_deal(table, number, seats))
    except DomainError as refusal:
        if refusal.reason not in _PREPARED_OTHERWISE:
            raise
        return Taken(_called_off(table, before, number, seats, now, SEATS_CHANGED))
    return Taken(Change(facts=(*before, asking(table, seats, commitment.seed_commitment, now))))


async def _begin(
    actor: TableActor, table: Table, before: tuple[Fact, ...], seats: tuple[TableSeat, ...], sheet: Sheet
) -> Taken:
    """Both answers are repeated when asked again, so that a crash in between starts the same hand.

    Betting has no memory and is asked first, so that little can happen between the dealer's answer and the record.
    """
    number, now = table.hand_number + 1, actor.world.clock.now()
    outcome = await actor.world.betting.open_hand(_hand_to_bet(table, seats, sheet))
    try:
        commitment = await _bound(actor, table, _hand_to_deal(table, number, seats))
    except DomainError as refusal:
        late = table.entropy is not None and refusal.reason in _ADDED_TOO_LATE
        if not late and refusal.reason not in _PREPARED_OTHERWISE:
            raise
        return Taken(_called_off(table, before, number, seats, now, SEATS_CHANGED))
    if await _was_dealt(actor, number):
        return Taken(_called_off(table, before, number, seats, now, DEALT_BEFORE))
    if commitment.scripted_decks_allowed and not actor.world.scripted_allowed:
        await _refuse_deck(actor, number)
        return Taken(_called_off(table, before, number, seats, now, SCRIPTED_DEALER))
    if table.entropy is not None and commitment.seed_commitment != table.entropy.asked.seed_commitment:
        actor.world.witness.step_failed("StartHand", actor.table_id, DealerRefused(ANOTHER_SEED))
        return Taken(_called_off(table, before, number, seats, now, ANOTHER_SEED))
    started = _started(table, number, seats, commitment)
    table = preview(table, (started,), now)
    antes = outcome_facts(table, _hand(table), outcome, now)
    return Taken(Change(facts=(*before, started, *antes), betting=outcome.state))


async def _bound(actor: TableActor, table: Table, hand: HandToDeal) -> Commitment:
    """The dealer bound to the deck, with what the players added; each answer is repeated when asked again."""
    dealer, call = actor.world.dealer, table.entropy
    commitment = await dealer.open_hand(hand)
    for each in call.added if call is not None else ():
        commitment = await dealer.contribute_entropy(hand.hand_id, each.seat, each.entropy)
    return commitment if commitment.deck_root else await dealer.fix_deck(hand.hand_id)


async def _was_dealt(actor: TableActor, number: int) -> bool:
    """No hand that players know is dealt to them again: its cards come after the log has it, never before.

    Another process may have begun it just now: then what follows from this comes to nothing. A hand that was prepared
    and never dealt says nothing of those after it: they are asked about until the dealer knows of none.
    """
    if actor.dealer_compared:
        return False
    dealer, coming = actor.world.dealer, hand_id_of(actor.table_id, number + 1)
    dealt = await dealer.has_dealt(hand_id_of(actor.table_id, number))
    actor.dealer_compared = not dealt and not await dealer.was_asked_for(coming)
    return dealt


async def _refuse_deck(actor: TableActor, number: int) -> None:
    """A real table plays no hand of a dealer that may be told its cards: the deck is void, and the table waits.

    ServiceAway for as long as the dealer is such a one; returns once it was started again as it should be.
    """
    dealer, witness = actor.world.dealer, actor.world.witness
    await dealer.void_hand(hand_id_of(actor.table_id, number), VOIDED)
    if await dealer.scripted_decks():
        witness.step_failed("StartHand", actor.table_id, DealerRefused(REFUSED))
        raise ServiceAway("dealer")


def _called_off(
    table: Table, before: tuple[Fact, ...], number: int, seats: tuple[TableSeat, ...], now: datetime, cause: str
) -> Change:
    """What the dealer prepared for this number cannot be played: the hand is void, the next one is played."""
    nothing = Commitment(
        shuffle_version="", seed_commitment=b"", deck_root=b"", scripted=False, scripted_decks_allowed=False
    )
    started = _started(table, number, seats, nothing)
    hand = _hand(preview(table, (started,), now))
    return Change(facts=(*before, started, voided_fact(hand, cause)))


def _hand_to_bet(table: Table, seats: tuple[TableSeat, ...], sheet: Sheet) -> HandToBet:
    return HandToBet(
        rules=table.rules.hand,
        stakes=table.stakes,
        seats=tuple(SeatStack(seat=seat.seat, stack_chips=seat.stack_chips) for seat in seats),
        last_two_of_event=sheet.last_two_of_event,
    )


def _hand_to_deal(table: Table, number: int, seats: tuple[TableSeat, ...]) -> HandToDeal:
    return HandToDeal(
        hand_id=hand_id_of(table.table_id, number),
        table_id=table.table_id,
        hand_number=number,
        seats=tuple(seat.seat for seat in seats),
        rules=table.rules.hand,
        entropy_seats=asked_of(table, seats) if table.entropy is None else table.entropy.asked.asked_seats,
        script=_script(table, number),
        seat_keys=keys_of(seats) if table.entropy is None else table.entropy.seat_keys,
    )


def _script(table: Table, number: int) -> Script | None:
    return table.scripted_hands[number - 1] if number <= len(table.scripted_hands) else None


def _started(table: Table, number: int, seats: tuple[TableSeat, ...], commitment: Commitment) -> HandStarted:
    return HandStarted(
        hand_number=number,
        seats=tuple(
            SeatDealtIn(seat=seat.seat, player_id=seat.player_id, stack_chips=seat.stack_chips, absent=seat.sitting_out)
            for seat in seats
        ),
        stakes=table.stakes,
        rules=table.rules.hand,
        level=table.level,
        seed_commitment=commitment.seed_commitment,
        deck_root=commitment.deck_root,
        shuffle_version=commitment.shuffle_version,
        scripted=commitment.scripted,
        entropy=table.entropy.added if table.entropy is not None else (),
    )


def _going_on(table: Table) -> tuple[Fact, ...]:
    """What the sheet ends: a break, a pause of the whole tournament."""
    facts: list[Fact] = []
    if table.break_until is not None:
        facts.append(TableResumed(after=Halt.BREAK, deadline=None))
    if table.pause is not None and table.pause.by_director:
        facts.append(TableResumed(after=Halt.PAUSE, deadline=None))
    return tuple(facts)


def _waiting(table: Table, wait: Wait | None) -> tuple[Fact, ...]:
    """A break or a pause of the tournament is said once."""
    if wait is None:
        return ()
    if wait.reason is WaitReason.BREAK and wait.until is not None and table.break_until != wait.until:
        return (BreakStarted(until=wait.until),)
    if wait.reason is WaitReason.PAUSED and table.pause is None:
        return (TablePaused(cause="the tournament is paused", clocks_too=False, remaining_millis=0, by_director=True),)
    return ()


def _closing(table: Table, sheet: Sheet) -> tuple[Fact, ...]:
    facts = sheet_facts(table, sheet)
    gone = {happened.seat for happened in facts if isinstance(happened, PlayerLeft)}
    stayed = (left(seat, LeaveCause.TABLE_CLOSED) for seat in table.seats if seat.seat not in gone)
    return (*facts, *stayed, TableClosed())


def _hand(table: Table) -> Hand:
    if table.hand is None:
        raise LookupError("the hand was just started")
    return table.hand
