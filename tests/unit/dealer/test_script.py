"""Cards chosen beforehand: they come just in time, and an impossible script is refused with a word."""

from collections.abc import Sequence

import pytest

from services.dealer.domain.answers import StreetDealt
from services.dealer.domain.script import Script, ScriptedSeat, bring, check_script
from shared.kernel.cards import FACE_DOWN, FULL_DECK, Card, cards_text, parse_card
from shared.kernel.errors import DomainError, Reason
from tests.support.dealer_hands import a_command, cards_of, deal, deal_profile, open_hand, script_of

SEVEN = "As Ks Qs Js Ts 9s 8s"
OTHER = "Ah Kh Qh Jh Th 9h 8h"


def cards_dealt(streets: Sequence[StreetDealt], seat: int) -> tuple[Card, ...]:
    """All own cards of a seat in deal order."""
    own = [each for street in streets for each in street.dealt if each.seat == seat]
    return tuple(card for each in own for card in (*each.down_cards, *each.up_cards))


def refused(script: Script, seats: int = 8) -> DomainError:
    """The refusal of a script when the hand is opened."""
    with pytest.raises(DomainError) as refusal:
        check_script(script, range(1, seats + 1))
    assert refusal.value.reason is Reason.CARDS_INVALID
    return refusal.value


def test_bringing_a_card_swaps_it_with_what_lay_there() -> None:
    deck = bring(FULL_DECK, parse_card("As"), 0)
    assert (deck[0], deck[51]) == (parse_card("As"), parse_card("2c"))
    assert sorted(deck) == list(FULL_DECK)


def test_scripted_seats_get_their_cards_in_deal_order() -> None:
    hand = open_hand(a_command(3, script=script_of(s1=SEVEN, s3=OTHER)))
    _, streets = deal_profile(hand, (3, 3, 3, 3))
    assert cards_dealt(streets, 1) == cards_of(SEVEN)
    assert cards_dealt(streets, 3) == cards_of(OTHER)
    assert set(cards_dealt(streets, 2)).isdisjoint(cards_of(SEVEN + " " + OTHER))


@pytest.mark.parametrize("seed", range(20))
def test_open_places_and_burned_cards_never_take_a_card_that_is_needed_later(seed: int) -> None:
    script = script_of(s1="? ? As ? ? ? Ks", s2="? ? 2c 3c 4c 5c 6c", s8="Ah Ac Ad 7h 8h")
    hand, streets = deal_profile(open_hand(a_command(8, script=script), seed), (8, 5, 3, 2))
    assert cards_dealt(streets, 8)[:4] == cards_of("Ah Ac Ad 7h")
    assert cards_dealt(streets, 2)[2:] == cards_of("2c 3c 4c 5c 6c")
    assert cards_dealt(streets, 1)[6] == parse_card("Ks")
    seen = [card for seat in range(1, 9) for card in cards_dealt(streets, seat)]
    assert len(seen) == len(set(seen))
    assert hand[0].terms.scripted


def test_seven_full_hands_can_be_scripted() -> None:
    deck = list(FULL_DECK)
    seats = tuple(ScriptedSeat(seat=at + 1, cards=tuple(deck[at * 7 : at * 7 + 7])) for at in range(7))
    _, streets = deal_profile(open_hand(a_command(7, script=Script(seats=seats))), (7, 7, 7, 7))
    for each in seats:
        assert cards_dealt(streets, each.seat) == each.cards


@pytest.mark.parametrize("preset", ["card_room", "classic"])
@pytest.mark.parametrize("seed", range(5))
def test_a_scripted_common_card_is_turned_wherever_it_comes_from(preset: str, seed: int) -> None:
    deck = list(FULL_DECK)
    seats = tuple(ScriptedSeat(seat=at + 1, cards=tuple(deck[at * 6 : at * 6 + 6])) for at in range(8))
    script = Script(seats=seats, common_card=deck[50])
    _, streets = deal_profile(open_hand(a_command(8, preset, script), seed), (8, 8, 8, 8))
    assert streets[-1].common_card == deck[50]
    for each in seats:
        assert cards_dealt(streets, each.seat) == each.cards


