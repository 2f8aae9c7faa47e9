"""Services with hurt.c loaded into them: told from outside when their disk fails and how wrong their wall clock is."""

import errno
import mmap
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("hurt.c")
NEVER: Final = -1
_NUMBER: Final = struct.Struct("q")
_FIELDS: Final = ("fails_from", "error", "at_writes", "failed_at", "failed", "synced", "clock_offset", "unused")
_NANO: Final = 1_000_000_000


class CannotHurt(Exception):  # noqa: N818  # read as a sentence
    """Why this machine cannot do it."""


def library(folder: Path) -> Path:
    """What is loaded into the services, built here; CannotHurt where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise CannotHurt("there is no C compiler here (gcc or cc)")
    built = folder / "hurt.so"
    made = subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "-o", str(built), str(SOURCE), "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise CannotHurt(f"hurt.c cannot be built here: {made.stderr.strip()[-300:]}")
    return built


class Control:
    """What one service, or several, are told; see hurt.c."""

    def __init__(self, path: Path) -> None:
        """A file of its own; nothing is hurt yet."""
        path.write_bytes(bytes(_NUMBER.size * len(_FIELDS)))
        self.path = path
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._put("fails_from", NEVER)

    def variables(self, library: Path) -> dict[str, str]:
        """What a service is started with."""
        return {"LD_PRELOAD": str(library), "HURT_CONTROL": str(self.path)}

    def disk_fails(self, error: int = errno.EIO, *, after: int = 0, writes: bool = False) -> None:
        """From the sync, or the write, after so many that still go well."""
        self._put("failed_at", 0)
        self._put("error", error)
        self._put("at_writes", int(writes))
        self._put("fails_from", after)

    def disk_is_well(self) -> None:
        """Nothing fails any more."""
        self._put("fails_from", NEVER)
        self._put("failed_at", 0)

    def jump(self, seconds: float) -> None:
        """The wall clock is set so much ahead, or back."""
        self._put("clock_offset", self._get("clock_offset") + round(seconds * _NANO))

    @property
    def failed_at(self) -> float:
        """When the disk failed first, as time.monotonic() tells it; 0 while it has not."""
        return self._get("failed_at") / _NANO

    @property
    def synced(self) -> int:
        """How many syncs went well."""
        return self._get("synced")

    def _put(self, name: str, value: int) -> None:
        _NUMBER.pack_into(self._map, _NUMBER.size * _FIELDS.index(name), value)

    def _get(self, name: str) -> int:
        return int(_NUMBER.unpack_from(self._map, _NUMBER.size * _FIELDS.index(name))[0])
