"""Bonus prizes for feats, independent of winning (rule 179, C45)."""

import pytest

from services.tournament_ledger.domain.facts import FeatShown
from shared.kernel.rules import BonusPrize, BonusTimes, BonusWhen, Feat
from tests.support.ledger_events import Event, rules_with

ROYAL, STRAIGHT, QUADS = Feat.ROYAL_FLUSH, Feat.STRAIGHT_FLUSH, Feat.FOUR_OF_A_KIND


def event_with(
    *prizes: tuple[Feat, int],
    times: BonusTimes = BonusTimes.EVERY,
    when: BonusWhen = BonusWhen.SHOWN_DOWN,
    fund: int = 10_000,
) -> Event:
    announced = tuple(BonusPrize(feat=feat, amount_minor=amount) for feat, amount in prizes)
    rules = rules_with(bonus_prizes=announced, bonus_times=times, bonus_when=when)
    return Event(rules, bonus_fund_minor=fund).begin("a", "b", "c")


def show(event: Event, *shown: tuple[str, Feat], uncontested: bool = False, voided: bool = False) -> dict[str, int]:
    feats = tuple(FeatShown(player_id, feat, uncontested) for player_id, feat in shown)
    event.record(event.sheet(), {}, feats=feats, voided=voided)
    return {name: each.bonus_minor for name, each in event.state.entrants.items() if each.bonus_minor}


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (BonusTimes.EVERY, {"a": 1000, "b": 500}),
        (BonusTimes.FIRST, {"a": 500}),
        (BonusTimes.PER_PLAYER, {"a": 500, "b": 500}),
    ],
)
def test_a_feat_earns_its_prize_as_often_as_the_rules_say(times: BonusTimes, expected: dict[str, int]) -> None:
    event = event_with((QUADS, 500), times=times)
    show(event, ("a", QUADS))
    show(event, ("a", QUADS))
    assert show(event, ("b", QUADS)) == expected


@pytest.mark.parametrize(("when", "paid"), [(BonusWhen.SHOWN_DOWN, {}), (BonusWhen.ALSO_UNCONTESTED, {"a": 500})])
def test_a_feat_shown_freely_counts_where_the_rules_say_so(when: BonusWhen, paid: dict[str, int]) -> None:
    assert show(event_with((QUADS, 500), when=when), ("a", QUADS), uncontested=True) == paid


def test_a_royal_flush_reaches_the_goal_of_a_straight_flush_too() -> None:
    event = event_with((ROYAL, 5000), (STRAIGHT, 1000))
    assert show(event, ("a", ROYAL), ("a", STRAIGHT)) == {"a": 6000}, "each goal once, however it is told"
    assert show(event, ("b", STRAIGHT)) == {"a": 6000, "b": 1000}


def test_a_common_card_may_give_the_feat_to_several() -> None:
    assert show(event_with((QUADS, 500)), ("a", QUADS), ("b", QUADS)) == {"a": 500, "b": 500}


def test_a_feat_that_was_not_announced_and_a_voided_hand_earn_nothing() -> None:
    event = event_with((ROYAL, 500))
    assert show(event, ("a", QUADS)) == {}
    assert show(event, ("a", ROYAL), voided=True) == {}


def test_what_nobody_earned_goes_back_to_the_organiser() -> None:
    event = event_with((QUADS, 500), fund=700)
    show(event, ("a", QUADS))
    drafts = event.hand(a=9000, b=0, c=0)
    back = [posting for draft in drafts for posting in draft.postings if posting.to_account.owner_id == "outside"]
    assert [posting.amount for posting in back] == [200]
