"""Two replicas of each of the five services on one PostgreSQL; callers know both addresses and nothing of who is up."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

from tests.support.servers import ServiceProcess, start_service

STORED = ("dealer", "tournament_ledger", "orchestrator")
ORDER = ("betting", "evaluator", "dealer", "tournament_ledger", "orchestrator")
DRAIN = {"DRAIN_NOTICE_SECONDS": "1", "DRAIN_SECONDS": "20"}


@dataclass
class Replicas:
    """Where each replica listens, and the process that does."""

    folder: Path
    urls: Mapping[str, str]
    old: Path | None
    """A working tree of the version to start from; None: the same version is rolled over itself."""
    addresses: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    running: dict[tuple[str, int], ServiceProcess] = field(default_factory=dict[tuple[str, int], ServiceProcess])

    async def start_all(self) -> None:
        """Ten processes of the version to start from."""
        for service in ORDER:
            self.addresses[service] = (f"127.0.0.1:{_free_port()}", f"127.0.0.1:{_free_port()}")
        for service in ORDER:
            for at in (0, 1):
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

    async def roll(self) -> int:
        """Each replica in turn: asked to stop, gone, started anew in this version; how many there were."""
        for service in ORDER:
            for at in (0, 1):
                code = await asyncio.to_thread(self.running[service, at].stop, 60.0)
                assert code == 0, f"{service} ended with {code}"
                await self.start(service, at)
                await asyncio.sleep(1.0)
        return len(self.running)

    def end(self) -> None:
        """Stop whatever still runs."""
        for each in self.running.values():
            if each.process.poll() is None:
                each.kill()


class _version:  # noqa: N801  # used as a with statement
    """Processes started inside run the code of another working tree."""

    def __init__(self, tree: Path | None) -> None:
        self._set = {} if tree is None else {"PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"}

    def __enter__(self) -> None:
        os.environ.update(self._set)

    def __exit__(self, *_: object) -> None:
        for name in self._set:
            del os.environ[name]


def _free_port() -> int:
    with socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port
