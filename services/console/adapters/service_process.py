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

from services.console.domain.log_end import ending_text, troubles
from services.console.domain.suite_plan import Bound

READY_SECONDS = 60.0
GRACE_SECONDS = 15.0
_POLL_SECONDS = 0.02
_TAIL_BYTES = 65_536
_TIED_START = Path(__file__).with_name("tied_start.py")


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
        """What happened to it, with what its log warns of."""
        code = self.process.returncode
        ending = "" if code is None else f" ({ending_text(code)})"
        return f"{self.service} {what}{ending}; {log_end(self.log)}"


async def start_process(service: str, environ: Mapping[str, str], log: Path, ready_file: Path) -> ServiceProcess:
    """Start a service in a process group of its own, so that Ctrl-C in the terminal reaches the console alone."""
    with _prepared(log, ready_file) as out:
        process = await asyncio.create_subprocess_exec(
            *tied(sys.executable, "-m", f"services.{service}"),
            env=dict(environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    return ServiceProcess(service, process, log, ready_file)


def tied(*program: str) -> tuple[str, ...]:
    """The command that starts a program which ends when this process does, however this process ends."""
    return (sys.executable, "-I", "-S", str(_TIED_START), str(os.getpid()), *program)


def log_end(log: Path) -> str:
    """Where a log is, and the last warnings and errors in it, if there are any."""
    try:
        with log.open("rb") as file:
            begin = max(log.stat().st_size - _TAIL_BYTES, 0)
            file.seek(begin)
            if begin:
                file.readline()  # cut in two by where we began
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return f"there is no log {log}"
    found = troubles(text)
    return f"the end of its log {log}:\n{found}" if found else f"its log {log} ends without a warning"


def _prepared(log: Path, ready_file: Path) -> TextIO:
    """The log, open for its end; a ready file of an earlier run is gone."""
    for path in (log, ready_file):
        path.parent.mkdir(parents=True, exist_ok=True)
    ready_file.unlink(missing_ok=True)
    return log.open("a", encoding="utf-8")
