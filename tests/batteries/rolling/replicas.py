"""Two replicas of each service, or three, on one PostgreSQL; callers know all addresses and not who is up."""

import asyncio
import os
import re
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

from tests.support.servers import ServiceProcess, start_service

NEWER = "this database is newer than the program"
STORED = ("dealer", "tournament_ledger", "orchestrator")
ORDER = ("betting", "evaluator", "dealer", "tournament_ledger", "orchestrator")
PAIR, THIRD = (0, 1), 2
SHARE_SECONDS_MAX, ALONE_SECONDS = 120.0, 10.0
DRAIN = {"DRAIN_NOTICE_SECONDS": "1", "DRAIN_SECONDS": "20"}


@dataclass
class Replicas:
    """Where each replica listens, and the process that does."""

    folder: Path
    urls: Mapping[str, str]
    old: Path | None
    """A working tree of the version to start from; None: the same version is rolled over itself."""
    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    running: dict[tuple[str, int], ServiceProcess] = field(default_factory=dict[tuple[str, int], ServiceProcess])

    async def start_all(self) -> None:
        """Ten processes of the version to start from."""
        for service in ORDER:
            self.addresses[service] = tuple(f"127.0.0.1:{_free_port()}" for _ in (*PAIR, THIRD))
        for service in ORDER:
            for at in PAIR:
                await self.start(service, at, self.old)

    async def start(self, service: str, at: int, version: Path | None = None) -> None:
        """One replica, at its own address."""
        settings = {"LISTEN": self.addresses[service][at], **DRAIN}
        if service in STORED:
            settings["DATABASE"] = self.urls[service]
        if service == "dealer":
            settings["KEYS"] = f"k:{'ab' * 32}"
        if service == "orchestrator":
            settings |= {f"{name.upper()}_TARGET": ",".join(self.addresses[name]) for name in ORDER[:4]}
        with _version(version):
            self.running[service, at] = await asyncio.to_thread(start_service, service, self.folder, settings)

    async def roll_forward(self) -> str:
        """Each replica in turn: asked to stop, gone, started anew in this version."""
        for service in ORDER:
            await self._roll(service, None)
        return f"{len(self.running)} processes replaced one after the other"

    async def roll_back(self) -> str:
        """The same in the other order, to the version that was there at first, where that knows the schema of today."""
        refused: list[str] = []
        for service in reversed(ORDER):
            try:
                await self._roll(service, self.old)
            except AssertionError as refusal:
                if NEWER not in str(refusal):
                    raise
                refused.append(service)
                await self.start(service, PAIR[0])
        count = len(self.running) - len(PAIR) * len(refused)
        said = f"{count} processes replaced by the former version"
        return f"{said}; its {', '.join(refused)} refuses the newer schema, as it must" if refused else said

    async def _roll(self, service: str, version: Path | None) -> None:
        for at in PAIR:
            await self._stop(service, at)
            await self.start(service, at, version)
            await asyncio.sleep(1.0)

    async def scale_out(self) -> str:
        """A third replica of each; it takes its share of the calls."""
        for service in ORDER:
            await self.start(service, THIRD)
        taken: dict[str, int] = {}
        async with asyncio.timeout(SHARE_SECONDS_MAX):
            while not all(taken.get(service) for service in ORDER):
                await asyncio.sleep(1.0)
                taken = {each: await asyncio.to_thread(_calls_taken, self.running[each, THIRD]) for each in ORDER}
        return f"a third replica of each, which took {sum(taken.values())} calls at once"

    async def scale_in(self) -> str:
        """The third ones go."""
        for service in ORDER:
            await self._stop(service, THIRD)
            del self.running[service, THIRD]
        return f"{len(ORDER)} processes gone"

    async def drain_node(self) -> str:
        """The first replica of every service is asked to stop at the same moment; afterwards they come back."""
        await asyncio.gather(*(self._stop(service, PAIR[0]) for service in ORDER))
        await asyncio.sleep(ALONE_SECONDS)
        for service in ORDER:
            await self.start(service, PAIR[0])
        return f"{len(ORDER)} processes asked to stop at once, the others alone for {ALONE_SECONDS:.0f} s"

    async def _stop(self, service: str, at: int) -> None:
        code = await asyncio.to_thread(self.running[service, at].stop, 60.0)
        assert code == 0, f"{service} ended with {code}"

    def end(self) -> None:
        """Stop whatever still runs."""
        for each in self.running.values():
            if each.process.poll() is None:
                each.kill()


class _version:  # noqa: N801  # used as a with statement
    """Processes started inside run the code of another working tree."""

    def __init__(self, tree: Path | None) -> None:
        self._set = {} if tree is None else {"PYTHONPATH": f"{tree}:{tree / 'build' / 'stubs'}", "PYTHONSAFEPATH": "1"}

    def __enter__(self) -> None:
        os.environ.update(self._set)

    def __exit__(self, *_: object) -> None:
        for name in self._set:
            del os.environ[name]


def _calls_taken(process: ServiceProcess) -> int:
    """Calls of the game that came in at a replica."""
    with urllib.request.urlopen(f"http://{process.metrics_address}/metrics", timeout=10) as page:
        text = page.read().decode()
    started = re.findall(r'^grpc_server_started_total\{.*grpc_service="sevenstud\..*\} (\S+)$', text, re.MULTILINE)
    return round(sum(map(float, started)))


def _free_port() -> int:
    with socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port
