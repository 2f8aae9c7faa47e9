"""Following a table: the view after an event. A viewer who has the table once needs nothing but its events."""

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch
from typing import Any

from services.console.domain import events
from services.console.domain.betting import ActionKind
from services.console.domain.table import SeatView, TableState, TableView

_DOWN_FIRST = 2
_UP_LAST = 6


def after(table: TableView, event: events.TableEvent) -> TableView:
    """The table as it is after the event."""
    changed = _change(event.fact, table)
    return replace(changed, version=event.version, hand_id=event.hand_id or changed.hand_id)


def in_deal_order(cards: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Down cards and up cards of a hand given in deal order: two down, four up, one down."""
    return (*cards[:_DOWN_FIRST], *cards[_UP_LAST:]), cards[_DOWN_FIRST:_UP_LAST]


def _on_seat(table: TableView, number: int, **changes: Any) -> TableView:
    seats = tuple(replace(seat, **changes) if seat.seat == number else seat for seat in table.seats)
    return replace(table, seats=seats)


def _seated(seats: Iterable[SeatView], new: SeatView) -> tuple[SeatView, ...]:
    others = [seat for seat in seats if seat.seat != new.seat]
    return tuple(sorted((*others, new), key=lambda seat: seat.seat))


def _without(table: TableView, number: int) -> TableView:
    return replace(table, seats=tuple(seat for seat in table.seats if seat.seat != number))


@singledispatch
def _change(fact: object, table: TableView) -> TableView:
    del fact
    return table


@_change.register
def _(fact: events.PlayerSeated, table: TableView) -> TableView:
    new = SeatView(seat=fact.seat, player_id=fact.player_id, stack_chips=fact.stack_chips)
    return replace(table, seats=_seated(table.seats, new))


@_change.register
def _(fact: events.PlayerLeft, table: TableView) -> TableView:
    return _without(table, fact.seat)


@_change.register
def _(fact: events.PlayerEliminated, table: TableView) -> TableView:
    return _without(table, fact.seat)


@_change.register
def _(fact: events.ChipsAdded, table: TableView) -> TableView:
    return _on_seat(table, fact.seat, stack_chips=fact.stack_chips)


@_change.register
def _(fact: events.PresenceChanged, table: TableView) -> TableView:
    return _on_seat(table, fact.seat, presence=fact.presence)


@_change.register
def _(fact: events.TablePaused, table: TableView) -> TableView:
    del fact
    return replace(table, state=TableState.PAUSED)


@_change.register
def _(fact: events.TableResumed, table: TableView) -> TableView:
    del fact
    return replace(table, state=TableState.PLAYING, waiting_for="")


@_change.register
def _(fact: events.TableStalled, table: TableView) -> TableView:
    return replace(table, state=TableState.STALLED, waiting_for=fact.waiting_for)


@_change.register
def _(fact: events.TableClosed, table: TableView) -> TableView:
    del fact
    return replace(table, state=TableState.CLOSED, turn=None)


@_change.register
def _(fact: events.StakesChanged, table: TableView) -> TableView:
    return replace(table, stakes=fact.stakes, level=fact.level)


@_change.register
def _(fact: events.HandStarted, table: TableView) -> TableView:
    seats = tuple(_cleared(seat) for seat in table.seats)
    for dealt in fact.seats:
        known = next((seat for seat in seats if seat.seat == dealt.seat), None)
        base = known or SeatView(seat=dealt.seat, player_id=dealt.player_id, stack_chips=0)
        seats = _seated(seats, replace(base, player_id=dealt.player_id, stack_chips=dealt.stack_chips, in_hand=True))
    fresh = replace(table, seats=seats, state=TableState.PLAYING, waiting_for="", pot_total_chips=0, common_card=None)
    return replace(fresh, hand_number=fact.hand_number, stakes=fact.stakes, level=fact.level, street=None, turn=None)


def _cleared(seat: SeatView) -> SeatView:
    return SeatView(seat=seat.seat, player_id=seat.player_id, stack_chips=seat.stack_chips, presence=seat.presence)


@_change.register
def _(fact: events.AntePosted, table: TableView) -> TableView:
    paid = replace(table, pot_total_chips=table.pot_total_chips + fact.chips)
    return _on_seat(paid, fact.seat, stack_chips=fact.stack_chips, all_in=fact.all_in)


@_change.register
def _(fact: events.StreetDealt, table: TableView) -> TableView:
    dealt = {cards.seat: cards for cards in fact.seats}
    seats = tuple(_dealt(seat, dealt.get(seat.seat)) for seat in table.seats)
    common = fact.common_card or table.common_card
    return replace(table, seats=seats, street=fact.street, common_card=common, turn=None)


def _dealt(seat: SeatView, cards: events.SeatCards | None) -> SeatView:
    if cards is None:
        return replace(seat, street_chips=0)
    down, up = (*seat.down_cards, *cards.down_cards), (*seat.up_cards, *cards.up_cards)
    return replace(seat, street_chips=0, down_cards=down, up_cards=up)


@_change.register
def _(fact: events.TurnStarted, table: TableView) -> TableView:
    return replace(table, turn=fact.turn)


@_change.register
def _(fact: events.ActionTaken, table: TableView) -> TableView:
    paid = replace(table, turn=None, pot_total_chips=table.pot_total_chips + fact.paid_chips)
    changes: dict[str, Any] = {"stack_chips": fact.stack_chips, "all_in": fact.all_in}
    if fact.kind is ActionKind.FOLD:
        changes["folded"] = True
    if fact.paid_chips:
        changes["street_chips"] = fact.to_chips
    return _on_seat(paid, fact.seat, **changes)


@_change.register
def _(fact: events.SeatFrozen, table: TableView) -> TableView:
    return _on_seat(replace(table, turn=None), fact.seat, frozen=True)


@_change.register
def _(fact: events.UncalledBetReturned, table: TableView) -> TableView:
    less = replace(table, pot_total_chips=table.pot_total_chips - fact.chips)
    return _on_seat(less, fact.seat, stack_chips=fact.stack_chips, all_in=False)


@_change.register
def _(fact: events.HandShown, table: TableView) -> TableView:
    down, up = in_deal_order(fact.cards)
    return _on_seat(table, fact.seat, down_cards=down, up_cards=up)


@_change.register
def _(fact: events.PotAwarded, table: TableView) -> TableView:
    table = replace(table, pot_total_chips=max(table.pot_total_chips - fact.award.chips, 0), turn=None)
    for share in fact.award.shares:
        seat = table.seat(share.seat)
        if seat is not None:
            table = _on_seat(table, share.seat, stack_chips=seat.stack_chips + share.chips, all_in=False)
    return table


@_change.register
def _(fact: events.HandEnded, table: TableView) -> TableView:
    return _ended(table, fact.results)


@_change.register
def _(fact: events.HandVoided, table: TableView) -> TableView:
    return _ended(table, fact.results)


def _ended(table: TableView, results: tuple[events.SeatResult, ...]) -> TableView:
    for result in results:
        broke = result.after_chips == 0
        table = _on_seat(table, result.seat, stack_chips=result.after_chips, street_chips=0, all_in=broke)
    return replace(table, pot_total_chips=0, street=None, turn=None)
