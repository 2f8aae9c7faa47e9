"""How the facts of a hand change the hand, and what of it stays with the table afterwards."""

from collections.abc import Callable, Mapping
from typing import Any

from services.orchestrator.domain import hand_facts as fact
from services.orchestrator.domain.clocks import extra_time, is_gone
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.hand import Hand, HandSeat, OpenTurn, Showdown
from services.orchestrator.domain.table import Table, TableSeat
from services.orchestrator.domain.wagering import ActionCause, ActionKind
from shared.kernel.frozen import evolve, evolver
from shared.kernel.game import Street
from shared.kernel.rules import TimeBankRefill

HandFold = Callable[[Hand, Any], Hand]
_WAGERS = {ActionKind.COMPLETE, ActionKind.BET, ActionKind.RAISE}
_acted_seat = evolver(HandSeat, "stack_chips", "street_chips", "hand_chips", "folded", "all_in")
_acted_hand = evolver(Hand, "seats", "turn", "last_aggressor_seat")
_hand_in_turn = evolver(Hand, "turn", "first_to_act_seat")
_with_hand, _table_in_turn = evolver(Table, "hand"), evolver(Table, "hand", "turn_id")
"""Quick: every action needs them."""


def _started(table: Table, event: Recorded, started: fact.HandStarted) -> Table:
    seats = tuple(
        HandSeat(
            seat=each.seat,
            player_id=each.player_id,
            start_chips=each.stack_chips,
            stack_chips=each.stack_chips,
            absent=each.absent,
        )
        for each in started.seats
    )
    hand = Hand(
        hand_id=event.hand_id,
        hand_number=started.hand_number,
        first_version=event.version,
        seats=seats,
        stakes=started.stakes,
        rules=started.rules,
        level=started.level,
        scripted=started.scripted,
        deck_root=started.deck_root,
    )
    refilled = _refilled(table, started.hand_number)
    return evolve(table, hand=hand, hand_number=started.hand_number, seats=refilled, entropy=None)


def _refilled(table: Table, hand_number: int) -> tuple[TableSeat, ...]:
    """Time banks are full again after so many hands, where the rules refill them (rule 139)."""
    clock = table.rules.clock
    played = hand_number - 1
    if clock.time_bank_refill is not TimeBankRefill.HANDS or not played or played % clock.time_bank_refill_hands:
        return table.seats
    return tuple(evolve(seat, time_bank_seconds=clock.time_bank_seconds) for seat in table.seats)


def _ante(hand: Hand, posted: fact.AntePosted) -> Hand:
    return _change(hand, posted.seat, stack_chips=posted.stack_chips, hand_chips=posted.chips, all_in=posted.all_in)


def _dealt(hand: Hand, dealt: fact.StreetDealt) -> Hand:
    cards = {each.seat: each for each in dealt.seats}
    seats = tuple(_with_cards(seat, cards.get(seat.seat)) for seat in hand.seats)
    return evolve(
        hand,
        street=dealt.street,
        seats=seats,
        common_card=dealt.common_card or hand.common_card,
        first_to_act_seat=0,
        last_aggressor_seat=0,
    )


def _with_cards(seat: HandSeat, cards: fact.StreetCards | None) -> HandSeat:
    if cards is None:
        return evolve(seat, street_chips=0)
    return evolve(
        seat,
        street_chips=0,
        down_count=seat.down_count + cards.down_count,
        up_cards=seat.up_cards + cards.up_cards,
    )


def _opened(hand: Hand, _: fact.StreetOpened) -> Hand:
    return hand


def _turn(table: Table, _: Recorded, started: fact.TurnStarted) -> Table:
    turn = OpenTurn(
        turn_id=started.turn_id,
        seat=started.seat,
        player_id=started.player_id,
        deadline=started.deadline,
        legal=started.legal,
    )
    hand = _hand(table)
    if is_gone(table, turn) and extra_time(table, turn.seat):
        hand = _change(hand, turn.seat, extra_time_used=True)
    hand = _hand_in_turn(hand, turn=turn, first_to_act_seat=hand.first_to_act_seat or started.seat)
    return _table_in_turn(table, hand=hand, turn_id=started.turn_id)


def _bank(hand: Hand, started: fact.TimeBankStarted) -> Hand:
    if hand.turn is None:
        return hand
    return evolve(hand, turn=evolve(hand.turn, deadline=started.deadline, bank_seconds=started.bank_seconds))


def _acted(table: Table, _: Recorded, taken: fact.ActionTaken) -> Table:
    hand = _hand(table)
    seat = hand.seat(taken.seat)
    after = _acted_seat(
        seat,
        stack_chips=taken.stack_chips,
        street_chips=seat.street_chips + taken.paid_chips,
        hand_chips=seat.hand_chips + taken.paid_chips,
        folded=taken.kind is ActionKind.FOLD,
        all_in=taken.all_in,
    )
    seats = tuple([after if each is seat else each for each in hand.seats])
    aggressor = taken.seat if taken.kind in _WAGERS else hand.last_aggressor_seat
    hand = _acted_hand(hand, seats=seats, turn=None, last_aggressor_seat=aggressor)
    return _use_bank(_with_hand(table, hand=hand), taken.seat, taken.time_bank_used_seconds)


