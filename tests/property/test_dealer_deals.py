"""What holds in every deal, whatever the rules, the seats, the folds and the seed are."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.dealer.domain.advance import advance
from services.dealer.domain.answers import StreetDealt, street_dealt
from services.dealer.domain.guard import answered_by, in_dealing_order
from services.dealer.domain.hand import STREETS, HandRecord, Question, StepName
from services.dealer.domain.opening import clockwise_from
from services.dealer.domain.proof import own_openings, public_openings
from services.dealer.domain.script import Script, ScriptedSeat
from services.dealer.domain.streets import dealing_after
from shared.kernel.cards import FACE_DOWN, FULL_DECK, Card
from shared.kernel.errors import DomainError
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)
from shared.kernel.rules.presets import PRESETS
from tests.support.dealer_hands import AT, Hand, a_command, open_hand

whole_hands = settings(max_examples=150, deadline=None)


@st.composite
def rules_of_a_hand(draw: st.DrawFn) -> HandRules:
    """Any combination of the dealing options."""
    return replace(
        PRESETS["card_room"].hand,
        burn_streets=draw(st.sampled_from(BurnStreets)),
        river_burn_shortfall=draw(st.sampled_from(RiverBurnShortfall)),
        exhaustion=draw(st.sampled_from(Exhaustion)),
        common_card_source=draw(st.sampled_from(CommonCardSource)),
        burn_after_reshuffle=draw(st.sampled_from(BurnAfterReshuffle)),
    )


@st.composite
def seats_of_a_hand(draw: st.DrawFn) -> tuple[int, ...]:
    """Two to eight seats in dealing order, full tables more often."""
    count = draw(st.sampled_from([2, 3, 5, 7, 7, 8, 8, 8, 8]))
    seats = draw(st.permutations(range(1, 9)))[:count]
    return clockwise_from(seats[0], tuple(seats))


def fold_some(draw: st.DrawFn, live: tuple[int, ...]) -> tuple[int, ...]:
    """Who stays for the next street."""
    gone = draw(st.sampled_from([0, 0, 0, 1, 1, 2]))
    gone = min(gone, len(live) - 2)
    out = draw(st.permutations(live))[:gone]
    return tuple(seat for seat in live if seat not in out)


@st.composite
def whole_hand(draw: st.DrawFn, *, scripted: bool = False) -> tuple[Hand, tuple[StreetDealt, ...]]:
    """A hand dealt to its river."""
    seats = draw(seats_of_a_hand())
    script = draw(script_for(seats)) if scripted else None
    command = replace(a_command(2, script=script), seats=seats, rules=draw(rules_of_a_hand()))
    hand = open_hand(command, seed=draw(st.integers(0, 2**64)))
    live, streets = seats, list[StreetDealt]()
    for number, street in enumerate(STREETS):
        live = fold_some(draw, live) if number else live
        record = advance(*hand, Question(step=StepName.DEAL_STREET, street=street, seats=live), AT)
        hand = record, hand[1]
        streets.append(street_dealt(*hand, record.version - 1))
    return hand, tuple(streets)


@st.composite
def script_for(draw: st.DrawFn, seats: tuple[int, ...]) -> Script:
    """Up to four cards of each of up to six seats, so that every deal can follow it."""
    cards = list(draw(st.permutations(FULL_DECK))[:24])
    chosen = draw(st.lists(st.sampled_from(seats), unique=True, max_size=6))
    return Script(seats=tuple(ScriptedSeat(seat=seat, cards=draw(wishes(cards))) for seat in chosen))


@st.composite
def wishes(draw: st.DrawFn, cards: list[Card]) -> tuple[Card, ...]:
    """Cards of one seat: some known ones, taken away from those left, and some open places."""
    known = draw(st.lists(st.booleans(), max_size=4))
    return tuple(cards.pop() if each else FACE_DOWN for each in known)


def cards_of_streets(streets: tuple[StreetDealt, ...]) -> list[Card]:
    """Every card that anybody got."""
    own = [card for street in streets for seat in street.dealt for card in (*seat.down_cards, *seat.up_cards)]
    return own + [street.common_card for street in streets if street.common_card is not None]


def own_cards(streets: tuple[StreetDealt, ...], seat: int) -> list[Card]:
    """The cards of a seat in deal order."""
    own = [each for street in streets for each in street.dealt if each.seat == seat]
    return [card for each in own for card in (*each.down_cards, *each.up_cards)]


def check_whole(record: HandRecord, streets: tuple[StreetDealt, ...]) -> None:
    """Every position is dealt, burned or left, once; everybody has the same number of cards."""
    cards = cards_of_streets(streets)
    assert len(cards) == len(set(cards))
    dealing = dealing_after(record.terms.seats, record.steps)
    places = [*(each.position for each in dealing.given), *dealing.burned, *dealing.stub]
    assert sorted(places) == list(range(52))
    assert len(dealing.stub) == streets[-1].stub_count
    for seat in dealing.live:
        own = [each for each in dealing.given if each.seat == seat]
        common = streets[-1].common_card is not None
        assert len(own) == (6 if common else 7)
        assert sum(each.face_up for each in own) == 4


@whole_hands
@given(whole_hand())
def test_no_card_is_dealt_twice_and_every_live_seat_has_its_seven(made: tuple[Hand, tuple[StreetDealt, ...]]) -> None:
    (record, _), streets = made
    check_whole(record, streets)


@whole_hands
@given(whole_hand(scripted=True))
def test_a_scripted_hand_is_a_hand_like_any_other_with_its_cards_in_place(
    made: tuple[Hand, tuple[StreetDealt, ...]],
) -> None:
    (record, secrets), streets = made
    check_whole(record, streets)
    assert secrets.script is not None
    for scripted in secrets.script.seats:
        got = own_cards(streets, scripted.seat)
        for wanted, card in zip(scripted.cards, got, strict=False):
            assert wanted in {FACE_DOWN, card}


@whole_hands
@given(whole_hand())
def test_folded_cards_never_come_back(made: tuple[Hand, tuple[StreetDealt, ...]]) -> None:
    (record, _), _ = made
    given_before: set[int] = set()
    for step in record.steps:
        if step.step != StepName.DEAL_STREET:
            continue
        dealt = dealing_after(record.terms.seats, (step,)).given
        assert given_before.isdisjoint(each.position for each in dealt)
        given_before |= {each.position for each in dealt}


@whole_hands
@given(whole_hand(), st.data())
def test_every_answer_is_the_same_however_late_it_is_asked_for(
    made: tuple[Hand, tuple[StreetDealt, ...]], data: st.DataObject
) -> None:
    (record, secrets), streets = made
    number = data.draw(st.integers(0, 4))
    assert answered_by(record, record.steps[number + 1].question) == number + 1
    assert street_dealt(record, secrets, number + 1) == streets[number]


@whole_hands
@given(whole_hand(), st.data())
def test_a_question_out_of_step_or_for_other_seats_changes_nothing(
    made: tuple[Hand, tuple[StreetDealt, ...]], data: st.DataObject
) -> None:
    (record, secrets), _ = made
    cut = data.draw(st.integers(1, 5))
    partial = replace(record, steps=record.steps[:cut])
    due = record.steps[cut].question
    street = data.draw(st.sampled_from(STREETS))
    seats = in_dealing_order(record, tuple(data.draw(st.lists(st.sampled_from(record.terms.seats), unique=True))))
    asked = Question(step=StepName.DEAL_STREET, street=street, seats=seats)
    if answered_by(partial, asked) is not None:
        return
    live = dealing_after(record.terms.seats, partial.steps).live
    in_step = street is due.street and len(seats) > 1 and set(seats) <= set(live)
    in_step = in_step and (street is not STREETS[0] or seats == record.terms.seats)
    if in_step:
        assert advance(partial, secrets, asked, AT).version == cut + 1
        return
    with pytest.raises(DomainError):
        advance(partial, secrets, asked, AT)


@whole_hands
@given(whole_hand())
def test_openings_show_a_seat_its_own_cards_and_everybody_the_up_cards(
    made: tuple[Hand, tuple[StreetDealt, ...]],
) -> None:
    (record, secrets), _ = made
    for seat in record.terms.seats:
        assert {each.seat for each in own_openings(record, secrets, seat)} <= {seat, 0}
    assert all(each.face_up for each in public_openings(record, secrets))
