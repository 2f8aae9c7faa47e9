"""The proofs of money at a size for every day: a small `make ledger-proof`; L8, L2, L3 and L4 are in tests/contract."""

from collections.abc import Callable, Iterator

import pytest

from tests.batteries.ledger.l01_sums import sums_and_generator
from tests.batteries.ledger.l07_payouts import payouts
from tests.batteries.ledger.l09_bank import bank_test
from tests.batteries.ledger.l10_time import order_and_time
from tests.batteries.ledger.l11_export import export_replayed
from tests.batteries.ledger.l12_holds import holds_end
from tests.batteries.ledger.l13_statements import failures_leave_nothing
from tests.batteries.report import Row, Verdict


def passed(rows: Iterator[Row]) -> bool:
    found = list(rows)
    assert [row for row in found if row.verdict is not Verdict.PASSED] == []
    return bool(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("proof", "size"),
    [
        (payouts, 1_000),
        (order_and_time, 2_000),
        (holds_end, 200),
        (export_replayed, 2_000),
        (bank_test, 300),
        (failures_leave_nothing, 400),
    ],
)
def test_the_books_hold(proof: Callable[[int], Iterator[Row]], size: int) -> None:
    assert passed(proof(size))


@pytest.mark.slow
def test_sums_stay_zero_after_every_operation_and_every_refusal_is_met() -> None:
    assert passed(sums_and_generator(8_000))