def _frozen(table: Table, _: Recorded, frozen: fact.SeatFrozen) -> Table:
    hand = evolve(_change(_hand(table), frozen.seat, frozen=True), turn=None)
    used = 0 if frozen.cause is ActionCause.PLAYER else 1
    seats = tuple(
        evolve(seat, protections_used=seat.protections_used + used) if seat.seat == frozen.seat else seat
        for seat in table.seats
    )
    return _use_bank(evolve(table, hand=hand, seats=seats), frozen.seat, frozen.time_bank_used_seconds)


def _returned(hand: Hand, back: fact.UncalledBetReturned) -> Hand:
    seat = hand.seat(back.seat)
    return _change(
        hand,
        back.seat,
        stack_chips=back.stack_chips,
        street_chips=seat.street_chips - back.chips,
        hand_chips=seat.hand_chips - back.chips,
        all_in=seat.all_in and back.stack_chips == 0,
    )


def _street_closed(hand: Hand, closed: fact.StreetClosed) -> Hand:
    return evolve(hand, pots=closed.pots, turn=None)


def _showdown(hand: Hand, started: fact.ShowdownStarted) -> Hand:
    showdown = Showdown(
        show_order=started.show_order, must_show_seats=started.must_show_seats, deadline=started.deadline
    )
    return evolve(hand, showdown=showdown)


def _shown(hand: Hand, shown: fact.HandShown) -> Hand:
    changed = _change(hand, shown.seat, shown_cards=shown.cards, shown_category=shown.category)
    early = hand.in_play and hand.street is not Street.SEVENTH
    return evolve(changed, exposed=hand.exposed or early)


def _mucked(hand: Hand, mucked: fact.HandMucked) -> Hand:
    """At a showdown; the winner of an uncontested pot has nothing to muck (rules 113, 114)."""
    compared = hand.showdown is not None
    return _change(hand, mucked.seat, mucked=compared, declined=not compared)


def _awarded(hand: Hand, _: fact.PotAwarded) -> Hand:
    return hand


def _ended(table: Table, event: Recorded, ended: fact.HandEnded) -> Table:
    hand = evolve(_hand(table), results=ended.results, rake_chips=ended.rake_chips, turn=None, ended_at=event.at)
    return _settle(table, hand)


def _voided(table: Table, event: Recorded, voided: fact.HandVoided) -> Table:
    hand = evolve(_hand(table), results=voided.results, voided=True, turn=None, ended_at=event.at)
    return _settle(table, hand)


def _settle(table: Table, hand: Hand) -> Table:
    """The seats have the chips that the hand left them."""
    after = {result.seat: result for result in hand.results}
    hand_seats = tuple(evolve(seat, stack_chips=after[seat.seat].after_chips) for seat in hand.seats)
    seats = tuple(
        evolve(seat, stack_chips=after[seat.seat].after_chips)
        if seat.seat in after and after[seat.seat].player_id == seat.player_id
        else seat
        for seat in table.seats
    )
    return evolve(table, hand=evolve(hand, seats=hand_seats), seats=seats)


def _booked(hand: Hand, _: fact.HandBooked) -> Hand:
    return evolve(hand, booked=True)


def _proved(hand: Hand, _: fact.OpeningsPublished) -> Hand:
    return evolve(hand, proved=True)


def _use_bank(table: Table, number: int, used_seconds: int) -> Table:
    if not used_seconds:
        return table
    seats = tuple(
        evolve(seat, time_bank_seconds=max(0, seat.time_bank_seconds - used_seconds)) if seat.seat == number else seat
        for seat in table.seats
    )
    return evolve(table, seats=seats)


def _change(hand: Hand, number: int, **changes: Any) -> Hand:
    return evolve(hand, seats=tuple(evolve(seat, **changes) if seat.seat == number else seat for seat in hand.seats))


def _hand(table: Table) -> Hand:
    if table.hand is None:
        raise ValueError("a fact of a hand without a hand")
    return table.hand


def _of_hand(change: HandFold) -> Callable[[Table, Recorded, Any], Table]:
    return lambda table, _, happened: evolve(table, hand=change(_hand(table), happened))


HAND_FOLDS: Mapping[type, Callable[[Table, Recorded, Any], Table]] = {
    fact.HandStarted: _started,
    fact.AntePosted: _of_hand(_ante),
    fact.StreetDealt: _of_hand(_dealt),
    fact.StreetOpened: _of_hand(_opened),
    fact.TurnStarted: _turn,
    fact.TimeBankStarted: _of_hand(_bank),
    fact.ActionTaken: _acted,
    fact.SeatFrozen: _frozen,
    fact.UncalledBetReturned: _of_hand(_returned),
    fact.StreetClosed: _of_hand(_street_closed),
    fact.ShowdownStarted: _of_hand(_showdown),
    fact.HandShown: _of_hand(_shown),
    fact.HandMucked: _of_hand(_mucked),
    fact.PotAwarded: _of_hand(_awarded),
    fact.HandEnded: _ended,
    fact.HandVoided: _voided,
    fact.HandBooked: _of_hand(_booked),
    fact.OpeningsPublished: _of_hand(_proved),
}
