"""Stands between two services and is told of every call before it is passed on, and before it is answered."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc

STREAMS: Final = "Watch"
Told = Callable[[str, str, bytes], Coroutine[None, None, None]]
"""Method, one of MOMENTS, the request's bytes."""
MOMENTS: Final = ("asked", "under_way", "answered", "told")
"""It has arrived; it has been passed on; it was answered and nobody has been told; the answer is on its way back."""
_OWN: Final = ("user-agent", "grpc-", ":")


class Proxy(grpc.GenericRpcHandler):
    """Passes on whatever comes, as bytes."""

    def __init__(self, target: str, told: Told) -> None:
        """To this address."""
        options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.min_reconnect_backoff_ms", 100)]
        options += [("grpc.max_reconnect_backoff_ms", 300), ("grpc.enable_retries", 0)]
        self.channel = grpc.aio.insecure_channel(target, options=options)
        self._told = told

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """See grpc.GenericRpcHandler."""
        path = handler_call_details.method
        method = path.rsplit("/", 1)[-1]
        if method.startswith(STREAMS):
            return grpc.unary_stream_rpc_method_handler(self._stream(path))
        return grpc.unary_unary_rpc_method_handler(self._unary(path, method))

    def _unary(self, path: str, method: str) -> Callable[[bytes, Any], Awaitable[bytes]]:
        call: Any = self.channel.unary_unary(path)

        async def handle(request: bytes, context: Any) -> bytes:
            await self._told(method, "asked", request)
            passed_on = call(request, metadata=_metadata(context), timeout=context.time_remaining())
            under_way = asyncio.create_task(self._told(method, "under_way", request))
            answer, refused = await _outcome(passed_on)
            await under_way
            if refused is not None:
                await context.abort(refused.code(), refused.details() or "", refused.trailing_metadata() or ())
            await self._told(method, "answered", request)
            asyncio.get_running_loop().call_soon(self._afterwards, method, request)
            return answer

        return handle

    def _afterwards(self, method: str, request: bytes) -> None:
        task = asyncio.ensure_future(self._told(method, "told", request))
        task.add_done_callback(lambda done: done.exception())

    def _stream(self, path: str) -> Callable[[bytes, Any], AsyncIterator[bytes]]:
        call: Any = self.channel.unary_stream(path)

        async def handle(request: bytes, context: Any) -> AsyncIterator[bytes]:
            passed_on = call(request, metadata=_metadata(context))
            try:
                async for item in passed_on:
                    yield item
            except grpc.aio.AioRpcError as broken:
                await context.abort(broken.code(), broken.details() or "", broken.trailing_metadata() or ())
            finally:
                passed_on.cancel()

        return handle


async def _outcome(call: Awaitable[bytes]) -> tuple[bytes, grpc.aio.AioRpcError | None]:
    try:
        return await call, None
    except grpc.aio.AioRpcError as refused:
        return b"", refused


def _metadata(context: Any) -> list[tuple[str, str | bytes]]:
    return [(key, value) for key, value in context.invocation_metadata() if not key.startswith(_OWN)]


@asynccontextmanager
async def standing_between(target: str, told: Told) -> AsyncGenerator[str, None]:
    """A proxy to this address; where it listens."""
    server = grpc.aio.server()
    proxy = Proxy(target, told)
    server.add_generic_rpc_handlers((proxy,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0.5)
        await proxy.channel.close()
