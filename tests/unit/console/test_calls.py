"""Asking a service that comes and goes, and watching across its restarts, over real gRPC."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from sevenstud.orchestrator.v1 import table_event_pb2, table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as wire

from services.console.adapters.calls import Away, Refused, connect
from services.console.adapters.tables import Tables
from services.console.domain.betting import ActionKind
from services.console.domain.robot import Choice
from shared.kernel.caller import Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.errors import refusal_of

SERVICE = "sevenstud.orchestrator.v1.TableService"
CALL = Choice(ActionKind.CALL)


@dataclass
class Moody:
    """A table service that answers only after some outages, and ends its streams in the middle."""

    outages: int = 0
    refusal: DomainError | None = None
    acts: list[wire.ActRequest] = field(default_factory=list[wire.ActRequest])
    tokens: list[str] = field(default_factory=list[str])
    resumed_after: list[int | None] = field(default_factory=list["int | None"])
    events_count: int = 6

    async def act(self, request: wire.ActRequest, context: Any) -> wire.ActResponse:
        self.acts.append(request)
        self.tokens.extend(value for key, value in context.invocation_metadata() if key == "authorization")
        if len(self.acts) <= self.outages:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "away")
        if self.refusal is not None:
            refusal = refusal_of(self.refusal, "orchestrator")
            context.set_trailing_metadata(refusal.trailer)
            await context.abort(refusal.code, refusal.message)
        return wire.ActResponse(version=1)

    async def watch(self, request: wire.WatchRequest, context: Any) -> AsyncGenerator[wire.WatchResponse, None]:
        """Two items a stream, the last one of each repeated by the next; every other stream breaks."""
        after = request.after_version if request.HasField("after_version") else None
        self.resumed_after.append(after)
        if after is None:
            yield wire.WatchResponse(table=table_pb2.TableView(table_id="t1", version=1))
            after = 1
        for version in range(after, min(after + 3, self.events_count + 1)):
            event = table_event_pb2.TableEvent(
                table_id="t1", version=version, table_resumed=table_event_pb2.TableResumed()
            )
            yield wire.WatchResponse(event=event)
        if len(self.resumed_after) % 2:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "killed")
        yield wire.WatchResponse(ended=wire.StreamEnded(reason="DRAINING", resume_after_version=after))


@asynccontextmanager
async def _served(moody: Moody) -> AsyncGenerator[str, None]:
    server = grpc.aio.server()
    act: Callable[..., Any] = moody.act
    watch: Callable[..., Any] = moody.watch
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "Act": grpc.unary_unary_rpc_method_handler(act, wire.ActRequest.FromString, wire.ActResponse.SerializeToString),
        "Watch": grpc.unary_stream_rpc_method_handler(
            watch, wire.WatchRequest.FromString, wire.WatchResponse.SerializeToString
        ),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


async def test_an_action_is_asked_again_with_the_same_request_id_while_the_service_is_away() -> None:
    moody = Moody(outages=6)
    async with _served(moody) as address, connect(address, Role.PLAYER, "ada") as line:
        await Tables(line).act("t1", 7, CALL, "same-id")
    assert len(moody.acts) == 7
    assert {request.request_id for request in moody.acts} == {"same-id"}
    assert line.retries_count > 0


async def test_a_player_acts_with_its_own_token() -> None:
    moody = Moody()
    async with _served(moody) as address, connect(address, Role.PLAYER, "ada") as line:
        await Tables(line).act("t1", 7, CALL, "id")
    assert moody.tokens == ["Bearer dev:player:ada"]
    assert moody.acts[0].player_id == "ada"


async def test_patience_ends_with_a_word() -> None:
    moody = Moody(outages=10_000)
    async with _served(moody) as address, connect(address, Role.PLAYER, "ada", patience_seconds=0.2) as line:
        with pytest.raises(Away, match=r"no answer from 127\.0\.0\.1:\d+ within 0\.2 s: is the suite up"):
            await Tables(line).act("t1", 7, CALL, "id")


async def test_a_refusal_is_not_asked_again_and_keeps_its_reason() -> None:
    moody = Moody(refusal=DomainError(Reason.STALE_TURN, "the turn is over", {"turn_id": "7", "current_turn_id": "8"}))
    async with _served(moody) as address, connect(address, Role.PLAYER, "ada") as line:
        with pytest.raises(Refused, match="the turn is over") as refused:
            await Tables(line).act("t1", 7, CALL, "id")
    assert refused.value.reason is Reason.STALE_TURN
    assert len(moody.acts) == 1


async def test_a_watcher_sees_every_event_once_across_broken_and_ended_streams() -> None:
    moody = Moody()
    versions: list[int] = []
    async with (
        _served(moody) as address,
        connect(address, Role.OBSERVER, "eye") as line,
        aclosing(Tables(line).watch("t1")) as items,
    ):
        async for item in items:
            versions.append(item.version)
            if item.version == moody.events_count:
                break
    assert versions == [1, 2, 3, 4, 5, 6]
    assert moody.resumed_after == [None, 3, 5]


async def test_a_watcher_gives_up_when_nothing_comes_back() -> None:
    async with connect("127.0.0.1:9", Role.OBSERVER, "eye", patience_seconds=0.2) as line:
        items = Tables(line).watch("t1")
        with pytest.raises(Away):
            await anext(items)
