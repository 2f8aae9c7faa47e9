"""Waiting for what happens elsewhere: in a server, at a table that goes on by itself, in another task."""

import asyncio
from collections.abc import Callable
from typing import Final

PATIENCE_SECONDS: Final = 30.0


async def until(holds: Callable[[], bool]) -> None:
    """It holds now; TimeoutError where it does not in half a minute, which no machine is too slow for."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():  # noqa: ASYNC110  # nobody rings a bell
            await asyncio.sleep(0.005)
