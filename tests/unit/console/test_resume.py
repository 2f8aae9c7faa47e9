"""Watching goes on where a stream ended, also where its token had expired; not where nobody is let in."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import grpc
import pytest
from grpc.aio import Metadata

from services.console.adapters.calls import Refused
from services.console.adapters.resume import resumed

PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Item:
    version: int


def expired() -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(grpc.StatusCode.UNAUTHENTICATED, Metadata(), Metadata(), "the token has expired")


async def test_a_stream_whose_token_has_expired_is_opened_again_with_another() -> None:
    opened: list[int | None] = []

    async def stream(after: int | None) -> AsyncGenerator[Item, None]:
        opened.append(after)
        yield Item((after or 0) + 1)
        if len(opened) < 3:
            raise expired()
        yield Item((after or 0) + 2)

    seen: list[int] = []
    async for item in resumed(stream, PATIENCE_SECONDS):
        seen.append(item.version)
        if item.version == 4:
            break
    assert (seen, opened) == ([1, 2, 3, 4], [None, 1, 2])


async def test_a_watcher_that_is_never_let_in_is_told_so() -> None:
    async def stream(after: int | None) -> AsyncGenerator[Item, None]:
        if after is None:
            raise expired()
        yield Item(1)

    with pytest.raises(Refused, match="the token has expired"):
        await anext(resumed(stream, PATIENCE_SECONDS))
