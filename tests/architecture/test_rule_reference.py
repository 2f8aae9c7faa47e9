"""The rule reference tells the truth: every rule has its code and its tests, or says openly that it has none."""

import re
from collections.abc import Callable

import pytest

from tests.support import rule_reference
from tests.support.rule_reference import GAPS, REFERENCE, faults

TEXT = REFERENCE.read_text(encoding="utf-8")


def test_every_rule_has_code_and_tests_that_exist() -> None:
    assert not list(faults(TEXT))


def cut_row(text: str) -> str:
    return re.sub(r"\| 99 \|.*\n", "", text)


def cell(number: int, column: int, content: str) -> Callable[[str], str]:
    """Another content for a cell of a rule: 3 is its code, 4 its tests."""

    def changed(text: str) -> str:
        row = next(line for line in text.splitlines() if line.startswith(f"| {number} |"))
        cells = row.split(" | ")
        cells[column - 1] = content + (" |" if column == len(cells) else "")
        return text.replace(row, " | ".join(cells))

    return changed


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (cut_row, "missing: [99]"),
        (cell(99, 3, "`betting/domain/pots.py::pots_from`"), "rule 99: code 'betting/domain/pots.py::pots_from'"),
        (cell(99, 3, "`betting/domain/pot.py::pots_of`"), "rule 99: code 'betting/domain/pot.py::pots_of'"),
        (cell(99, 3, "`betting/domain/rake.py::pots_of`"), "does not exist; it is in services/betting/domain/pots.py"),
        (cell(99, 3, "`betting/domain/pots.py`"), "rule 99: code 'betting/domain/pots.py' does not exist"),
        (cell(99, 3, "-"), "rule 99: code '-' does not exist"),
        (cell(99, 3, "not yet"), "rule 99 is not implemented and not in the list of what is not"),
        (cell(99, 4, "-"), "rule 99: no test"),
        (cell(99, 4, "`unit/betting/test_cases.py::test_o_99`"), "rule 99: test 'unit/betting/test_cases.py"),
        (cell(99, 4, "`hands/no.hand`"), "rule 99: hand 'hands/no.hand' does not exist"),
        (cell(99, 4, "`hands/cases/o01_bring_in_by_suit.hand`"), "does not say that it proves it"),
        (lambda text: text.replace("`raise_cap`", "raise cap"), "option raise_cap is not mentioned"),
        (lambda text: f"{text}\n| 209 | `raise_limit` | all |\n", "there is no rule 209"),
        (lambda text: f"{text}\n| 209 | `raise_limit` | all |\n", "there is no option raise_limit"),
    ],
)
def test_a_reference_that_is_not_true_is_found_out(spoil: Callable[[str], str], fault: str) -> None:
    spoilt = spoil(TEXT)
    assert spoilt != TEXT
    assert any(fault in found for found in faults(spoilt))


def test_an_option_that_no_code_reads_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    read = rule_reference.words_of_the_code() - {"raise_cap"}
    monkeypatch.setattr(rule_reference, "words_of_the_code", lambda: read)
    assert [found for found in faults(TEXT) if "no code reads option raise_cap" in found]
    excused = f"{TEXT}\n| rule | option | what is missing |\n| --- | --- | --- |\n| 60 | `raise_cap` | all |\n"
    assert not [found for found in faults(excused) if "raise_cap" in found]


def test_nothing_is_listed_as_not_implemented() -> None:
    assert rule_reference.gaps_in(TEXT) == ()
    assert GAPS in TEXT
