"""Equity: exact where the deals are few, else narrowing samples that a seed repeats."""

from contextlib import aclosing

import pytest

from services.evaluator.adapters.engines import NUMPY
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.equity import EquityEstimate, EquityQuestion, EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.domain.equity_deals import all_deals
from services.evaluator.domain.equity_question import EquityHand, lay_out
from services.evaluator.domain.strength import strength_of
from services.evaluator.ports.equity_engine import EquityEngine
from shared.kernel.cards import FULL_DECK, cards_text, mask_of, parse_cards
from shared.kernel.errors import DomainError, Reason
from tests.support.evaluator_engines import engines

MILLION = 1_000_000


def hands(*cards: str) -> tuple[EquityHand, ...]:
    return tuple(EquityHand(cards=parse_cards(text)) for text in cards)


def question(*cards: str, dead: str = "", error: int = 0, most: int = 0, seed: int = 7) -> EquityQuestion:
    return EquityQuestion(
        hands=hands(*cards), dead_cards=parse_cards(dead), error_millionths=error, deals_max=most, seed=seed
    )


def estimator(places: int = 1) -> EstimateEquity:
    return EstimateEquity(PlainEquity(), Slots("equity_streams_max", places))


async def answers(asked: EquityQuestion, engine: EquityEngine | None = None) -> list[EquityEstimate]:
    equity = EstimateEquity(engine or PlainEquity(), Slots("equity_streams_max", 1))
    return [estimate async for estimate in equity.estimates(asked)]


def shares(estimate: EquityEstimate) -> list[int]:
    return [equity.share_millionths for equity in estimate.equities]


async def test_seven_known_cards_each_are_one_deal() -> None:
    (only,) = await answers(question("As Ad Ah Kc Kd 2c 3c", "Qs Qd Qh Jc Jd 4c 5c"))
    assert only.exact
    assert only.final
    assert only.deals_count == 1
    assert shares(only) == [MILLION, 0]
    assert only.equities[0].win_millionths == MILLION
    assert only.equities[0].error_millionths == 0


async def test_on_the_river_a_draw_is_counted_card_by_card() -> None:
    # Seat two needs one of the nine hearts left, or fails: nothing else beats three aces.
    drawing = question("As Ad Ac 7c 8d 2c 3s", "Kh Qh 9h 3h 4c 5d")
    (only,) = await answers(drawing)
    assert only.exact
    assert only.deals_count == 52 - 13
    assert shares(only) == [round(30 / 39 * MILLION), round(9 / 39 * MILLION)]


async def test_dead_cards_do_not_come() -> None:
    drawing = question("As Ad Ac 7c 8d 2c 3s", "Kh Qh 9h 3h 4c 5d", dead="2h 4h 5h 6h 7h 8h Th Jh")
    (only,) = await answers(drawing)
    assert only.deals_count == 31
    assert shares(only)[1] == round(1 / 31 * MILLION)


