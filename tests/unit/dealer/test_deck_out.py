"""When the cards run out: every profile of every policy, against the tables of the rule reference (rules 86-94)."""

from dataclasses import replace

import pytest

from services.dealer.domain.deck_out import River, Supply, decide_river
from services.dealer.domain.hand import CardSource
from services.dealer.domain.rules import DealingRules, dealing_rules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)
from shared.kernel.rules.presets import PRESETS
from tests.support.dealer_hands import Profile, profiles

STUB, MIXED = CardSource.STUB, CardSource.RESHUFFLED_STUB_AND_BURNS
ROOM = dealing_rules(PRESETS["card_room"].hand)
REGULATED = dealing_rules(PRESETS["regulated_tournament"].hand)
CLASSIC = dealing_rules(PRESETS["classic"].hand)
TDA = replace(ROOM, exhaustion=Exhaustion.TDA)
RRP = replace(ROOM, exhaustion=Exhaustion.RRP)


def profiles_of(text: str) -> set[Profile]:
    """Profiles as the tables write them."""
    return {(int(a), int(b), int(c), int(d)) for a, b, c, d in (word.strip("()").split(",") for word in text.split())}


COMMON = profiles_of("(8,8,8,8) (8,8,8,7) (8,8,8,6) (8,8,8,5) (8,8,7,7) (8,8,7,6) (8,7,7,7)")
EVERY_CARD = profiles_of("(8,8,8,4) (8,8,7,5) (8,8,6,6) (8,7,7,6) (7,7,7,7)")
RESHUFFLE = profiles_of(
    "(8,8,8,3) (8,8,8,2) (8,8,7,4) (8,8,7,3) (8,8,6,5) (8,8,6,4) (8,8,5,5) (8,7,7,5) (8,7,7,4) (8,7,6,6) (8,7,6,5)"
    " (8,6,6,6) (7,7,7,6) (7,7,7,5) (7,7,6,6)"
)
EXACT = profiles_of(
    "(8,8,7,2) (8,8,6,3) (8,8,5,4) (8,7,7,3) (8,7,6,4) (8,7,5,5) (8,6,6,5) (7,7,7,4) (7,7,6,5) (7,6,6,6)"
)
TDA_FROM_STUB = profiles_of("(7,7,7,7) (7,7,7,6) (8,7,7,7) (8,7,7,6) (8,7,7,5) (8,7,6,6) (8,8,6,6) (8,8,6,5)")
TDA_FROM_BOTH = profiles_of(
    "(8,8,7,7) (8,8,7,6) (8,8,7,5) (8,8,7,4) (8,8,8,8) (8,8,8,7) (8,8,8,6) (8,8,8,5) (8,8,8,4) (8,8,8,3)"
)
ALL = [(seats, profile) for seats in range(2, 9) for profile in profiles(seats)]


def supply_of(seats: int, profile: Profile, burns: int = 3) -> Supply:
    """What is left before the river."""
    fourth, fifth, sixth, seventh = profile
    return Supply(52 - 3 * seats - fourth - fifth - sixth - burns, burns, seventh)


def river(rules: DealingRules, seats: int, profile: Profile) -> River:
    """The decision for a profile."""
    burns = 0 if rules.burn_streets is BurnStreets.NONE else 3
    return decide_river(rules, supply_of(seats, profile, burns))


def test_there_are_462_profiles_of_two_to_eight_players() -> None:
    assert len(ALL) == 462


@pytest.mark.parametrize("rules", [ROOM, replace(REGULATED, burn_streets=BurnStreets.FOURTH_TO_SEVENTH)])
def test_with_eight_players_the_river_is_as_the_table_of_the_seeds_says(rules: DealingRules) -> None:
    for profile in profiles(8):
        decided = river(rules, 8, profile)
        if profile in COMMON:
            assert decided == River(CardSource.COMMON_FROM_BURNS)
        elif profile in EVERY_CARD | RESHUFFLE:
            assert decided == River(MIXED)
            left = supply_of(8, profile).unseen_count - profile[3]
            assert (left == 0) == (profile in EVERY_CARD)
        elif profile in EXACT:
            assert decided == River(STUB)
        else:
            assert decided == River(STUB, burn_count=1)


def test_with_seven_players_only_nobody_folding_is_short_and_with_fewer_nothing_is() -> None:
    for seats, profile in ALL:
        if seats < 8:
            short = profile == (7, 7, 7, 7)
            assert river(ROOM, seats, profile) == River(STUB, burn_count=0 if short else 1)


def test_the_regulated_tournament_burns_nothing_before_the_river() -> None:
    assert {river(REGULATED, seats, profile).burn_count for seats, profile in ALL} == {0}
    assert river(REGULATED, 8, (8, 8, 6, 3)) == River(STUB)


def test_the_classic_rules_turn_the_next_card_of_the_stub_whenever_it_cannot_serve_everybody() -> None:
    for seats, profile in ALL:
        decided, supply = river(CLASSIC, seats, profile), supply_of(seats, profile)
        if supply.stub_count < supply.seat_count:
            assert decided == River(CardSource.COMMON_FROM_STUB)
        else:
            assert decided == River(STUB, burn_count=int(supply.stub_count > supply.seat_count))


