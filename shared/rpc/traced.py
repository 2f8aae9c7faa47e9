"""Calls in traces (W3C ``traceparent`` in the metadata): put around handlers and channels where traces are on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from shared.observability.spans import CallSpan, Tracer
from shared.rpc.channel import CallingChannel
from shared.rpc.context import Context
from shared.rpc.link import Link

Handle = Callable[[Any, Context], Awaitable[Any]]


def traced(tracer: Tracer, path: str, handle: Handle) -> Handle:
    """The handler of one RPC with a span around each call."""

    async def handle_traced(request: Any, context: Context) -> Any:
        with tracer.received(path, context.invocation_metadata()) as span:
            return await _ended(span, handle(request, context), lambda: _status(context))

    return handle_traced


class TracedChannel(CallingChannel):
    """A channel whose calls are spans; streams only carry the trace on, and end when they end."""

    def __init__(self, link: Link, unary_seconds: float, tracer: Tracer) -> None:
        """See CallingChannel."""
        super().__init__(link, unary_seconds)
        self._tracer = tracer

    def unary_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """See CallingChannel."""
        make, tracer = super().unary_unary(method, *args, **kwargs), self._tracer

        async def call(request: Any, *, metadata: Any = None, **rest: Any) -> Any:
            with tracer.calling(method) as span:
                made = make(request, metadata=(*tracer.headers(), *(metadata or ())), **rest)
                return await _ended(span, made, lambda: "OK")

        return call

    def unary_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """See CallingChannel."""
        make, tracer = super().unary_stream(method, *args, **kwargs), self._tracer

        def call(request: Any, *, metadata: Any = None, **rest: Any) -> Any:
            return make(request, metadata=(*tracer.headers(), *(metadata or ())), **rest)

        return call


def _status(context: Context) -> str:
    """A refusal is told by the pipeline, and raises nothing; gRPC knows no status yet of what went well."""
    code: Any = context.code()  # 0 for so long, whatever its type says
    return code.name if code else "OK"


async def _ended(span: CallSpan, work: Awaitable[Any], status: Callable[[], str]) -> Any:
    """The outcome of a call, its status kept."""
    try:
        answer = await work
    except grpc.aio.AioRpcError as refused:
        span.ended(refused.code().name)
        raise
    except asyncio.CancelledError:
        span.ended("CANCELLED")
        raise
    except grpc.aio.AbortError:
        span.ended(status())
        raise
    span.ended(status())
    return answer
