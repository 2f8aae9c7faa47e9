"""The tools, which live in an environment of their own, and the folder that they write to."""

import json
import subprocess
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MOST = 900.0
Json = dict[str, Any]


def files_of(folders: Iterable[str]) -> Iterator[str]:
    """The Python files in these folders, as they are called from the root."""
    for folder in folders:
        yield from (str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.py"))


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool said."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class Tools:
    """Where the tools are, and where they may write."""

    programs: Path
    work: Path

    def run(self, program: str, *arguments: str, folder: Path = ROOT) -> Said:
        """Run one; who takes too long, or is missing, fails with what that was."""
        command = [str(self.programs / program), *arguments]
        try:
            done = subprocess.run(  # noqa: S603  # our own tools, arguments of our own
                command, cwd=folder, capture_output=True, text=True, timeout=SECONDS_MOST, check=False
            )
        except FileNotFoundError:
            raise SystemExit(f"supply-chain: {command[0]} is missing: make supply-chain installs it") from None
        return Said(done.returncode, done.stdout, done.stderr)

    def read(self, name: str) -> Json:
        """A JSON object that a tool wrote; empty where there is none, or it is not JSON."""
        try:
            found = json.loads((self.work / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return cast("Json", found) if isinstance(found, dict) else {}

    def path(self, name: str) -> str:
        """Where a file goes."""
        return str(self.work / name)

    @contextmanager
    def planted(self, files: Mapping[str, str]) -> Generator[Path]:
        """A folder with faults, to see whether they are found; not in the checkout, where tools skip folders."""
        with TemporaryDirectory(prefix="planted-") as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            yield Path(folder)
