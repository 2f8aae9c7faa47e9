"""A stream that ends when the service is asked to stop, whatever it waits for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TypeVar, cast

from shared.rpc.drain import Drain

T = TypeVar("T")


async def until_drained(items: AsyncIterator[T], drain: Drain) -> AsyncIterator[T]:
    """The items, until there are no more or the drain begins."""
    stop = asyncio.ensure_future(drain.wait())
    try:
        async with aclosing(cast("_Closable", items)):
            while True:
                item = asyncio.ensure_future(anext(items))
                try:
                    await asyncio.wait({item, stop}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    if not item.done():
                        await _cancelled(item)
                if item.cancelled():
                    return
                try:
                    yield item.result()
                except StopAsyncIteration:
                    return
    finally:
        stop.cancel()


class _Closable:
    """What an asynchronous generator is, to the type checkers."""

    async def aclose(self) -> None:
        """End it."""


async def _cancelled(item: "asyncio.Future[T]") -> None:
    item.cancel()
    await asyncio.wait({item})
