"""One line a row: what was demanded, what was found, and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a row ended."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Row:
    """What a proof found."""

    name: str
    demanded: str
    found: str
    verdict: Verdict
    seconds: float = 0.0


def judged(name: str, demanded: str, found: str, *, holds: bool) -> Row:
    """A row that ran."""
    return Row(name, demanded, found, Verdict.PASSED if holds else Verdict.FAILED)


def skipped(name: str, demanded: str, why: str) -> Row:
    """A row that could not run here: never counted as passed."""
    return Row(name, demanded, why, Verdict.SKIPPED)


def table(rows: Sequence[Row]) -> str:
    """All rows, as people read them."""
    lines = ["", f"{'row':<5} {'verdict':<8} {'time':>7}  demanded", "-" * 110]
    for row in rows:
        lines += (
            f"{row.name:<5} {row.verdict:<8} {row.seconds:>6.0f}s  {row.demanded}",
            f"{'':<23} found: {row.found}",
        )
    return "\n".join(lines)


def exit_code(rows: Sequence[Row]) -> int:
    """0 where nothing failed; 1 where something did; 3 where nothing did and something could not be run."""
    if any(row.verdict is Verdict.FAILED for row in rows):
        return 1
    return 3 if any(row.verdict is Verdict.SKIPPED for row in rows) else 0
