"""The fairness battery at a hundredth of its size; `make fairness` runs all of it."""

import pytest

from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream
from tests.fairness.battery import faulty_shuffles as faulty
from tests.fairness.battery.__main__ import PARTS, exit_code
from tests.fairness.battery.rows import Row, Sizes, Verdict, at_most, between, row, skipped, table
from tests.fairness.battery.the_tests_bite import counted
from tests.fairness.limits import chi_square, within

SHARE = 0.01
SMALLER = {"F12": 0.02, "F18": 0.004}
PROCESSES = {"F9", "F11", "F18"}


def failed(part: str) -> list[Row]:
    """The rows of a part that do not hold."""
    rows = list(PARTS[part](Sizes(SMALLER.get(part, SHARE))))
    assert rows
    return [each for each in rows if each.verdict is Verdict.FAILED]


@pytest.mark.parametrize("part", [part for part in PARTS if part not in PROCESSES])
def test_the_reduced_battery_holds(part: str) -> None:
    assert not failed(part)


@pytest.mark.process
@pytest.mark.parametrize("part", sorted(PROCESSES))
def test_the_reduced_battery_of_processes_holds(part: str) -> None:
    assert not failed(part)


def high_bit_off(items: faulty.Items, source: faulty.Source) -> list[int]:
    """Our own shuffle, which hangs on the high bits of a byte, over bytes whose high bit is set too often."""
    return list(shuffle(items, (byte | 0x80 if faulty.turned_over(faulty.STRONG, source) else byte for byte in source)))


def test_our_own_shuffle_over_a_bad_source_is_rejected() -> None:
    assert not within(counted(high_bit_off, 20_000, byte_stream(b"key", b"deck")).statistic, chi_square(2601))


def test_a_row_passes_fails_or_is_skipped_and_the_table_says_which() -> None:
    rows = [
        row("F1", "a", "0", "0", holds=True),
        between("F2", "b", 9.0, (1.0, 2.0)),
        at_most("F3", "c", 3.0, 2.0),
        skipped("F9", "d", "0", "no tool"),
    ]
    assert [each.verdict for each in rows] == [Verdict.PASSED, Verdict.FAILED, Verdict.FAILED, Verdict.SKIPPED]
    lines = table(rows).splitlines()
    assert len(lines) == 6
    assert [exit_code(some) for some in ([], rows[:1], rows, [rows[0], rows[3]])] == [0, 0, 1, 3]
    assert lines[3].split() == ["F2", "b", "1.0", "to", "2.0", "9.0", "FAILED"]
