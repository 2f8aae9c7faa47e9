"""Checking hands in the console: it agrees with the stand-alone verifier, and nothing that was changed passes."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.console.domain.fair_check import check
from services.console.domain.fair_record import (
    CardSource,
    Evidence,
    Mismatch,
    OwnOpenings,
)
from services.console.domain.fair_river import river_of
from services.console.domain.fair_words import told
from services.dealer.domain.advance import advance
from services.dealer.domain.deck_out import Supply, decide_river
from services.dealer.domain.hand import Question, StepName
from services.dealer.domain.proof import own_openings
from services.dealer.domain.rules import dealing_rules
from shared.kernel.game import Street
from shared.kernel.rules.hand import HandRules
from tests.fairness import verifier
from tests.fairness.published import dealer_record, refuses, table_record
from tests.fairness.records import a_random_hand, proof_json, rules_json
from tests.fairness.tampering import CHANGES, Change
from tests.property.test_dealer_deals import rules_of_a_hand
from tests.support.dealer_hands import AT, Hand, a_command, deal, open_hand

HANDS = 60


@pytest.fixture(scope="module")
def hands() -> list[tuple[Hand, HandRules]]:
    return [a_random_hand(number) for number in range(HANDS)]


Hands = list[tuple[Hand, HandRules]]


def test_every_random_hand_is_proved_by_the_record_by_the_table_and_by_both(hands: Hands) -> None:
    for hand, rules in hands:
        record = dealer_record(hand)
        table = table_record(record, rules)
        for evidence in (Evidence(record=record), Evidence(table=table), Evidence(record=record, table=table)):
            proven = check(evidence)
            assert len(proven.cards) == len(record.openings)
            assert "PROVED" in told(evidence, proven)[0]


def test_a_seat_proves_its_own_down_cards_and_nobody_elses(hands: Hands) -> None:
    for hand, rules in hands:
        record = dealer_record(hand)
        table = table_record(record, rules)
        for seat in record.seats[:2]:
            cards = own_openings(*hand, seat)
            own = OwnOpenings(openings=cards, commitment=record.commitment)  # type: ignore[arg-type]  # the same fields
            for evidence in (Evidence(record=record, own=own), Evidence(table=table, own=own)):
                proven = check(evidence)
                assert {each.position for each in cards} <= set(proven.cards)


def test_of_a_river_that_was_mixed_nobody_knows_how_a_seat_has_one_card(hands: Hands) -> None:
    """Without the dealer's record any card of the pile may be anybody's: the house could prove two, and choose."""
    tried = 0
    for hand, rules in hands:
        record = dealer_record(hand)
        river = next(step for step in reversed(record.steps) if step.step == "deal_street")
        if river.source is not CardSource.RESHUFFLED_STUB_AND_BURNS:
            continue
        tried, (first, second) = tried + 1, river.seats[:2]
        others = [each for each in own_openings(*hand, second) if each.street is Street.SEVENTH]
        cards = (*own_openings(*hand, first), *(replace(each, seat=first) for each in others))
        own = OwnOpenings(openings=cards, commitment=record.commitment)  # type: ignore[arg-type]  # the same fields
        with pytest.raises(Mismatch, match="more cards of the river"):
            check(Evidence(table=table_record(record, rules), own=own))
    assert tried


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_record_in_which_one_thing_was_changed_is_refused_as_the_other_verifier_does(
    change: Change, hands: Hands
) -> None:
    for number, (hand, rules) in enumerate(hands):
        record, published = proof_json(*hand), rules_json(rules)
        table = table_record(dealer_record(hand), rules)
        assert not refuses(record, published, table)
        change(record, published, random.Random(number))
        with pytest.raises(verifier.Mismatch):
            verifier.verify(record, published)
        assert refuses(record, published, table)


def test_a_time_at_the_end_of_the_calendar_is_refused_like_any_wrong_one(hands: Hands) -> None:
    hand, rules = hands[0]
    record = dealer_record(hand)
    table = table_record(record, rules)
    end = datetime.max.replace(tzinfo=UTC)
    never = replace(record, steps=tuple(replace(step, at=end) for step in record.steps))
    late = replace(table, streets=tuple(replace(street, before=end, at=end) for street in table.streets))
    for evidence in (Evidence(record=never, table=table), Evidence(record=record, table=late)):
        with pytest.raises(Mismatch, match=r" s before (the table had come to it|it was dealt)"):
            check(evidence)


def test_a_table_that_showed_another_card_or_committed_late_is_refused(hands: Hands) -> None:
    hand, rules = hands[0]
    record = dealer_record(hand)
    table = table_record(record, rules)
    third = table.streets[0]
    (seat, card), *rest = third.cards
    other = replace(third, cards=((seat, card % 52 + 1), *rest))  # type: ignore[arg-type]  # a card is a number
    for changed, why in (
        (replace(table, streets=(other, *table.streets[1:])), "up cards"),
        (replace(table, first_card_version=9), "came after"),
        (replace(table, deck_root=b""), "no deck root"),
        (replace(table, scripted=True), "chosen beforehand"),
        (replace(table, openings=()), "no openings"),
        (replace(table, shown=((table.shown[0][0], table.shown[0][1][1:]), *table.shown[1:])), "showed is not"),
        (replace(table, shown=()), "showed nothing"),
    ):
        with pytest.raises(Mismatch, match=why):
            check(Evidence(table=changed))


@pytest.mark.parametrize("source", [source for source in CardSource if source.common])
def test_a_common_card_that_the_rules_do_not_know_is_refused_without_the_dealers_record_too(
    source: CardSource, hands: Hands
) -> None:
    """With some hands the house could choose: each its own card, or one for all."""
    for hand, rules in hands:
        table = table_record(dealer_record(hand), rules)
        river = table.streets[-1]
        if river.source is source:
            continue
        common = replace(river, source=source, seats=(), cards=(), burned_count=river.burned_count)
        with pytest.raises(Mismatch, match="by the rules the river comes from"):
            check(Evidence(table=replace(table, streets=(*table.streets[:-1], common))))


def test_a_hand_that_was_voided_in_the_middle_is_proved_as_far_as_it_went() -> None:
    hand, _ = deal(deal(open_hand(a_command(4)), 4)[0], 3)
    record = advance(*hand, Question(step=StepName.VOID_HAND, payload=b"the table broke"), AT)
    proven = check(Evidence(record=dealer_record((record, hand[1]))))
    assert len(proven.cards) == 4 + 3
    assert record.voided


def test_a_hand_that_ended_before_the_river_is_proved_and_its_folded_cards_stay_hidden() -> None:
    hand, _ = deal(open_hand(a_command(4)), 4)
    closed = advance(*hand, Question(step=StepName.CLOSE_HAND), AT), hand[1]
    evidence = Evidence(record=dealer_record(closed))
    lines = told(evidence, check(evidence))
    assert sum(line.strip().startswith("seat ") for line in lines) == 4
    assert any("2 down cards of seat 1, 2 down cards of seat 2" in line for line in lines)
    assert any("40 cards that were burned or never dealt" in line for line in lines)


def test_openings_of_another_hand_prove_nothing(hands: Hands) -> None:
    (one, _), (other, _) = hands[0], hands[1]
    record, strange = dealer_record(one), dealer_record(other)
    own = OwnOpenings(openings=strange.openings, commitment=strange.commitment)
    with pytest.raises(Mismatch, match="another deck"):
        check(Evidence(record=record, own=own))
    forged = OwnOpenings(openings=strange.openings, commitment=record.commitment)
    with pytest.raises(Mismatch):
        check(Evidence(record=record, own=forged))


@settings(max_examples=400, deadline=None)
@given(rules_of_a_hand(), st.integers(0, 20), st.integers(0, 4), st.integers(2, 8))
def test_the_river_is_worked_out_as_the_dealer_does(rules: HandRules, stub: int, burned: int, seats: int) -> None:
    if stub + burned == 0:
        return
    dealing: Any = dealing_rules(rules)
    expected = decide_river(dealing, Supply(stub, burned, seats))
    found = river_of(dealing, stub, burned, seats)
    assert (str(found.source), found.burns) == (str(expected.source), expected.burn_count)
    assert found.straight == expected.straight_count or not found.source.mixed


def test_a_street_that_was_dealt_before_its_time_or_that_the_table_never_had_is_refused(hands: Hands) -> None:
    hand, rules = hands[0]
    record = dealer_record(hand)
    table = table_record(record, rules)
    fourth, late = table.streets[1], timedelta(seconds=60)
    for changed, why in (
        (replace(fourth, before=fourth.before + late, at=fourth.at + late), "FOURTH was dealt 60 s before the table"),
        (replace(fourth, before=fourth.before - late, at=fourth.at - late), "the table showed FOURTH 60 s before"),
    ):
        streets = (table.streets[0], changed, *table.streets[2:])
        with pytest.raises(Mismatch, match=why):
            check(Evidence(record=record, table=replace(table, streets=streets)))
    near = replace(fourth, before=fourth.before + timedelta(seconds=4))
    check(Evidence(record=record, table=replace(table, streets=(table.streets[0], near, *table.streets[2:]))))
    with pytest.raises(Mismatch, match="the dealer dealt SEVENTH, which the table never had"):
        check(Evidence(record=record, table=replace(table, streets=table.streets[:-1])))
    with pytest.raises(Mismatch, match="the table had SEVENTH, which the dealer never dealt"):
        check(Evidence(record=replace(record, steps=record.steps[:-4]), table=table))


def test_hands_that_were_told_before_the_last_action_or_never_shown_at_the_table_are_refused(hands: Hands) -> None:
    """An orchestrator that was bought has hands opened or compared while there is still to act."""
    for hand, rules in hands[:20]:
        record = dealer_record(hand)
        table = replace(table_record(record, rules), last_action_at=record.steps[-1].at)
        check(Evidence(record=record, table=table))
        for seconds, why in ((60, "told 60 s before the last action"), (4, "")):
            changed = replace(table, last_action_at=record.steps[-1].at + timedelta(seconds=seconds))
            if why:
                with pytest.raises(Mismatch, match=why):
                    check(Evidence(record=record, table=changed))
            else:
                check(Evidence(record=record, table=changed))
        unseen = replace(table, shown=(), compared_seats=())
        for changed in (unseen, replace(table, shown=table.shown[1:])):
            with pytest.raises(Mismatch, match="never compared or showed"):
                check(Evidence(record=record, table=changed))


def test_what_a_table_showed_before_it_voided_the_hand_is_held_against_the_record(hands: Hands) -> None:
    hand, rules = hands[0]
    record = dealer_record(hand)
    table = replace(table_record(record, rules), voided=True, openings=())
    with pytest.raises(Mismatch, match="the dealer that it was closed"):
        check(Evidence(record=record, table=table))
    record = replace(record, steps=record.steps[:-1], void_reason="outage")
    quiet = replace(record, steps=tuple(step for step in record.steps if step.step != "reveal_for_ranking"))
    for known, seen, says in ((quiet, table, False), (record, replace(table, shown=()), True)):
        limits = check(Evidence(record=known, table=seen)).limits
        assert any("the dealer told the cards of seats" in line for line in limits) is says
    check(Evidence(record=record, table=table))
    check(Evidence(record=record, table=replace(table, streets=table.streets[:-1])))
    third = table.streets[0]
    (seat, card), *rest = third.cards
    other = replace(third, cards=((seat, card % 52 + 1), *rest))  # type: ignore[arg-type]  # a card is a number
    with pytest.raises(Mismatch, match="before the void"):
        check(Evidence(record=record, table=replace(table, streets=(other, *table.streets[1:]))))


def test_a_street_that_was_dealt_to_a_seat_that_had_folded_or_not_to_one_that_had_not_is_refused(hands: Hands) -> None:
    """On the river nothing lies up: the cards of all others would be other ones, and nobody would see it."""
    for hand, rules in hands[:20]:
        record = dealer_record(hand)
        table = table_record(record, rules)
        river = table.streets[-1]
        folded = replace(river, live=river.live[:-1])
        for changed in (folded, replace(river, live=(*river.live, 9))):
            streets = (*table.streets[:-1], changed)
            with pytest.raises(Mismatch, match="in the hand were"):
                check(Evidence(record=record, table=replace(table, streets=streets)))
        if river.seats:
            unsaid = replace(table, streets=(*table.streets[:-1], replace(river, live=river.live[:-1])))
            with pytest.raises(Mismatch, match="had folded"):
                check(Evidence(table=unsaid))


def test_a_proof_that_the_table_published_wrongly_is_refused_though_the_dealers_is_right(hands: Hands) -> None:
    hand, rules = hands[0]
    record = dealer_record(hand)
    table = table_record(record, rules)
    first, *rest = table.openings
    for changed in (replace(first, salt=bytes(32)), replace(first, seat=first.seat % 8 + 1)):
        with pytest.raises(Mismatch):
            check(Evidence(record=record, table=replace(table, openings=(changed, *rest))))
