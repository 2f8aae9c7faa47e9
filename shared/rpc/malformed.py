"""Bytes that are no message of the contract: an answer like any other refusal, and not the transport's UNKNOWN."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import DecodeError

from shared.kernel.errors import DomainError, Reason


class Malformed:
    """Stands for a request that could not be read, until the caller is known and can be told."""


MALFORMED = Malformed()


def refuse_malformed(request: object) -> None:
    """Refuse what could not be read; what was sent is not repeated."""
    if request is MALFORMED:
        message = (
            "the request cannot be read as the message of the contract: build it with the code made from the contract"
        )
        raise DomainError(Reason.REQUEST_INVALID, message, {"field": ""})


def reading(read: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    """The reader of a request, which gives Malformed where there is no message to be read."""
    if read is None:
        return None

    def read_or_tell(raw: bytes) -> Any:
        try:
            return read(raw)
        except DecodeError:
            return MALFORMED

    return read_or_tell
