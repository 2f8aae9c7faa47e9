"""Two orchestrators, ledgers and dealers as processes on one PostgreSQL, and players who take whichever answers."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

import grpc

from shared.kernel.caller import Caller
from shared.rpc.client import open_channel
from tests.support.postgres_server import PostgresServer
from tests.support.servers import ServiceProcess, start_service

PAIR = ("a", "b")
STORED = ("dealer", "tournament_ledger", "orchestrator")
TRIES = 60
CALL_SECONDS = 3.0
SILENCE_SECONDS = 3.0
_ELSEWHERE = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,  # of the transport: our services say INTERNAL
}


class ReplicaProcesses:
    """Orchestrator ``a`` asks dealer and ledger ``a``, likewise ``b``; betting and evaluator are there once."""

    def __init__(self, folder: Path, postgres: PostgresServer) -> None:
        self._folder = folder
        self._postgres = postgres
        self._settings: dict[tuple[str, str], dict[str, str]] = {}
        self.running: dict[tuple[str, str], ServiceProcess] = {}
        self.urls: dict[str, str] = {}
        """Of the databases, by service."""

    async def __aenter__(self) -> Self:
        try:
            await self._start_all()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _start_all(self) -> None:
        self.urls = urls = {service: await self._postgres.new_database() for service in STORED}
        suppliers = [("betting", "a"), ("evaluator", "a"), *((each, name) for each in STORED[:2] for name in PAIR)]
        for service, name in suppliers:
            own = {"DATABASE": urls[service]} if service in urls else {}
            own |= {"KEYS": f"k:{'ab' * 32}"} if service == "dealer" else {}
            self._settings[service, name] = own
        await asyncio.gather(*(self.start(*each) for each in suppliers), return_exceptions=True)
        missing = [each for each in suppliers if each not in self.running]
        assert not missing, missing
        for name in PAIR:
            targets = {
                f"{service.upper()}_TARGET": self.address(service, "a" if service in {"betting", "evaluator"} else name)
                for service in ("betting", "evaluator", "dealer", "tournament_ledger")
            }
            self._settings["orchestrator", name] = {"DATABASE": urls["orchestrator"], **targets}
        await asyncio.gather(*(self.start("orchestrator", name) for name in PAIR))

    async def __aexit__(self, *_: object) -> None:
        for each in self.running.values():
            each.process.send_signal(signal.SIGCONT)
            each.kill()

    def address(self, service: str, name: str) -> str:
        return self._settings[service, name]["LISTEN"]

    async def start(self, service: str, name: str) -> None:
        """Start it, where it was before."""
        settings = self._settings[service, name]
        started = await asyncio.to_thread(start_service, service, self._folder, settings)
        settings["LISTEN"] = started.address
        self.running[service, name] = started

    async def kill(self, service: str, name: str) -> None:
        """kill -9, as a crash."""
        await asyncio.to_thread(self.running[service, name].kill)

    def stop(self, service: str, name: str) -> None:
        """SIGSTOP: it holds on to everything and says nothing."""
        os.kill(self.running[service, name].process.pid, signal.SIGSTOP)

    def go_on(self, service: str, name: str) -> None:
        os.kill(self.running[service, name].process.pid, signal.SIGCONT)

    def log(self, service: str, name: str) -> str:
        return self.running[service, name].log.read_text()


class EitherStub:
    """A stub over two replicas: each call goes to the other one, again elsewhere where one does not answer."""

    def __init__(self, stubs: list[Any], tries: int = TRIES) -> None:
        self._stubs = stubs
        self._tries = tries
        self._calls = 0
        self.retries = 0

    def _next(self) -> Any:
        self._calls += 1
        return self._stubs[self._calls % len(self._stubs)]

    def __getattr__(self, method: str) -> Callable[[Any], Any]:
        return self._stream(method) if method.startswith("Watch") else self._unary(method)

    def _unary(self, method: str) -> Callable[[Any], Any]:
        async def call(request: Any, timeout: float = CALL_SECONDS) -> Any:  # noqa: ASYNC109  # as a stub's own
            for left in range(self._tries, -1, -1):
                try:
                    return await getattr(self._next(), method)(request, timeout=timeout)
                except grpc.aio.AioRpcError as failure:
                    if failure.code() not in _ELSEWHERE or not left:
                        raise
                    self.retries += 1
                    await asyncio.sleep(0.1)
            raise AssertionError("unreachable")

        return call

    def _stream(self, method: str) -> Callable[[Any], AsyncIterator[Any]]:
        async def items(request: Any) -> AsyncIterator[Any]:
            for left in range(self._tries, -1, -1):
                began = False
                try:
                    async for item in self._items(method, request):
                        began = True
                        yield item
                except grpc.aio.AioRpcError as failure:
                    if began or failure.code() not in _ELSEWHERE or not left:
                        raise
                    await asyncio.sleep(0.1)
                else:
                    return

        return items

    async def _items(self, method: str, request: Any) -> AsyncIterator[Any]:
        """Of one stream; it ends where nobody speaks, who may be stopped: the caller watches again, elsewhere."""
        call = getattr(self._next(), method)(request)
        try:
            while True:
                try:
                    async with asyncio.timeout(SILENCE_SECONDS):
                        item = await call.read()
                except TimeoutError:
                    return
                if item is grpc.aio.EOF:
                    return
                yield item
        finally:
            call.cancel()


async def either(
    stack: AsyncExitStack, processes: ReplicaProcesses, service: str, caller: Caller, stub: Callable[[Any], Any]
) -> EitherStub:
    """Calls to both replicas of a service."""
    addresses: Mapping[str, str] = {name: processes.address(service, name) for name in PAIR}
    channels = [await stack.enter_async_context(open_channel(address, caller)) for address in addresses.values()]
    return EitherStub([stub(channel) for channel in channels])