@pytest.mark.parametrize("seed", range(5))
def test_scripted_seventh_cards_come_out_of_a_reshuffle(seed: int) -> None:
    script = script_of(**{f"s{seat}": f"? ? ? ? ? ? {card}" for seat, card in enumerate(["2c", "3c", "4c", "5c"], 1)})
    hand = open_hand(a_command(8, script=script), seed)
    _, streets = deal_profile(hand, (8, 8, 8, 4))
    assert streets[-1].source == "RESHUFFLED_STUB_AND_BURNS"
    assert cards_text(each.down_cards[0] for each in streets[-1].dealt) == "2c3c4c5c"


def test_cards_of_a_seat_that_folded_may_be_used_up() -> None:
    deck = list(FULL_DECK)
    seats = tuple(ScriptedSeat(seat=at + 1, cards=tuple(deck[at * 7 : at * 7 + 7])) for at in range(7))
    hand, third = deal(open_hand(a_command(8, script=Script(seats=seats))), 8)
    streets = [third]
    for _ in range(4):
        hand, street = deal(hand, (1, 8))
        streets.append(street)
    assert cards_dealt(streets, 1) == seats[0].cards
    assert len(set(cards_dealt(streets, 8))) == 7


@pytest.mark.parametrize(
    ("script", "word"),
    [
        (script_of(s1="As", s2="As"), "As stands twice"),
        (script_of(common="As", s2="As"), "As stands twice"),
        (script_of(s1=SEVEN + " 2c"), "more than seven"),
        (script_of(s8="As"), "seat 8 is not dealt in"),
        (Script(seats=(ScriptedSeat(seat=1, cards=()), ScriptedSeat(seat=1, cards=()))), "a seat stands twice"),
        (Script(seats=(ScriptedSeat(seat=1, cards=(Card(0),)),)), "a card is not set"),
        (script_of(common="2c", s1=SEVEN), "a common card and seventh cards"),
    ],
)
def test_an_impossible_script_is_refused_when_the_hand_is_opened(script: Script, word: str) -> None:
    assert word in refused(script, seats=7).message


def test_a_seventh_card_where_a_common_card_is_turned_is_refused_at_the_street() -> None:
    hand = open_hand(a_command(8, script=script_of(s3=SEVEN)))
    for live in (8, 8, 8, 8):
        hand, _ = deal(hand, live)
    with pytest.raises(DomainError, match="one common card is turned here, but seat 3 has a seventh card") as refusal:
        deal(hand, 8)
    assert refusal.value.reason is Reason.CARDS_INVALID


def test_a_common_card_where_everybody_has_an_own_card_is_refused_at_the_street() -> None:
    hand = open_hand(a_command(8, script=script_of(common="2c")))
    for live in (8, 8, 8, 8):
        hand, _ = deal(hand, live)
    with pytest.raises(DomainError, match="every seat gets a card of its own"):
        deal(hand, 4)


def test_a_script_that_needs_every_card_left_is_refused_at_the_street() -> None:
    deck = list(FULL_DECK)
    seats = [ScriptedSeat(seat=at + 1, cards=tuple(deck[at * 7 : at * 7 + 7])) for at in range(7)]
    seats.append(ScriptedSeat(seat=8, cards=(FACE_DOWN, FACE_DOWN, *deck[49:52])))
    hand, _ = deal_profile_until_refused(Script(seats=tuple(seats)))
    assert "every card left is needed later" in hand


def deal_profile_until_refused(script: Script) -> tuple[str, int]:
    """The message of the street that could not be dealt, and how many were."""
    hand = open_hand(a_command(8, script=script))
    for count in range(5):
        try:
            hand, _ = deal(hand, 8)
        except DomainError as refusal:
            return refusal.message, count
    raise AssertionError("the script was dealt")
