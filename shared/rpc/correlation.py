"""The correlation id of a call: the caller's own where it is usable, else a new one that nobody can guess."""

import os
import re
from collections.abc import Iterable
from typing import Final

from shared.rpc.call import REQUEST_ID_HEADER

_USABLE: Final = re.compile(r"[A-Za-z0-9._:@-]{1,64}")
_ID_BYTES: Final = 16
_POOL_BYTES: Final = 256 * _ID_BYTES


class CorrelationIds:
    """Draws from the system's randomness for many ids at a time: one question to the kernel each would cost more."""

    def __init__(self) -> None:
        """Start with nothing drawn."""
        self._pool = b""
        self._at = 0

    def new(self) -> str:
        """32 characters."""
        if self._at >= len(self._pool):
            self._pool, self._at = os.urandom(_POOL_BYTES), 0
        self._at += _ID_BYTES
        return self._pool[self._at - _ID_BYTES : self._at].hex()

    def of(self, metadata: Iterable[tuple[str, str | bytes]]) -> str:
        """The id of a call with this metadata."""
        for key, value in metadata:
            if key == REQUEST_ID_HEADER and isinstance(value, str) and _USABLE.fullmatch(value):
                return value
        return self.new()
