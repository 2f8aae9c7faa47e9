"""Watching without losing or doubling anything: a stream that ends is opened again after the last version seen."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol, TypeVar

import grpc

from services.console.adapters.calls import MAY_HELP, Away, Pauses, Refused, is_away
from shared.rpc.client import unpack_error


class Numbered(Protocol):
    """Something with the number of the last event it contains."""

    @property
    def version(self) -> int:
        """The number."""
        ...


ItemT = TypeVar("ItemT", bound=Numbered)
Opener = Callable[[int | None], AsyncGenerator[ItemT, None]]
"""Opens a stream after a version, None = from the start; it ends when the service ends it."""


async def resumed(open_stream: Opener[ItemT], patience_seconds: float) -> AsyncGenerator[ItemT, None]:
    """Every item once, in order, across any number of streams; Away when none opens for longer than the patience.

    A stream also ends when its token expires: the next one has a fresh token.
    """
    seen: int | None = None
    pauses = Pauses(patience_seconds)
    while True:
        heard = False
        try:
            async with aclosing(open_stream(seen)) as items:
                async for item in items:
                    heard = True
                    pauses = Pauses(patience_seconds)
                    if seen is None or item.version > seen:
                        seen = item.version
                        yield item
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.OUT_OF_RANGE:
                seen = None  # the log is another one, or shorter than it was: begin with the thing as it is
            elif not is_away(error) and not (heard and error.code() is grpc.StatusCode.UNAUTHENTICATED):
                raise Refused(unpack_error(error)) from None
        if not await pauses.take():
            what = f"the stream did not come back within {patience_seconds:g} s"
            raise Away(f"{what}: {MAY_HELP}")
