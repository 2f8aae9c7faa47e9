"""Proofs of money over gRPC and on processes, at a size for every day: a small `make ledger-proof`."""

import pytest

from tests.batteries.ledger.l02_duplicates import duplicates
from tests.batteries.ledger.l03_kills import kills_lose_nothing
from tests.batteries.ledger.l04_power_cut import power_cuts
from tests.batteries.ledger.l08_edges import edge_integers
from tests.batteries.report import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.process]


def test_a_request_sent_again_by_anybody_has_one_effect_and_one_answer() -> None:
    assert [row.verdict for row in duplicates(320)] == [Verdict.PASSED]


def test_five_kills_lose_nothing_that_was_acknowledged() -> None:
    assert [row.verdict for row in kills_lose_nothing(5)] == [Verdict.PASSED]


def test_power_cuts_lose_nothing_and_the_control_is_caught_losing() -> None:
    (row,) = power_cuts(3)
    if row.verdict is Verdict.SKIPPED:
        pytest.skip(row.found)
    assert row.verdict is Verdict.PASSED, row


def test_no_number_of_any_request_breaks_the_service() -> None:
    assert [row.verdict for row in edge_integers()] == [Verdict.PASSED]
