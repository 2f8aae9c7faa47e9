"""Cash tables: sizes and moments of buy-ins, what a hand leaves, leaving (rules 193-196)."""

from dataclasses import replace

import pytest

from services.tournament_ledger.domain.amounts import TABLE_CHIPS_MAX, Money
from services.tournament_ledger.domain.cash import (
    CashTable,
    buy_in,
    cash_out,
    open_cash_sheet,
    record_cash_hand,
)
from services.tournament_ledger.domain.facts import HandRecorded, HandResult
from services.tournament_ledger.domain.posting import changes
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import BuyIn, CashAdd, CashRules
from shared.kernel.rules.presets import PRESETS

RICH = 10**12


def table_with(**changed: object) -> CashTable:
    rules: CashRules = replace(PRESETS["card_room"].cash, cash_stake_cap_minor=0, **changed)  # type: ignore[arg-type]  # names are those of the rules
    return CashTable(table_id="T", chip_value=Money(100, "EUR"), rules=rules)


def seated(table: CashTable, **chips: int) -> CashTable:
    for seat, (player_id, amount) in enumerate(chips.items(), start=1):
        table = buy_in(table, player_id, seat, amount, RICH).table
    return open_cash_sheet(table, table.hand_number + 1).table


def played(table: CashTable, rake: int = 0, **after: int) -> CashTable:
    results = tuple(HandResult(line.player_id, line.chips, after[line.player_id]) for line in table.sheet)
    hand = HandRecorded(
        hand_id="h",
        table_id="T",
        hand_number=table.open_hand_number,
        results=results,
        rake_chips=rake,
        street_reached=None,
        feats=(),
        voided=False,
    )
    return record_cash_hand(table, hand).table


def refusal(table: CashTable, player_id: str, seat: int, chips: int, available: int = RICH) -> DomainError:
    with pytest.raises(DomainError) as refused:
        buy_in(table, player_id, seat, chips, available)
    return refused.value


def test_a_buy_in_within_a_range_is_taken_and_one_outside_refused() -> None:
    table = table_with(buy_in=BuyIn.RANGE, buy_in_min_chips=50, buy_in_max_chips=200)
    for chips in (49, 201):
        assert refusal(table, "a", 1, chips).metadata == {"amount_chips": str(chips), "allowed": "50 to 200 chips"}
    for chips in (50, 200):
        assert buy_in(table, "a", 1, chips, RICH).table.seats["a"].stack_chips == chips


@pytest.mark.parametrize(
    ("cash_add", "stack", "chips", "allowed"),
    [
        (CashAdd.WHEN_BUSTED, 0, 100, True),
        (CashAdd.WHEN_BUSTED, 0, 99, False),
        (CashAdd.WHEN_BUSTED, 1, 99, False),
        (CashAdd.BELOW_BUY_IN, 60, 40, True),
        (CashAdd.BELOW_BUY_IN, 60, 41, False),
        (CashAdd.BELOW_BUY_IN, 100, 1, False),
        (CashAdd.BELOW_BUY_IN, 0, 100, True),
        (CashAdd.NEVER, 60, 40, False),
        (CashAdd.NEVER, 0, 100, False),
    ],
)
def test_chips_are_added_when_and_as_far_as_the_rules_allow(
    cash_add: CashAdd, stack: int, chips: int, allowed: bool
) -> None:
    table = table_with(buy_in=BuyIn.FIXED, buy_in_min_chips=100, cash_add=cash_add)
    table = played(seated(table, a=100, b=100), a=stack, b=200 - stack)
    if allowed:
        assert buy_in(table, "a", 1, chips, RICH).table.seats["a"].stack_chips == stack + chips
    else:
        assert refusal(table, "a", 1, chips).reason is Reason.BUY_IN_NOT_ALLOWED


def test_a_wallet_that_holds_too_little_and_a_value_beyond_64_bits_buy_nothing() -> None:
    table = table_with(buy_in=BuyIn.FIXED, buy_in_min_chips=100)
    assert refusal(table, "a", 1, 100, available=9999).reason is Reason.FUNDS_INSUFFICIENT
    dear = replace(table, chip_value=Money(2**60, "EUR"))
    assert refusal(dear, "a", 1, 100).reason is Reason.REQUEST_INVALID


def test_a_table_takes_no_more_chips_than_one_player_may_win() -> None:
    cheap = replace(table_with(buy_in=BuyIn.RANGE, buy_in_max_chips=2**62), chip_value=Money(1, "EUR"))
    table = buy_in(cheap, "a", 1, TABLE_CHIPS_MAX - 1000, 2**62).table
    assert refusal(table, "b", 2, 1001, 2**62).reason is Reason.BUY_IN_NOT_ALLOWED
    assert buy_in(table, "b", 2, 1000, 2**62).table.seats["b"].stack_chips == 1000


def test_the_rake_leaves_the_stacks_and_stays_counted() -> None:
    table = seated(table_with(buy_in=BuyIn.FIXED, buy_in_min_chips=100), a=100, b=100)
    results = (HandResult("a", 100, 130), HandResult("b", 100, 65))
    hand = HandRecorded(
        hand_id="h",
        table_id="T",
        hand_number=1,
        results=results,
        rake_chips=5,
        street_reached=None,
        feats=(),
        voided=False,
    )
    step = record_cash_hand(table, hand)
    assert step.draft is not None
    assert changes(step.draft.postings) == {"table/T/chips/a": 30, "table/T/chips/b": -35, "table/T/rake": 5}


def test_who_leaves_takes_chips_bought_for_the_next_hand_along() -> None:
    table = table_with(buy_in=BuyIn.FIXED, buy_in_min_chips=100, cash_add=CashAdd.BELOW_BUY_IN)
    table = played(seated(table, a=100, b=100), a=60, b=140)
    table = buy_in(table, "a", 1, 40, RICH).table
    step = cash_out(table, "a")
    assert step.draft is not None
    assert changes(step.draft.postings)["wallet/a/EUR"] == 10_000
    assert "a" not in step.table.seats


def test_who_leaves_an_open_sheet_is_not_on_it_any_more() -> None:
    table = seated(table_with(buy_in=BuyIn.FIXED, buy_in_min_chips=100), a=100, b=100, c=100)
    left = cash_out(table, "b").table
    assert [line.player_id for line in left.sheet] == ["a", "c"]
    again = open_cash_sheet(left, 1)
    assert again.draft is None, "nothing changed for those who stay"


def test_a_sheet_nobody_can_play_from_is_made_anew_when_somebody_comes() -> None:
    table = table_with(buy_in=BuyIn.FIXED, buy_in_min_chips=100)
    alone = seated(table, a=100)
    joined = buy_in(alone, "b", 2, 100, RICH).table
    assert [(line.player_id, line.chips) for line in open_cash_sheet(joined, 1).table.sheet] == [("a", 100), ("b", 100)]
