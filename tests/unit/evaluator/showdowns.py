"""Showdowns written down shortly: seat, all cards, the first two and the last of them down."""

from collections.abc import Mapping, Sequence

from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown import Showdown, rank_showdown
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand
from shared.kernel.cards import Card, parse_card, parse_cards
from shared.kernel.rules import HandRules

NO_RIVER_BET = River(last_aggressor_seat=0, first_to_act_seat=0)


def seat_hands(cards: Mapping[int, str]) -> tuple[SeatHand, ...]:
    """Hands of seven or six own cards in dealing order."""
    return tuple(_seat_hand(seat, parse_cards(text)) for seat, text in cards.items())


def _seat_hand(seat: int, cards: tuple[Card, ...]) -> SeatHand:
    return SeatHand(seat=seat, cards=cards, up_cards=cards[2:6])


def pots_of(*eligible: Sequence[int]) -> tuple[PotToWin, ...]:
    """Pots by the seats that can win them."""
    return tuple(PotToWin(pot_index=index, eligible_seats=tuple(seats)) for index, seats in enumerate(eligible))


def showdown(
    cards: Mapping[int, str],
    rules: HandRules,
    *eligible: Sequence[int],
    river: River = NO_RIVER_BET,
    common: str = "",
) -> Showdown:
    """The showdown of these hands; one pot for all where none is named."""
    pots = pots_of(*(eligible or (tuple(cards),)))
    return rank_showdown(seat_hands(cards), parse_card(common) if common else None, pots, river, rules)


def winners(result: Showdown) -> list[tuple[int, ...]]:
    """Winners of each pot, in odd-chip order."""
    return [pot.winner_seats for pot in result.winners]


def shown(result: Showdown) -> list[tuple[int, bool]]:
    """Seats in the order of showing, with whether they must."""
    return [(step.seat, step.must_show) for step in result.show_order]