async def test_tied_hands_share() -> None:
    (only,) = await answers(question("Ts 9d 8c 7h 6s Kc 2d", "Th 9c 8d 7s 6d Ad 3c"))
    assert shares(only) == [MILLION // 2, MILLION // 2]
    assert [equity.tie_millionths for equity in only.equities] == [MILLION, MILLION]
    assert [equity.win_millionths for equity in only.equities] == [0, 0]


async def test_all_deals_of_two_open_hands_are_counted_once_each() -> None:
    layout = lay_out(hands("As Ad Ac 7c 8d 2c", "Kh Qh 9h 3h 4c 5d"), ())
    deals = [tuple(deal) for deal in all_deals(layout)]
    assert len(deals) == len(set(deals)) == layout.deals_count == 40 * 39
    wins = sum(strength_of(first) > strength_of(second) for first, second in deals)
    (only,) = await answers(question("As Ad Ac 7c 8d 2c", "Kh Qh 9h 3h 4c 5d"))
    assert only.equities[0].win_millionths == round(wins / len(deals) * MILLION)


async def test_a_sample_narrows_and_ends_below_the_error_asked_for() -> None:
    estimates = await answers(question("As Ad Ac", "2c 7d 9h", "", error=4_000))
    assert [estimate.final for estimate in estimates] == [False] * (len(estimates) - 1) + [True]
    assert [estimate.deals_count for estimate in estimates] == [1_000 * 2**step for step in range(len(estimates))]
    errors = [max(equity.error_millionths for equity in estimate.equities) for estimate in estimates]
    assert errors[0] > errors[-1]
    assert errors[-1] < 4_000
    assert not estimates[-1].exact
    assert abs(sum(shares(estimates[-1])) - MILLION) <= 3


async def test_a_sample_stops_at_the_most_deals_allowed() -> None:
    estimates = await answers(question("As Kd Qh", "", most=2_600, error=1))
    assert [estimate.deals_count for estimate in estimates] == [1_000, 2_000, 2_600]
    assert estimates[-1].final


async def test_the_same_seed_gives_the_same_stream_and_another_seed_another() -> None:
    asked = question("As Kd Qh", "2c 2d 9s", most=2_000)
    assert await answers(asked) == await answers(asked)
    assert await answers(asked) != await answers(question("As Kd Qh", "2c 2d 9s", most=2_000, seed=8))


async def test_a_sample_agrees_with_the_exact_count_within_its_error() -> None:
    cards = ("As Ad 9c 7c 8d", "Kh Qh 9h 3h 4c")
    (exact,) = await answers(question(*cards, most=1_000_000), engines(NUMPY).equity)
    assert exact.exact
    sampled = (await answers(question(*cards, most=20_000)))[-1]
    assert not sampled.exact
    for known, guessed in zip(exact.equities, sampled.equities, strict=True):
        assert abs(known.share_millionths - guessed.share_millionths) < 5 * guessed.error_millionths


async def test_equal_unknown_hands_have_equal_shares() -> None:
    last = (await answers(question("", "", "", "", most=20_000)))[-1]
    for equity in last.equities:
        assert abs(equity.share_millionths - MILLION // 4) < 5 * equity.error_millionths


COUNTED_OR_SAMPLED = (
    ("no error is asked for", 0, 0, True),
    ("a sample needs more deals than there are", 10_000, 0, True),
    ("a sample of as many needs fewer", 50_000, 0, False),
    ("fewer deals are allowed", 10_000, 1_559, False),
    ("so many are allowed", 10_000, 1_560, True),
)


@pytest.mark.parametrize(
    ("error", "most", "exact"), [row[1:] for row in COUNTED_OR_SAMPLED], ids=[row[0] for row in COUNTED_OR_SAMPLED]
)
async def test_deals_are_all_counted_where_that_is_no_more_work_than_a_sample(
    error: int, most: int, *, exact: bool
) -> None:
    last = (await answers(question("As Ad Ac 7c 8d 2c", "Kh Qh 9h 3h 4c 5d", error=error, most=most)))[-1]
    assert last.exact is exact
    assert (last.deals_count == 1_560) is exact


def test_eight_hands_get_six_cards_each_and_one_for_all() -> None:
    layout = lay_out(hands(*[""] * 8), ())
    assert layout.common
    assert layout.needs == (6,) * 8
    assert layout.drawn == 49


def test_seven_hands_use_the_last_card_where_one_hand_is_gone() -> None:
    layout = lay_out(hands(*[""] * 7), parse_cards("2c 3c 4c"))
    assert not layout.common
    assert layout.drawn == len(layout.deck) == 49


async def test_with_a_common_card_it_plays_for_all() -> None:
    known = ("As Ad Ah Kc Kd 2c", "Qs Qd Qh Jc Jd 4c")
    kept = parse_cards("".join(known) + "5s")
    dead = tuple(card for card in FULL_DECK if card not in kept)
    layout = lay_out(hands(*known), dead)
    (deal,) = all_deals(layout)
    assert layout.common
    assert list(deal) == [mask_of(parse_cards(text + "5s")) for text in known]


WRONG = (
    ("a card in two hands", hands("As Kd", "As Qd"), ""),
    ("a dead card in a hand", hands("As Kd", "Qs Qd"), "As"),
    ("eight cards", hands("As Kd Qh Jc Ts 9d 8h 7c", ""), ""),
    ("not cards enough", hands("", "", ""), cards_text(FULL_DECK[:40])),
)


@pytest.mark.parametrize(("known", "dead"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_questions_that_cannot_be_are_refused(known: tuple[EquityHand, ...], dead: str) -> None:
    with pytest.raises(DomainError) as refusal:
        lay_out(known, parse_cards(dead))
    assert refusal.value.reason is Reason.CARDS_INVALID


async def test_a_stream_that_is_left_gives_its_place_back() -> None:
    equity = estimator(places=1)
    async with aclosing(equity.estimates(question("As Kd Qh", ""))) as estimates:
        first = await anext(estimates)
        assert not first.final
        with pytest.raises(DomainError) as refusal:
            await anext(equity.estimates(question("As Kd Qh", "")))
        assert refusal.value.reason is Reason.LIMIT_REACHED
    assert (await anext(equity.estimates(question("As Kd Qh", "")))).deals_count == 1_000
