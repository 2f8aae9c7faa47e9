"""The showdown: what each hand is worth, who wins each pot in odd-chip order, who shows (rules 107-127)."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.evaluator.domain.hand_value import HandValue, value_of
from services.evaluator.domain.odd_chips import in_odd_chip_order
from services.evaluator.domain.show_order import River, ShowStep, show_order
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand, check_hands, check_pots
from shared.kernel.cards import Card
from shared.kernel.rules import HandRules, OddChip


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatValue:
    """A seat's value at the showdown."""

    seat: int
    """Seat number."""
    value: HandValue
    """What its hand is worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PotWinners:
    """Winners of a pot."""

    pot_index: int
    """Index of the pot."""
    winner_seats: tuple[int, ...]
    """Winning seats in the order in which odd chips are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showdown:
    """The showdown."""

    values: tuple[SeatValue, ...]
    """Values of all hands, in dealing order."""
    winners: tuple[PotWinners, ...]
    """Winners of each pot."""
    show_order: tuple[ShowStep, ...]
    """Who shows, in order."""


@dataclass(frozen=True, slots=True)
class _Contender:
    seat: int
    strength: int
    best_five: tuple[Card, ...]
    all_cards: tuple[Card, ...]


def rank_showdown(
    hands: Sequence[SeatHand], common_card: Card | None, pots: Sequence[PotToWin], river: River, rules: HandRules
) -> Showdown:
    """Compare the live hands, which come in dealing order, and say who wins each pot and who shows.

    Each pot is compared by itself among the seats that can win it. CARDS_INVALID for cards that cannot be on one table.
    """
    check_hands(hands, common_card)
    check_pots(pots, [hand.seat for hand in hands])
    shared = () if common_card is None else (common_card,)
    values = tuple(SeatValue(seat=hand.seat, value=value_of((*hand.cards, *shared))) for hand in hands)
    contenders = [
        _Contender(hand.seat, seat_value.value.strength, seat_value.value.best_five, (*hand.cards, *shared))
        for hand, seat_value in zip(hands, values, strict=True)
    ]
    winners = tuple(_winners(pot, contenders, rules.odd_chip) for pot in pots)
    return Showdown(
        values=values, winners=winners, show_order=show_order(hands, river, _contested(pots, winners), rules)
    )


def _winners(pot: PotToWin, contenders: Sequence[_Contender], odd_chip: OddChip) -> PotWinners:
    eligible = [contender for contender in contenders if contender.seat in pot.eligible_seats]
    best = max(contender.strength for contender in eligible)
    tied = [contender for contender in eligible if contender.strength == best]
    return PotWinners(pot_index=pot.pot_index, winner_seats=in_odd_chip_order(tied, odd_chip))


def _contested(pots: Sequence[PotToWin], winners: Sequence[PotWinners]) -> frozenset[int]:
    """Seats that win a pot which somebody else could have won; the others are paid without showing (rule 103)."""
    return frozenset(
        seat for pot, won in zip(pots, winners, strict=True) if len(pot.eligible_seats) > 1 for seat in won.winner_seats
    )
