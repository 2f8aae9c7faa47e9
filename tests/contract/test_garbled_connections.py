"""A connection whose headers went out of step is left alone: the next calls go over a new one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub

from shared.kernel.errors import DomainError, Reason
from shared.rpc import link
from shared.rpc.client import refusal_from
from shared.rpc.errors import refusal_of
from tests.support.servers import calling

PATIENCE_SECONDS = 60.0
GARBLED = "Missing :authority header"
"""What gRPC's server says of every call of a connection that is out of step with it."""


class OutOfStep:
    """Its first connection is garbled from some call on; it knows connections by the caller's port."""

    def __init__(self, *, says_why: bool = False) -> None:
        self.says_why = says_why
        self.garbled: str | None = None
        self.peers: list[str] = []

    async def get_service_info(self, request: pb.GetServiceInfoRequest, context: Any) -> pb.GetServiceInfoResponse:
        del request
        peer = context.peer()
        if peer not in self.peers:
            self.peers.append(peer)
        if peer == self.garbled and self.says_why:
            answer = refusal_of(DomainError(Reason.INTERNAL, "a fault"), "betting")
            await context.abort(grpc.StatusCode.UNKNOWN, answer.message, trailing_metadata=answer.trailer)
        if peer == self.garbled:
            await context.abort(grpc.StatusCode.UNKNOWN, GARBLED)
        return pb.GetServiceInfoResponse()


@asynccontextmanager
async def served(servicer: OutOfStep) -> AsyncGenerator[str, None]:
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(
        servicer.get_service_info,
        request_deserializer=pb.GetServiceInfoRequest.FromString,
        response_serializer=pb.GetServiceInfoResponse.SerializeToString,
    )
    served_name = pb.DESCRIPTOR.services_by_name["BettingService"].full_name
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(served_name, {"GetServiceInfo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No channel has to be of any age."""
    monkeypatch.setattr(link, "DOUBTED_SECONDS", 0.0)


async def test_calls_after_a_garbled_one_go_over_a_new_connection() -> None:
    servicer = OutOfStep()
    async with served(servicer) as address, calling(address) as channel:
        betting = BettingServiceStub(channel)
        await betting.GetServiceInfo(pb.GetServiceInfoRequest())
        servicer.garbled = servicer.peers[0]
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await betting.GetServiceInfo(pb.GetServiceInfoRequest())
        assert isinstance(refusal_from(failed.value, "betting"), DomainError)  # away, and to be asked again
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(servicer.peers) == 1:
                try:
                    await betting.GetServiceInfo(pb.GetServiceInfoRequest())
                except grpc.aio.AioRpcError:
                    await asyncio.sleep(0.05)
        await betting.GetServiceInfo(pb.GetServiceInfoRequest())


async def test_a_fault_that_a_service_owns_up_to_replaces_no_connection() -> None:
    servicer = OutOfStep(says_why=True)
    async with served(servicer) as address, calling(address) as channel:
        betting = BettingServiceStub(channel)
        await betting.GetServiceInfo(pb.GetServiceInfoRequest())
        servicer.garbled = servicer.peers[0]
        for _ in range(5):
            with pytest.raises(grpc.aio.AioRpcError):
                await betting.GetServiceInfo(pb.GetServiceInfoRequest())
            await asyncio.sleep(0)
        assert len(servicer.peers) == 1
