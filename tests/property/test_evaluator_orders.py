"""Orders of seats are full, and depend on nothing but cards and dealing order."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from services.evaluator.domain.boards import SeatBoard, order_boards
from services.evaluator.domain.bring_in import SeatDoorCard, order_bring_in
from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown import rank_showdown
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand
from shared.kernel.cards import FULL_DECK, Card, rank_of
from shared.kernel.rules import BringInBy, HandRules, HighDoorTie, OddChip, OpenerTie, ShowFirstUnbet, SuitOrder
from shared.kernel.rules.presets import PRESETS

CLASSIC = PRESETS["classic"].hand
decks = st.permutations(FULL_DECK)
seat_counts = st.integers(2, 7)
rules = st.builds(
    lambda by, suits, high, opener, chips, first: replace(
        CLASSIC,
        bring_in_by=by,
        bring_in_suits=suits,
        high_door_tie=high,
        opener_tie=opener,
        odd_chip=chips,
        show_first_unbet=first,
    ),
    st.sampled_from(BringInBy),
    st.sampled_from(SuitOrder),
    st.sampled_from(HighDoorTie),
    st.sampled_from(OpenerTie),
    st.sampled_from(OddChip),
    st.sampled_from(ShowFirstUnbet),
)


@given(deck=decks, count=seat_counts, hand_rules=rules)
@settings(max_examples=200, deadline=None)
def test_every_seat_has_its_turn_at_the_bring_in_and_ranks_never_go_back(
    deck: list[Card], count: int, hand_rules: HandRules
) -> None:
    doors = [SeatDoorCard(seat=seat + 1, card=deck[seat]) for seat in range(count)]
    seats = order_bring_in(doors, hand_rules)
    assert sorted(seats) == list(range(1, count + 1))
    ranks = [rank_of(deck[seat - 1]) for seat in seats]
    assert ranks == sorted(ranks, reverse=hand_rules.bring_in_by is BringInBy.HIGH)


@given(deck=decks, count=seat_counts, up=st.integers(1, 4), hand_rules=rules)
@settings(max_examples=200, deadline=None)
def test_board_groups_are_the_order_with_ties_together(
    deck: list[Card], count: int, up: int, hand_rules: HandRules
) -> None:
    boards = [SeatBoard(seat=seat + 1, up_cards=tuple(deck[seat * up : (seat + 1) * up])) for seat in range(count)]
    order = order_boards(boards, None, hand_rules)
    assert sorted(order.seats) == list(range(1, count + 1))
    at = 0
    for group in order.groups:
        assert sorted(order.seats[at : at + len(group.seats)]) == list(group.seats)
        at += len(group.seats)
    assert at == count


@given(deck=decks, count=seat_counts, hand_rules=rules, aggressor=st.integers(0, 7), first=st.integers(0, 8))
@settings(max_examples=200, deadline=None)
def test_every_pot_has_its_winners_who_show_and_everybody_has_a_place_in_the_order(
    deck: list[Card], count: int, hand_rules: HandRules, aggressor: int, first: int
) -> None:
    hands = [
        SeatHand(
            seat=seat + 1, cards=tuple(deck[7 * seat : 7 * seat + 7]), up_cards=tuple(deck[7 * seat : 7 * seat + 4])
        )
        for seat in range(count)
    ]
    pots = [PotToWin(pot_index=0, eligible_seats=tuple(range(1, count + 1)))]
    river = River(last_aggressor_seat=aggressor if aggressor <= count else 0, first_to_act_seat=first)
    result = rank_showdown(hands, None, pots, river, hand_rules)
    strengths = {each.seat: each.value.strength for each in result.values}
    best = max(strengths.values())
    assert set(result.winners[0].winner_seats) == {seat for seat, strength in strengths.items() if strength == best}
    order = [step.seat for step in result.show_order]
    start = order[0]
    assert order == [*range(start, count + 1), *range(1, start)]
    assert all(step.must_show for step in result.show_order if step.seat in result.winners[0].winner_seats)
