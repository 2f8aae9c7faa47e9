"""The requests as the domain takes them: mirrors of the messages, field by field."""

from dataclasses import dataclass

from services.evaluator.domain.boards import SeatBoard
from services.evaluator.domain.bring_in import SeatDoorCard
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand
from shared.kernel.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class HandQuestion:
    """One hand to value."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BringInQuestion:
    """Door cards to order; the rules are read apart."""

    door_cards: tuple[SeatDoorCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardsQuestion:
    """Boards to order; the rules are read apart."""

    boards: tuple[SeatBoard, ...]
    common_card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownQuestion:
    """Hands to compare; the rules are read apart."""

    hands: tuple[SeatHand, ...]
    common_card: Card | None
    pots: tuple[PotToWin, ...]
    last_aggressor_seat: int
    first_to_act_seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BringInAnswer:
    """Who owes the bring-in."""

    seats: tuple[int, ...]
