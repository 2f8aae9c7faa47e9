"""Channels of ours over several replicas: each gets its share, one that is not serving none, a stop hurts nobody."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
from prometheus_client import CollectorRegistry
from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub

from services.betting.rpc.assembly import betting_assembly
from shared.observability.metrics import new_registry
from shared.rpc.server import RunningServer, start_server
from tests.support.servers import calling, server_settings

CALLS = 40


@dataclass(slots=True)
class Replica:
    """One of several servers of the same service, and what it counts."""

    server: RunningServer
    registry: CollectorRegistry

    @property
    def handled(self) -> float:
        """Calls that it answered."""
        samples = (each for metric in self.registry.collect() for each in metric.samples)
        found = (each for each in samples if each.name == "grpc_server_handled_total")
        return sum(each.value for each in found if each.labels["grpc_method"] == "GetServiceInfo")


async def _started(**settings: object) -> Replica:
    registry = new_registry()
    assembly = replace(betting_assembly(), registry=registry)
    return Replica(await start_server(assembly, server_settings(**settings)), registry)


@asynccontextmanager
async def replicas(count: int, **settings: object) -> AsyncGenerator[list[Replica], None]:
    """They are stopped in the end, and whoever took the place of one."""
    found = [await _started(**settings) for _ in range(count)]
    try:
        yield found
    finally:
        for each in found:
            await each.server.stop()


def _target(found: list[Replica]) -> str:
    """All addresses, as settings name several replicas."""
    return ",".join(each.server.address for each in found)


async def _ask(stub: BettingServiceStub, calls: int = CALLS) -> None:
    for _ in range(calls):
        await stub.GetServiceInfo(pb.GetServiceInfoRequest())


async def test_every_replica_gets_its_share() -> None:
    async with replicas(3) as found, calling(_target(found)) as channel:
        stub = BettingServiceStub(channel)
        await _until_all_answer(stub, found)
        before = [each.handled for each in found]
        await _ask(stub, 30)
        assert [each.handled - was for each, was in zip(found, before, strict=True)] == [10, 10, 10]


async def _until_all_answer(stub: BettingServiceStub, found: list[Replica]) -> None:
    async with asyncio.timeout(20):
        while not all(each.handled for each in found):
            await _ask(stub, 3)
            await asyncio.sleep(0.05)


async def test_a_replica_that_stops_serving_gets_no_more_calls_and_none_fails() -> None:
    async with replicas(2) as found, calling(_target(found)) as channel:
        stub = BettingServiceStub(channel)
        await _until_all_answer(stub, found)
        await found[0].server.stop()
        before = found[0].handled
        await _ask(stub)
        assert found[0].handled == before


@pytest.mark.slow
async def test_a_rolling_restart_under_calls_fails_none() -> None:
    failed: list[Exception] = []
    answered = 0

    async def caller(stub: BettingServiceStub, over: asyncio.Event) -> None:
        nonlocal answered
        while not over.is_set():
            try:
                await stub.GetServiceInfo(pb.GetServiceInfoRequest())
                answered += 1
            except Exception as fault:  # noqa: BLE001  # counted, whatever it is
                failed.append(fault)
            await asyncio.sleep(0.005)

    async with replicas(2, drain_notice_seconds=0.5) as found, calling(_target(found)) as channel:
        stub, over = BettingServiceStub(channel), asyncio.Event()
        await _until_all_answer(stub, found)
        callers = [asyncio.create_task(caller(stub, over)) for _ in range(4)]
        for at in (0, 1):
            address = found[at].server.address
            await found[at].server.stop()
            found[at] = await _started(listen=address, drain_notice_seconds=0.5)
            async with asyncio.timeout(20):
                while not found[at].handled:  # noqa: ASYNC110  # the callers come back to it
                    await asyncio.sleep(0.05)
        over.set()
        await asyncio.gather(*callers)
    assert not failed
    assert answered > CALLS


async def test_callers_that_watch_the_health_do_not_hold_up_the_stop() -> None:
    settings = server_settings(drain_seconds=60.0)
    server = await start_server(betting_assembly(), settings)
    async with calling(server.address) as channel:
        await _ask(BettingServiceStub(channel), 1)
        began = time.monotonic()
        await server.stop()
        assert time.monotonic() - began < 30.0