def test_the_tournament_directors_turn_a_common_card_in_18_profiles_and_reshuffle_in_34() -> None:
    mixed = 0
    for seats, profile in ALL:
        decided = river(TDA, seats, profile)
        if seats == 8 and profile in TDA_FROM_STUB:
            assert decided == River(CardSource.COMMON_FROM_STUB, burn_count=1)
        elif seats == 8 and profile in TDA_FROM_BOTH:
            assert decided == River(CardSource.COMMON_FROM_STUB_AND_BURNS, burn_count=1)
        elif decided.source is MIXED:
            mixed += 1
            assert decided.burn_count == 1
            assert seats == 8 or (seats == 7 and profile in {(7, 7, 7, 7), (7, 7, 7, 6)})
        else:
            assert decided == River(STUB, burn_count=1)
    assert mixed == 34


def test_roberts_rules_deal_a_card_each_exactly_where_stub_and_burns_suffice() -> None:
    for seats, profile in ALL:
        decided, supply = river(RRP, seats, profile), supply_of(seats, profile)
        assert decided.common == (supply.seat_count > supply.unseen_count)
        if decided.source is MIXED:
            assert decided.straight_count == supply.stub_count - 1
            assert decided.burn_count == int(supply.unseen_count > supply.seat_count)


@pytest.mark.parametrize(
    ("seats", "profile", "regulated", "room", "directors", "classic"),
    [  # worked examples 19 to 23
        (8, (8, 8, 8, 8), "COMMON_FROM_BURNS", "COMMON_FROM_BURNS", "COMMON_FROM_STUB_AND_BURNS", "COMMON_FROM_STUB"),
        (8, (7, 7, 7, 7), MIXED, MIXED, "COMMON_FROM_STUB", "COMMON_FROM_STUB"),
        (7, (7, 7, 7, 7), STUB, STUB, MIXED, STUB),
        (8, (8, 7, 7, 6), MIXED, MIXED, "COMMON_FROM_STUB", "COMMON_FROM_STUB"),
        (8, (8, 8, 8, 2), MIXED, MIXED, MIXED, "COMMON_FROM_STUB"),
    ],
)
def test_worked_examples_of_the_rule_reference(  # one column a house
    seats: int, profile: Profile, regulated: str, room: str, directors: str, classic: str
) -> None:
    houses = (REGULATED, ROOM, TDA, CLASSIC)
    assert [river(rules, seats, profile).source for rules in houses] == [regulated, room, directors, classic]


def test_where_the_burn_is_missing_the_house_may_reshuffle_instead_of_skipping_it() -> None:
    eager = replace(ROOM, river_burn_shortfall=RiverBurnShortfall.RESHUFFLE)
    for profile in EXACT:
        assert river(eager, 8, profile) == River(MIXED)
    assert river(eager, 7, (7, 7, 7, 7)) == River(MIXED)


def test_a_burn_from_the_reshuffled_stub_is_made_if_there_is_one_to_spare() -> None:
    spare = replace(ROOM, burn_after_reshuffle=BurnAfterReshuffle.IF_SPARE)
    for profile in EVERY_CARD | RESHUFFLE:
        assert river(spare, 8, profile) == River(MIXED, burn_count=int(profile in RESHUFFLE))


def test_where_the_burn_after_the_reshuffle_is_required_seven_of_eight_get_a_common_card() -> None:
    strict = replace(ROOM, burn_after_reshuffle=BurnAfterReshuffle.REQUIRED)
    for profile in EVERY_CARD:
        assert river(strict, 8, profile) == River(CardSource.COMMON_FROM_BURNS)
    for profile in RESHUFFLE:
        assert river(strict, 8, profile) == River(MIXED, burn_count=1)


@pytest.mark.parametrize("source", list(CommonCardSource))
def test_the_common_card_comes_from_where_the_rules_say(source: CommonCardSource) -> None:
    decided = river(replace(ROOM, common_card_source=source), 8, (8, 8, 8, 8))
    assert decided == River(CardSource(f"COMMON_FROM_{source}"))


def test_without_burns_there_is_nothing_to_reshuffle_and_the_common_card_is_of_the_stub() -> None:
    bare = replace(ROOM, burn_streets=BurnStreets.NONE)
    for seats, profile in ALL:
        decided, supply = river(bare, seats, profile), supply_of(seats, profile, burns=0)
        source = STUB if supply.stub_count >= supply.seat_count else CardSource.COMMON_FROM_STUB
        assert decided == River(source)


def every_policy() -> list[DealingRules]:
    """All combinations of the options."""
    return [
        DealingRules(
            burn_streets=burns,
            river_burn_shortfall=shortfall,
            exhaustion=exhaustion,
            common_card_source=common,
            burn_after_reshuffle=after,
        )
        for burns in BurnStreets
        for shortfall in RiverBurnShortfall
        for exhaustion in Exhaustion
        for common in CommonCardSource
        for after in BurnAfterReshuffle
    ]


def test_under_every_policy_every_profile_has_the_cards_that_its_river_takes() -> None:
    for rules in every_policy():
        for seats, profile in ALL:
            burns = 0 if rules.burn_streets is BurnStreets.NONE else 3
            supply = supply_of(seats, profile, burns)
            decided = decide_river(rules, supply)
            needed = decided.burn_count + (1 if decided.common else supply.seat_count)
            assert needed <= _available(decided, supply)


def _available(decided: River, supply: Supply) -> int:
    match decided.source:
        case CardSource.STUB | CardSource.COMMON_FROM_STUB:
            return supply.stub_count
        case CardSource.COMMON_FROM_BURNS:
            return supply.burned_count
        case _:
            return supply.unseen_count
