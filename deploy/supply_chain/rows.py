"""Rows of the table that `make supply-chain` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

FOUND_LENGTH_MAX = 160


class Verdict(StrEnum):
    """What a row says."""

    PASSED = "passed"
    FAILED = "FAILED"
    NOT_AUDITED = "NOT AUDITED"
    """Nobody looked: neither passed nor failed."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    part: str
    what: str
    found: str
    verdict: Verdict


def row(part: str, what: str, found: str, *, holds: bool) -> Row:
    """A row that passes where it holds."""
    return Row(part, what, found, Verdict.PASSED if holds else Verdict.FAILED)


def table(rows: Sequence[Row]) -> str:
    """The rows as lines of text."""
    lines = ((each.part, each.what, _short(each.found), each.verdict) for each in rows)
    cells = [("part", "what", "found", "verdict"), *lines]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def _short(text: str) -> str:
    return text if len(text) <= FOUND_LENGTH_MAX else text[: FOUND_LENGTH_MAX - 3] + "..."


EXIT_PASSED, EXIT_FAILED, EXIT_NOT_AUDITED = 0, 1, 3


def exit_code(rows: Sequence[Row], *, unaudited_allowed: bool) -> int:
    """1: something failed; 3: all else passed, but nobody audited; 0: all of it was looked at and passed."""
    verdicts = {each.verdict for each in rows}
    if not rows or Verdict.FAILED in verdicts:
        return EXIT_FAILED
    return EXIT_NOT_AUDITED if Verdict.NOT_AUDITED in verdicts and not unaudited_allowed else EXIT_PASSED
