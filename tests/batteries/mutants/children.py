"""Work in forked processes: each starts from all that was loaded, and nothing it breaks comes back."""

import math
import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

MEMORY_BYTES = 3 << 30
WALL_SECONDS_PER_CPU_SECOND = 10
"""How busy the machine may be before a child that merely waits for its turn is taken for one that hangs."""
Verdict = str
SURVIVED, KILLED, TIMEOUT = "survived", "killed", "timeout"


@dataclass(frozen=True, slots=True)
class _Running:
    key: str
    until: float


class Children:
    """At most so many children at once; each ends with 0 where every test passed."""

    def __init__(self, most: int, report: Callable[[str, Verdict], None]) -> None:
        self._most, self._report = most, report
        self._running: dict[int, _Running] = {}

    def start(self, key: str, work: Callable[[], int], seconds: float) -> None:
        """Run it in a child as soon as there is room; the seconds are of its own work, however busy the machine is."""
        while len(self._running) >= self._most:
            self._reap()
        pid = os.fork()
        if pid == 0:
            _alone(work, math.ceil(seconds))
        self._running[pid] = _Running(key, time.monotonic() + seconds * WALL_SECONDS_PER_CPU_SECOND)

    def wait(self) -> None:
        """Until all have ended."""
        while self._running:
            self._reap()

    def _reap(self) -> None:
        now = time.monotonic()
        for pid, running in list(self._running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._end(pid, _verdict(status))
            elif now > running.until:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                self._end(pid, TIMEOUT)
        time.sleep(0.005)

    def _end(self, pid: int, verdict: Verdict) -> None:
        self._report(self._running.pop(pid).key, verdict)


def _verdict(status: int) -> Verdict:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return TIMEOUT
    return SURVIVED if status == 0 else KILLED


def _alone(work: Callable[[], int], cpu_seconds: int) -> None:
    """The whole life of a child: quiet, bounded, and never back into the parent's code."""
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        code = work()
    finally:
        os._exit(code)
