"""Work that ends in a write goes on when whoever asked for it goes: nothing is left half-way (trust S4)."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_running: set["asyncio.Task[Any]"] = set()


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await work that goes on when the caller is cancelled; what it raises then, nobody hears."""
    loop = asyncio.get_running_loop()
    awaited: asyncio.Future[T] = loop.create_future()  # cancelled with its caller, unlike the task
    task = loop.create_task(work)
    _running.add(task)

    def tell(done: "asyncio.Task[T]") -> None:
        _running.discard(done)
        fault = None if done.cancelled() else done.exception()
        if awaited.done():
            return
        if done.cancelled():
            awaited.cancel()
        elif fault is not None:
            awaited.set_exception(fault)
        else:
            awaited.set_result(done.result())

    task.add_done_callback(tell)
    return await awaited
