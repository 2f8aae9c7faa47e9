"""What our channels ask of gRPC besides the call itself; no connection of a simulated world is ever garbled."""

from collections.abc import Callable, Coroutine, Generator
from typing import Any

import grpc

from shared.rpc.identity import AUTHORIZATION_HEADER


class SimLink:
    """Implements shared.rpc.link.Link: one channel for ever."""

    def __init__(self, channel: grpc.aio.Channel, authorization: str) -> None:
        self.channel = channel
        self.authorization = ((AUTHORIZATION_HEADER, authorization),)

    def under_way(self, stream: Any) -> None:
        """The channel stays."""

    def doubted(self, channel: grpc.aio.Channel) -> None:
        """The channel stays."""

    async def close(self, grace: float | None) -> None:
        await self.channel.close(grace)


class UnaryCall:
    """A call with one answer, from the caller's side."""

    def __init__(self, asked: Coroutine[Any, Any, Any]) -> None:
        self._asked = asked

    def __await__(self) -> Generator[Any, None, Any]:
        return self._asked.__await__()

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Nobody is called back."""
