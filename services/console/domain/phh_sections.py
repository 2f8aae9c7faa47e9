"""Splits the text of a Poker Hand History file into hands: one in a .phh file, numbered sections in a .phhs file."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from services.console.domain.recorded_hand import RecordError

_HEADER = re.compile(r"^\s*\[\s*(?P<name>[A-Za-z0-9_.'\"-]+)\s*\]\s*(#.*)?$")
HAND_CHARACTERS_MAX = 2**15
"""A record of a long hand has some thousands; the time that TOML takes grows faster than what it reads."""
_AT_LINE = re.compile(r"\s*\(at (?:line (?P<line>\d+), column \d+|end of document)\)")


@dataclass(frozen=True, slots=True)
class Section:
    """One hand of a file: its heading, the line its text starts on, its text, and its fields."""

    file: str
    name: str
    line: int
    text: str
    fields: dict[str, Any]

    def line_of(self, needle: str, start_line: int = 0) -> int:
        """The first line at or after ``start_line`` that holds the text; the section's own line if none does."""
        for number, line in enumerate(self.text.splitlines(), start=self.line):
            if number >= start_line and needle in line:
                return number
        return self.line

    @property
    def last_line(self) -> int:
        """The line on which its text ends."""
        return self.line + max(len(self.text.rstrip().splitlines()) - 1, 0)


def split_sections(file: str, text: str) -> Iterator[Section | RecordError]:
    """The hands of a file in order; a hand whose text is no TOML comes as an error, the others still come."""
    chunks = list(_chunks(text))
    if not chunks:
        yield RecordError(file, "-", 1, "the file holds no hand")
    for name, line, body in chunks:
        yield _section(file, name, line, body)


def _section(file: str, name: str, line: int, body: str) -> Section | RecordError:
    if len(body) > HAND_CHARACTERS_MAX:
        return RecordError(file, name, line, f"a hand of more than {HAND_CHARACTERS_MAX} characters is not read")
    try:
        fields = tomllib.loads(body)
        str(fields)  # numbers may be read that are too long to be written
    except tomllib.TOMLDecodeError as error:
        return RecordError(file, name, _line_of_error(error, line, body), _problem(error))
    except (ValueError, RecursionError) as fault:
        return RecordError(file, name, line, f"this is no record of a hand: {fault}")
    return Section(file, name, line, body, fields)


def _chunks(text: str) -> Iterator[tuple[str, int, str]]:
    """Heading, first line number and text of every hand; a file without headings is one hand."""
    name, first, lines = "1", 1, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header is None:
            lines.append(line)
            continue
        if _says_something(lines):
            yield name, first, "\n".join(lines)
        name, first, lines = header["name"].strip("'\""), number + 1, []
    if _says_something(lines) or (first > 1):
        yield name, first, "\n".join(lines)


def _problem(error: tomllib.TOMLDecodeError) -> str:
    """What is wrong; where the text ends in the middle of something, that as well."""
    found = _AT_LINE.search(str(error))
    broke_off = found is not None and found["line"] is None
    return _AT_LINE.sub("", str(error)) + ("; the record breaks off here" if broke_off else "")


def _says_something(lines: list[str]) -> bool:
    return any(line.strip() and not line.strip().startswith("#") for line in lines)


def _line_of_error(error: tomllib.TOMLDecodeError, first: int, body: str) -> int:
    found = _AT_LINE.search(str(error))
    if found is None or found["line"] is None:
        return first + max(0, len(body.splitlines()) - 1)
    return first + int(found["line"]) - 1
