"""Lists in pages: a size within bounds, and a token that says where the next page starts and tells nobody else."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar, cast

from google.protobuf.message import Message

from shared.kernel.errors import DomainError, FieldViolation, Reason

SIZE_DEFAULT = 50
SIZE_MAX = 200
BYTES_MAX = 1024 * 1024
"""Of the items of a page, a quarter of what an answer may have: nobody makes a list that is too large to be sent."""
TOKEN_CHARACTERS_MAX = 1024
_SCOPE_BYTES = 8
_NUMBER_MAX = 2**63 - 1
Key = tuple[str | int, ...]
Item = TypeVar("Item", bound=Message)
Shape = tuple[type[str] | type[int], ...]
"""What the parts of a key are: texts, and numbers that a store can hold."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which page is asked for."""

    size: int
    """How many items; ask the store for one more to know whether there is a next page."""
    after: Key | None
    """Key of the last item of the page before; None for the first page."""
    scope: str

    def next_token(self, last: Key) -> str:
        """The token of the page after the item with this key; send "" instead when nothing follows."""
        content = json.dumps([_scope_mark(self.scope), *last], separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(content).decode().rstrip("=")


def fitting(items: Iterable[Item]) -> list[Item]:
    """As many items as a page has room for, the first one always: a page may end before it has the size asked for."""
    found: list[Item] = []
    room = BYTES_MAX
    for item in items:
        room -= item.ByteSize()
        if room < 0 and found:
            break
        found.append(item)
    return found


def page_of(page_size: int, page_token: str, scope: str, shape: Shape, size_max: int = SIZE_MAX) -> Page:
    """The page that a request asks for: 0 is the default size, too much is lowered, below zero is refused.

    ``scope`` names the list and its filters; a token of another scope, or of another shape than the list's keys have,
    is refused with PAGE_TOKEN_INVALID: anybody can write one.
    """
    if page_size < 0:
        problem = f"is below zero: give 0 for the default of {SIZE_DEFAULT}, or up to {size_max}"
        violation = FieldViolation("page_size", problem)
        raise DomainError(Reason.REQUEST_INVALID, f"page_size {problem}", {"field": "page_size"}, (violation,))
    size = min(page_size or SIZE_DEFAULT, size_max)
    return Page(size, _after(page_token, scope, shape) if page_token else None, scope)


def _after(token: str, scope: str, shape: Shape) -> Key:
    try:
        if len(token) > TOKEN_CHARACTERS_MAX:
            raise _invalid_token()
        padded = token + "=" * (-len(token) % 4)
        content: object = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError, binascii.Error):
        raise _invalid_token() from None
    if not isinstance(content, list):
        raise _invalid_token()
    mark, *key = cast("list[object]", content) or [None]
    if mark != _scope_mark(scope) or not key or tuple(map(type, key)) != shape or not all(map(_can_be_stored, key)):
        raise _invalid_token()
    return tuple(cast("list[str | int]", key))


def _can_be_stored(part: object) -> bool:
    if isinstance(part, int):
        return 0 <= part <= _NUMBER_MAX
    return isinstance(part, str) and "\0" not in part and part.isprintable()


def _scope_mark(scope: str) -> str:
    return hashlib.sha256(scope.encode()).hexdigest()[: 2 * _SCOPE_BYTES]


def _invalid_token() -> DomainError:
    message = "the page token is not one of ours, or of another request: start again without one"
    return DomainError(Reason.PAGE_TOKEN_INVALID, message)
