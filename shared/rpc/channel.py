"""A channel that fills in what every call of ours must have: a deadline, who calls, the correlation id.

It does so around the call, not with gRPC's interceptors, which make a task for each call.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self, cast

import grpc

from shared.rpc.call import CORRELATION_ID, REQUEST_ID_HEADER, remaining_seconds
from shared.rpc.link import Link

UNARY_SECONDS = 5.0
_LEAST_SECONDS = 0.001
_MetadataItems = Sequence[tuple[str, str | bytes]]
_Make = Callable[..., Any]
_REASON = "grpc-status-details-bin"
_JUDGING: set[asyncio.Task[None]] = set()
"""Calls that failed and are looked at: kept here, or they would be forgotten on the way."""


class CallingChannel(grpc.aio.Channel):
    """Wraps a link; generated stubs take it like any other channel."""

    def __init__(self, link: Link, unary_seconds: float) -> None:
        """Call over this link; a unary call takes at most these seconds."""
        self._link = link
        self._unary_seconds = unary_seconds

    def _metadata(self, given: _MetadataItems | None) -> tuple[tuple[str, str | bytes], ...]:
        correlation_id = CORRELATION_ID.get()
        own: tuple[tuple[str, str | bytes], ...] = self._link.authorization
        if correlation_id:
            own = (*own, (REQUEST_ID_HEADER, correlation_id))
        return (*own, *given) if given else own

    def _seconds(self, given: float | None) -> float:
        """What was asked for, at most what is left of the call that this one is made for."""
        wanted = self._unary_seconds if given is None else given
        left = remaining_seconds()
        return wanted if left is None else max(_LEAST_SECONDS, min(wanted, left))

    def unary_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """A call with one answer."""
        maker = _Maker(self._link, lambda channel: channel.unary_unary(method, *args, **kwargs))

        def call(
            request: Any, *, timeout: float | None = None, metadata: _MetadataItems | None = None, **rest: Any
        ) -> Any:
            make = maker.now()
            made = make(request, timeout=self._seconds(timeout), metadata=self._metadata(metadata), **rest)
            made.add_done_callback(maker.look_at)
            return made

        return call

    def unary_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """A call with a stream of answers; without a deadline unless one is given: watchers stay."""
        maker = _Maker(self._link, lambda channel: channel.unary_stream(method, *args, **kwargs))

        def call(
            request: Any, *, timeout: float | None = None, metadata: _MetadataItems | None = None, **rest: Any
        ) -> Any:
            make = maker.now()
            stream = make(request, timeout=timeout, metadata=self._metadata(metadata), **rest)
            self._link.under_way(stream)
            return stream

        return call

    def stream_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Not part of any of our contracts; passed on as it is."""
        return self._link.channel.stream_unary(method, *args, **kwargs)

    def stream_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Not part of any of our contracts; passed on as it is."""
        return self._link.channel.stream_stream(method, *args, **kwargs)

    async def close(self, grace: float | None = None) -> None:
        """Close the channel below."""
        await self._link.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002  # grpc's
        """Connectivity of the channel below."""
        return self._link.channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait on the channel below."""
        await self._link.channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait on the channel below."""
        await self._link.channel.channel_ready()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class _Maker:
    """What makes the calls of one RPC, made anew when the link has another channel."""

    __slots__ = ("_channel", "_link", "_make", "_of", "look_at")

    def __init__(self, link: Link, of: Callable[[grpc.aio.Channel], object]) -> None:
        self._link = link
        self._of = of
        self._use(link.channel)

    def _use(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self._make = cast("_Make", self._of(channel))
        self.look_at = partial(_look_at, self._link, channel)

    def now(self) -> _Make:
        """For the next call."""
        channel = self._link.channel
        if channel is not self._channel:
            self._use(channel)
        return self._make


def _look_at(link: Link, channel: grpc.aio.Channel, call: Any) -> None:
    """A call over the channel ended."""
    if not call._cython_call.is_ok():  # noqa: SLF001  # the one question that needs no task for each call
        judging = asyncio.ensure_future(_judge(link, channel, call))
        _JUDGING.add(judging)
        judging.add_done_callback(_JUDGING.discard)


async def _judge(link: Link, channel: grpc.aio.Channel, call: Any) -> None:
    """Ours always say why; UNKNOWN without a reason comes from a connection whose headers are out of step."""
    if await call.code() is not grpc.StatusCode.UNKNOWN:
        return
    if all(key != _REASON for key, _ in await call.trailing_metadata() or ()):
        link.doubted(channel)
