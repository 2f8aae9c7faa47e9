"""Who shows first, in which order, and who may keep the hand hidden (rules 107-110, 114)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from services.evaluator.domain.boards import SeatBoard, order_boards
from services.evaluator.domain.seats import clockwise_from, first_at_or_after, refuse_seats
from services.evaluator.domain.showdown_hand import SeatHand
from shared.kernel.rules import HandRules, ShowFirstUnbet


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStep:
    """A seat's place in the order of showing."""

    seat: int
    """Seat number."""
    must_show: bool
    """It must show: it wins or ties a pot, or is first to show and may not muck. Others may muck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class River:
    """What the betting of seventh street says about showing."""

    last_aggressor_seat: int
    """The seat that made the last bet or raise; 0 = none."""
    first_to_act_seat: int
    """The seat that was first to act; 0 = none."""


def show_order(
    hands: Sequence[SeatHand], river: River, winners: Collection[int], rules: HandRules
) -> tuple[ShowStep, ...]:
    """Seats from the first to show clockwise; hands come in dealing order.

    Winners of contested pots must show, and so must the first to show where he made the last wager or has the highest
    board. Who only was first to act on an unbet river has checked, and may muck like the others.
    """
    seats = [hand.seat for hand in hands]
    first = _first_to_show(hands, river, rules)
    bound = not rules.first_to_show_may_muck and _is_bound(river, rules)
    return tuple(
        ShowStep(seat=seat, must_show=not rules.losers_may_muck or seat in winners or (bound and seat == first))
        for seat in clockwise_from(first, seats)
    )


def _first_to_show(hands: Sequence[SeatHand], river: River, rules: HandRules) -> int:
    seats = [hand.seat for hand in hands]
    if river.last_aggressor_seat:
        if river.last_aggressor_seat not in seats:
            raise refuse_seats("last_aggressor_seat", "0 or a seat of the hands")
        return river.last_aggressor_seat
    if rules.show_first_unbet is ShowFirstUnbet.FIRST_TO_ACT and river.first_to_act_seat:
        return first_at_or_after(river.first_to_act_seat, seats)
    boards = [SeatBoard(seat=hand.seat, up_cards=hand.up_cards) for hand in hands]
    return order_boards(boards, None, rules).seats[0]


def _is_bound(river: River, rules: HandRules) -> bool:
    return bool(river.last_aggressor_seat) or rules.show_first_unbet is ShowFirstUnbet.HIGH_BOARD
