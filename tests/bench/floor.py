"""The floor as processes: plain gRPC, no interceptor, no logic; the same messages, durable appends where ours has them.

``python -m tests.bench.floor betting FOLDER`` and ``... orchestrator FOLDER ADDRESS`` are the path of an action; the
folder holds the messages to answer with (``messages.py``), and whoever watches there is told two events of each action.
``... plain FOLDER`` answers calls of any size. Each prints ``ready PORT``.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
from sevenstud.betting.v1 import betting_service_pb2 as betting_pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb

from shared.rpc.context import Context
from tests.bench.group_commit import GroupCommit

ACT_OF_BETTING = "/sevenstud.betting.v1.BettingService/Act"
ACT_OF_TABLES = "/sevenstud.orchestrator.v1.TableService/Act"
CALL, WATCH = "/floor/Call", "/floor/Watch"
EVENTS_AN_ACTION, EVENT_BYTES = 2, 160
NUMBER_BYTES = 4
Unary = Callable[[Any, Context], Awaitable[Any]]


class Handlers(grpc.GenericRpcHandler):
    """Methods by path."""

    def __init__(self, by_path: dict[str, "grpc.RpcMethodHandler[Any, Any]"]) -> None:
        self._by_path = by_path

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return self._by_path.get(handler_call_details.method)


def betting(folder: Path) -> Handlers:
    """Answers what it was given."""
    answer = betting_pb.ActResponse.FromString((folder / "betting_response").read_bytes())

    async def act(_: betting_pb.ActRequest, __: Context) -> betting_pb.ActResponse:
        return answer

    return Handlers({ACT_OF_BETTING: _unary(act, betting_pb.ActRequest, betting_pb.ActResponse)})


def orchestrator(folder: Path, target: str) -> Handlers:
    """One inner call, one append, one answer; two events to everybody who watches."""
    inner = betting_pb.ActRequest.FromString((folder / "betting_request").read_bytes())
    answer = table_pb.ActResponse.FromString((folder / "act_response").read_bytes())
    row = bytes(int((folder / "row_bytes").read_text()))
    stub = BettingServiceStub(grpc.aio.insecure_channel(target))
    log = GroupCommit(folder / f"floor-{os.getpid()}.sqlite")
    watchers: list[asyncio.Queue[bytes]] = []
    event = bytes(EVENT_BYTES)

    async def act(request: table_pb.ActRequest, context: Context) -> table_pb.ActResponse:
        del request, context
        await stub.Act(inner)
        await log.append(row)
        for each in watchers:
            for _ in range(EVENTS_AN_ACTION):
                each.put_nowait(event)
        return answer

    async def watch(_: bytes, __: Context) -> AsyncIterator[bytes]:
        mine: asyncio.Queue[bytes] = asyncio.Queue()
        watchers.append(mine)
        yield b"first"
        while True:
            yield await mine.get()

    return Handlers(
        {
            ACT_OF_TABLES: _unary(act, table_pb.ActRequest, table_pb.ActResponse),
            WATCH: grpc.unary_stream_rpc_method_handler(watch),
        }
    )


def plain(folder: Path) -> Handlers:
    """Bytes in, bytes out; the first numbers of a request say how many to append and how many to answer."""
    log = GroupCommit(folder / f"plain-{os.getpid()}.sqlite")

    async def call(request: bytes, _: Context) -> bytes:
        appended, answered = _numbers(request)
        if appended:
            await log.append(bytes(appended))
        return bytes(answered)

    return Handlers({CALL: grpc.unary_unary_rpc_method_handler(call)})


def request_of(first: int, second: int, size: int = 0) -> bytes:
    """A request to the plain floor, of a size."""
    numbers = first.to_bytes(NUMBER_BYTES, "big") + second.to_bytes(NUMBER_BYTES, "big")
    return numbers + bytes(max(0, size - len(numbers)))


def _numbers(request: bytes) -> tuple[int, int]:
    first, second = request[:NUMBER_BYTES], request[NUMBER_BYTES : 2 * NUMBER_BYTES]
    return int.from_bytes(first, "big"), int.from_bytes(second, "big")


def _unary(act: Unary, request: Any, response: Any) -> "grpc.RpcMethodHandler[Any, Any]":
    return grpc.unary_unary_rpc_method_handler(
        act, request_deserializer=request.FromString, response_serializer=response.SerializeToString
    )


async def main(role: str, folder: Path, *more: str) -> None:
    """Serve until killed."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    roles: dict[str, Callable[..., Handlers]] = {"betting": betting, "orchestrator": orchestrator, "plain": plain}
    handlers = roles[role](folder, *more)
    server.add_generic_rpc_handlers((handlers,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print("ready", port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
