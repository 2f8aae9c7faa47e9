"""Portable SQL as PostgreSQL takes it, and statements of a write in as few round trips as their order allows."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import groupby

from shared.storage.database import Row, SqlValue, Statement

_TOKENS = re.compile(r"'(?:[^']|'')*'|\?")
_TEXT = re.compile(r"\bTEXT\b")
_PLAIN_INSERT = re.compile(r"INSERT INTO \w+ \([\w, ]+\) VALUES \([?, ]+\)")


@lru_cache(maxsize=1024)
def numbered(sql: str) -> str:
    """``?`` placeholders as $1, $2, ...; those within quotes are text."""
    count = 0

    def one(token: re.Match[str]) -> str:
        nonlocal count
        if token[0] != "?":
            return token[0]
        count += 1
        return f"${count}"

    return _TOKENS.sub(one, sql)


def defined(sql: str) -> str:
    """A definition whose texts are ordered by code point as in SQLite, whatever the locale of the database."""
    return _TEXT.sub('TEXT COLLATE "C"', sql)


def batches(statements: Sequence[Statement]) -> Iterator[tuple[Statement, ...]]:
    """The statements in their order; equal plain inserts in a row share one round trip."""
    for _, equal in groupby(statements, key=_insert_key):
        yield tuple(equal)


def _insert_key(statement: Statement) -> tuple[str, str] | int:
    """Equal for inserts that may travel together: each adds one row or fails, and who failed says the same label."""
    plain = statement.rows in {None, 1} and _PLAIN_INSERT.fullmatch(statement.sql)
    return (statement.sql, statement.label) if plain else id(statement)


def touched(status: str) -> int:
    """How many rows a statement touched, from its command tag."""
    count = status.rpartition(" ")[2]
    return int(count) if count.isdecimal() else 0


def row_of(record: Sequence[object]) -> Row:
    """A row in our types: a sum of whole numbers is a whole number."""
    return tuple(_value(each) for each in record)


def _value(value: object) -> SqlValue:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    raise TypeError(f"the database holds a {type(value).__name__}")
