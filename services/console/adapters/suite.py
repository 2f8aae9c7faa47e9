"""The five services as separate processes on this machine, with their data in one folder."""

import asyncio
import fcntl
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from services.console.adapters.dev_pki import Pki, PkiFault, make_pki
from services.console.adapters.leftovers import lasting_leftovers
from services.console.adapters.service_process import ServiceProcess, SuiteFault, log_end, start_process
from services.console.domain.suite_plan import (
    ORCHESTRATOR,
    SERVICES,
    SUPPLIERS,
    log_file,
    ready_file,
    settings_of,
    wanted,
)

__all__ = ["Suite", "SuiteFault"]


class Suite:
    """Starts the suite on entering and stops it on leaving: ``async with Suite(folder, os.environ) as suite``.

    It restarts nothing by itself. With base_port 0 the system chooses free ports, which a service keeps when it is
    started again. With scripted, dealer and orchestrator allow cards chosen beforehand. With tls, every call needs a
    certificate and a token of a development authority in the folder ``pki``.
    """

    def __init__(
        self,
        folder: Path,
        environ: Mapping[str, str],
        *,
        base_port: int = 0,
        scripted: bool = False,
        tls: bool = False,
    ) -> None:
        """Plan the suite; nothing runs yet."""
        self.folder = folder.resolve()
        self._environ = environ
        self._scripted = scripted
        self._tls = tls
        self._bound = {service: wanted(service, base_port) for service in SERVICES}
        self._running: dict[str, ServiceProcess] = {}
        self._fault: asyncio.Future[str] | None = None
        self._watchers: set[asyncio.Task[None]] = set()
        self._lock: int | None = None

    async def __aenter__(self) -> Self:
        self._fault = asyncio.get_running_loop().create_future()
        self._claim_folder()
        try:
            await self._check_leftovers()
            self._check_ports()
            self._make_pki()
            await self._start_all(SUPPLIERS)
            await self._start_all((ORCHESTRATOR,))
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.stop(ORCHESTRATOR)
            await asyncio.gather(*(self.stop(service) for service in SUPPLIERS))
        finally:
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def address(self, service: str) -> str:
        """host:port of a service's calls."""
        return self._bound[service].listen

    def metrics_address(self, service: str) -> str:
        """host:port of a service's /metrics."""
        return self._bound[service].metrics_listen

    def log(self, service: str) -> Path:
        """The log of a service."""
        return self.folder / log_file(service, self.folder)

    def log_end(self, service: str) -> str:
        """Where a service's log is, and the last warnings and errors in it."""
        return log_end(self.log(service))

    def pid(self, service: str) -> int:
        """Process id of a running service."""
        return self._running[service].process.pid

    @property
    def pki(self) -> Pki | None:
        """The development authority; None without TLS."""
        return Pki(self.folder / "pki") if self._tls else None

    def environment(self, service: str) -> dict[str, str]:
        """The whole environment that a service is started with."""
        secured = None if self.pki is None else self.pki.settings(service)
        own = settings_of(
            service, self.folder, self._bound[service], self._bound, scripted=self._scripted, secured=secured
        )
        return {**self._environ, **own}

    def console_environment(self) -> dict[str, str]:
        """The environment for other commands of the console that call this suite."""
        return {**self._environ, **({} if self.pki is None else self.pki.console_settings())}

    async def start(self, service: str) -> None:
        """Start a service that is not running, where it was before; SuiteFault when it cannot."""
        if service in self._running:
            raise SuiteFault(f"{service} runs already")
        ready = Path(ready_file(service, self.folder))
        process = await start_process(service, self.environment(service), self.log(service), ready)
        self._running[service] = process
        try:
            self._bound[service] = await process.ready()
        except SuiteFault:
            await self._running.pop(service).kill()
            raise
        watcher = asyncio.create_task(self._watch(process))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def _start_all(self, services: tuple[str, ...]) -> None:
        """Start services side by side; the first fault is raised when each has started or not."""
        outcomes = await asyncio.gather(*(self.start(service) for service in services), return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

    async def stop(self, service: str) -> int:
        """Let a service drain and end; its exit code, 0 also where it did not run."""
        process = self._running.pop(service, None)
        return 0 if process is None else await process.terminate()

    async def kill(self, service: str) -> None:
        """End a service at once, without a chance to write anything (kill -9)."""
        await self._running.pop(service).kill()

    async def fault(self) -> str:
        """What happened, as soon as a service has ended that nobody stopped or killed through this suite."""
        if self._fault is None:
            raise SuiteFault("the suite was not started")
        return await asyncio.shield(self._fault)

    async def _watch(self, process: ServiceProcess) -> None:
        await process.process.wait()
        unexpected = self._running.get(process.service) is process
        if unexpected and self._fault is not None and not self._fault.done():
            self._fault.set_result(process.obituary("has ended unasked"))

    def _claim_folder(self) -> None:
        """One suite a folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.folder / "suite.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(lock, 20).decode("ascii", "replace").strip()
            os.close(lock)
            how = f" (Ctrl-C in its terminal, or: kill {owner})" if owner.isdecimal() else ""
            raise SuiteFault(
                f"another suite uses {self.folder}: stop it{how}, or give another folder with --data"
            ) from None
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        self._lock = lock

    async def _check_leftovers(self) -> None:
        """Services of an earlier suite hold databases and ports: say who they are before anything is touched."""
        found = await lasting_leftovers(self.folder)
        if found:
            who = ", ".join(f"{service} (process {pid})" for service, pid in found.items())
            pids = " ".join(str(pid) for pid in found.values())
            raise SuiteFault(
                f"an earlier suite still runs in {self.folder}: {who}. Stop it with: kill {pids} "
                "(they finish what they do; nothing is lost), or give another folder with --data"
            )

    def _make_pki(self) -> None:
        try:
            if self.pki is not None:
                make_pki(self.pki.folder)
        except PkiFault as fault:
            raise SuiteFault(str(fault)) from None

    def _check_ports(self) -> None:
        """Say clearly which port is taken, before anything starts."""
        for service, bound in self._bound.items():
            for address in (bound.listen, bound.metrics_listen):
                host, _, port = address.rpartition(":")
                if _is_taken(host, int(port)):
                    raise SuiteFault(
                        f"port {port} (for {service}) is taken: stop what listens there, or give other ports "
                        "with --base-port (0 = free ones)"
                    )


def _is_taken(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind((host, port))
            return False
    return True
