"""Rows of the table that the battery prints: what is demanded, what was found, and the verdict."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tests.fairness.limits import Limits, within


class Verdict(StrEnum):
    """What a row says."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    id: str
    what: str
    demanded: str
    found: str
    verdict: Verdict


def row(id_: str, what: str, demanded: str, found: str, *, holds: bool) -> Row:
    """A row that passes where it holds."""
    return Row(id_, what, demanded, found, Verdict.PASSED if holds else Verdict.FAILED)


def between(id_: str, what: str, value: float, limits: Limits) -> Row:
    """A row about a statistic and its limits."""
    demanded = f"{limits[0]:.1f} to {limits[1]:.1f}"
    return row(id_, what, demanded, f"{value:.1f}", holds=within(value, limits))


def at_most(id_: str, what: str, value: float, limit: float) -> Row:
    """A row about a deviation and its limit."""
    return row(id_, what, f"at most {limit:.2f}", f"{value:.2f}", holds=value <= limit)


def skipped(id_: str, what: str, demanded: str, reason: str) -> Row:
    """A row that was not tried, which is not the same as passed."""
    return Row(id_, what, demanded, reason, Verdict.SKIPPED)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the samples are."""

    share: float = 1.0
    """Of full size."""

    def of(self, full: int, least: int = 1) -> int:
        """A sample of which ``full`` is demanded; not below ``least``, where the statistic needs so many."""
        return max(least, round(full * self.share))


def table(rows: Iterable[Row]) -> str:
    """The rows as lines of text."""
    cells = [("row", "what", "demanded", "found", "verdict")]
    cells += [(each.id, each.what, each.demanded, each.found, each.verdict) for each in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join((lines[0], "-" * len(max(lines, key=len)), *lines[1:]))
