"""What the evaluator answers: full orders of seats, never single names (rules 23-27, 53, 79-81, 107-125)."""

from dataclasses import dataclass
from enum import StrEnum

from shared.kernel.cards import Card
from shared.kernel.rules import HandRules


class HandCategory(StrEnum):
    """The kinds of hand from lowest to highest (rule 117)."""

    HIGH_CARD = "HIGH_CARD"
    PAIR = "PAIR"
    TWO_PAIR = "TWO_PAIR"
    THREE_OF_A_KIND = "THREE_OF_A_KIND"
    STRAIGHT = "STRAIGHT"
    FLUSH = "FLUSH"
    FULL_HOUSE = "FULL_HOUSE"
    FOUR_OF_A_KIND = "FOUR_OF_A_KIND"
    STRAIGHT_FLUSH = "STRAIGHT_FLUSH"
    ROYAL_FLUSH = "ROYAL_FLUSH"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandValue:
    """What a hand is worth, and how people say it."""

    strength: int
    category: HandCategory
    best_five: tuple[Card, ...]
    description_en: str
    description_it: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatDoorCard:
    """A seat's up card of third street."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBoard:
    """A seat's up cards."""

    seat: int
    up_cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOrder:
    """Who opens a street: all live seats, best board first; and who shows a pair."""

    seats: tuple[int, ...]
    open_pair_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatHand:
    """A live seat's hand at the showdown: its own cards, and those of them that lie up."""

    seat: int
    cards: tuple[Card, ...]
    up_cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PotToWin:
    """A pot and the seats that can win it."""

    pot_index: int
    eligible_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownToRank:
    """Everything that the comparison of hands needs."""

    hands: tuple[SeatHand, ...]
    """In dealing order."""
    common_card: Card | None
    pots: tuple[PotToWin, ...]
    rules: HandRules
    last_aggressor_seat: int
    """0 = nobody wagered on seventh street."""
    first_to_act_seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatValue:
    """A seat's value at the showdown."""

    seat: int
    value: HandValue


@dataclass(frozen=True, slots=True, kw_only=True)
class PotWinners:
    """Winning seats of a pot in the order in which odd chips are given."""

    pot_index: int
    winner_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStep:
    """A seat's place in the order of showing."""

    seat: int
    must_show: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownRanking:
    """The showdown: values stay with the orchestrator, hidden hands stay hidden."""

    values: tuple[SeatValue, ...]
    winners: tuple[PotWinners, ...]
    show_order: tuple[ShowStep, ...]
