"""Who opens a street: boards ordered by their ranks alone (rules 53, 79-81, 95).

Four of a kind, full house (only with the common card), three of a kind, two pair, pair, high cards. Straights and
flushes do not count, kickers do to the last card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from services.evaluator.domain.card_checks import check_all_different, check_count, check_deck_cards
from services.evaluator.domain.seats import check_seats
from shared.kernel.cards import Card, rank_of
from shared.kernel.rules import CommonCardOpener, HandRules, OpenerTie

_UP_CARDS_MOST = 4

BoardRank = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBoard:
    """A seat's up cards."""

    seat: int
    """Seat number, 1 to 8."""
    up_cards: tuple[Card, ...]
    """Its up cards, 1 to 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardGroup:
    """Seats with boards of the same ranks."""

    seats: tuple[int, ...]
    """The seats, in dealing order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOrder:
    """Who opens a street."""

    seats: tuple[int, ...]
    """All seats, best board first, ties by the rule of the hand."""
    groups: tuple[BoardGroup, ...]
    """The same, with ties together."""
    open_pair_seats: tuple[int, ...]
    """Seats whose own up cards show a pair or better, in dealing order."""


def order_boards(boards: Sequence[SeatBoard], common_card: Card | None, rules: HandRules) -> BoardOrder:
    """All seats from the best board down; boards come in dealing order.

    CARDS_INVALID for cards that are doubled, face down, or not equally many on every board.
    """
    _check_boards(boards, common_card)
    counted = common_card if rules.common_card_opener is CommonCardOpener.UP_CARDS_AND_COMMON else None
    groups = [_in_tie_order(group, counted, rules.opener_tie) for group in _tied_groups(boards, counted)]
    dealt = {board.seat: place for place, board in enumerate(boards)}
    return BoardOrder(
        seats=tuple(seat for group in groups for seat in group),
        groups=tuple(BoardGroup(seats=tuple(sorted(group, key=dealt.__getitem__))) for group in groups),
        open_pair_seats=tuple(board.seat for board in boards if _shows_a_pair(board.up_cards)),
    )


def board_rank(cards: Sequence[Card]) -> BoardRank:
    """How good a board is: how often its ranks are there, most frequent first, then which ranks these are."""
    ranks = [rank_of(card) for card in cards]
    groups = sorted([(ranks.count(rank), rank) for rank in set(ranks)], reverse=True)
    return tuple(count for count, _ in groups), tuple(rank for _, rank in groups)


def _rank_alone(ranked: tuple[BoardRank, SeatBoard]) -> BoardRank:
    return ranked[0]


def _tied_groups(boards: Sequence[SeatBoard], common_card: Card | None) -> list[list[SeatBoard]]:
    ranked = [(board_rank(_seen(board, common_card)), board) for board in boards]
    ranked.sort(key=_rank_alone, reverse=True)  # boards of equal rank stay in dealing order
    return [[board for _, board in group] for _, group in groupby(ranked, key=_rank_alone)]


def _shows_a_pair(cards: Sequence[Card]) -> bool:
    return len({rank_of(card) for card in cards}) < len(cards)


def _in_tie_order(group: Sequence[SeatBoard], common_card: Card | None, tie: OpenerTie) -> list[int]:
    if tie is OpenerTie.SUIT:  # highest card by suit; a shared card decides nothing, so the next one does
        group = sorted(group, key=lambda board: sorted(_seen(board, common_card), reverse=True), reverse=True)
    return [board.seat for board in group]


def _seen(board: SeatBoard, common_card: Card | None) -> tuple[Card, ...]:
    return board.up_cards if common_card is None else (*board.up_cards, common_card)


def _check_boards(boards: Sequence[SeatBoard], common_card: Card | None) -> None:
    check_seats([board.seat for board in boards], "boards")
    count = len(boards[0].up_cards) if boards else 0
    for place, board in enumerate(boards):
        check_count(board.up_cards, 1, _UP_CARDS_MOST, f"boards[{place}].up_cards")
        check_count(board.up_cards, count, count, f"boards[{place}].up_cards")
    cards = [card for board in boards for card in board.up_cards]
    if common_card is not None:
        cards.append(common_card)
    check_deck_cards(cards, "boards")
    check_all_different(cards, "boards")
