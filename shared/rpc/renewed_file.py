"""What a file says that may be replaced at any time, taken up without a restart."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from shared.observability.logging import get_log
from shared.rpc.certificates import file_state

T = TypeVar("T")
LOOK_SECONDS: Final = 1.0
"""How often a file is looked at for changes."""


class RenewedFile(Generic[T]):
    """The last content that made sense."""

    def __init__(self, path: Path, name: str, read: Callable[[bytes], T]) -> None:
        """Read it; OSError or ValueError where it makes no sense now. The name is for the log."""
        self._path, self._name, self._read = path, name, read
        self._seen = file_state(path)
        self._look_at = time.monotonic() + LOOK_SECONDS
        self.current: T = read(path.read_bytes())

    def renew(self) -> bool:
        """Look, once in a while, whether the file has changed; True where it says something else now."""
        now = time.monotonic()
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return self.look()

    def look(self) -> bool:
        """Look at once."""
        state = file_state(self._path)
        if state == self._seen:
            return False
        self._seen = state
        try:
            self.current = self._read(self._path.read_bytes())
        except (OSError, ValueError) as fault:
            get_log().error(f"{self._name}_not_taken_up", problem=str(fault), meaning="the former ones stay in use")
            return False
        get_log().info(f"{self._name}_renewed", file=str(self._path))
        return True
