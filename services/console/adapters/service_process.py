"""One service as a process of its own: started, waited for, stopped, killed."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from services.console.domain.suite_plan import Bound

READY_SECONDS = 60.0
GRACE_SECONDS = 15.0
TAIL_LINES = 12
_POLL_SECONDS = 0.02
_TAIL_BYTES = 16_384


class SuiteFault(Exception):  # noqa: N818  # a state of the suite
    """The suite cannot run, or runs no more; the message says which service, why, and what to do."""


@dataclass(slots=True)
class ServiceProcess:
    """A running service."""

    service: str
    process: asyncio.subprocess.Process
    log: Path
    ready_file: Path

    async def ready(self, seconds: float = READY_SECONDS) -> Bound:
        """Where it listens, once it serves; SuiteFault when it dies or takes too long."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    if self.process.returncode is not None:
                        raise SuiteFault(self.obituary("did not start"))
                    bound = self._read_ready_file()
                    if bound is not None:
                        return bound
                    await asyncio.sleep(_POLL_SECONDS)
        except TimeoutError:
            raise SuiteFault(self.obituary(f"is not ready after {seconds:g} s")) from None

    def _read_ready_file(self) -> Bound | None:
        try:
            found = json.loads(self.ready_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if found.get("pid") != self.process.pid:
            return None
        return Bound(found["listen"], found["metrics_listen"])

    async def terminate(self, grace_seconds: float = GRACE_SECONDS) -> int:
        """Ask it to drain and stop; kill it when it does not. Its exit code, negative for a signal."""
        self._send(signal.SIGTERM)
        try:
            async with asyncio.timeout(grace_seconds):
                return await self.process.wait()
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> int:
        """End it at once, as a power cut would; its exit code."""
        self._send(signal.SIGKILL)
        return await self.process.wait()

    def _send(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    def obituary(self, what: str) -> str:
        """What happened to it, with the end of its log."""
        code = self.process.returncode
        ending = "" if code is None else f" (exit code {code})"
        return f"{self.service} {what}{ending}; the end of {self.log}:\n{log_tail(self.log)}"


async def start_process(service: str, environ: Mapping[str, str], log: Path, ready_file: Path) -> ServiceProcess:
    """Start a service in a process group of its own, so that Ctrl-C in the terminal reaches the console alone."""
    with _prepared(log, ready_file) as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            f"services.{service}",
            env=dict(environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    return ServiceProcess(service, process, log, ready_file)


def log_tail(log: Path, lines: int = TAIL_LINES) -> str:
    """The last lines of a log, indented."""
    try:
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - _TAIL_BYTES, 0))
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return "  (no log)"
    return "\n".join(f"  {line}" for line in text.splitlines()[-lines:]) or "  (empty)"


def _prepared(log: Path, ready_file: Path) -> TextIO:
    """The log, open for its end; a ready file of an earlier run is gone."""
    for path in (log, ready_file):
        path.parent.mkdir(parents=True, exist_ok=True)
    ready_file.unlink(missing_ok=True)
    return log.open("a", encoding="utf-8")
