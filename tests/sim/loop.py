"""An event loop whose time is virtual: where everybody waits, the next moment comes at once. Same calls, same order."""

import asyncio
import contextvars
from asyncio import base_events
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from weakref import WeakKeyDictionary

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The first moment of every simulated world."""
NOBODY: Final = ""


class Deadlock(AssertionError):  # noqa: N818  # read as a sentence: a deadlock
    """Everybody waits and nothing is due: the world stands still for ever."""


class _Selector:
    """Takes the place of the wait for sockets: there are none, so time jumps to what is due next."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[object]:
        if timeout is None:
            raise Deadlock("everybody waits and nothing is due")
        if timeout > 0:
            self._loop.pass_seconds(timeout)
        return []


class VirtualLoop(base_events.BaseEventLoop):
    """Runs the tasks of all nodes of a simulated world; each task belongs to the node whose task made it."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._selector = _Selector(self)
        self._owner_of: WeakKeyDictionary[asyncio.Task[Any], str] = WeakKeyDictionary()
        self._owner = NOBODY
        self._tasks_of: dict[str, dict[asyncio.Task[Any], None]] = {}
        self.set_task_factory(self._make_task)  # type: ignore[arg-type]  # the stubs know no keywords

    # --- time -------------------------------------------------------------------------------

    def time(self) -> float:
        return self._now

    def pass_seconds(self, seconds: float) -> None:
        """Time passes."""
        self._now += seconds

    def moment(self) -> datetime:
        """The time of the world, as a wall clock tells it."""
        return BEGAN + timedelta(seconds=self._now)

    # --- whose task it is -------------------------------------------------------------------

    @contextmanager
    def owned_by(self, owner: str) -> Generator[None]:
        """Tasks made in here, outside of any task, belong to this owner."""
        before, self._owner = self._owner, owner
        try:
            yield
        finally:
            self._owner = before

    def spawn(self, owner: str, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """A task of this owner, in a context of its own."""
        with self.owned_by(owner):
            return self.create_task(work, context=contextvars.Context())

    def cancel_all(self, owner: str) -> None:
        """End every task of an owner, in the order in which they were made."""
        for task in list(self._tasks_of.get(owner, ())):
            task.cancel()

    def left(self, owner: str) -> int:
        """Tasks of an owner that are not over."""
        return len(self._tasks_of.get(owner, ()))

    def owner(self) -> str:
        """Whose task runs now."""
        task = asyncio.current_task(self)
        return self._owner if task is None else self._owner_of.get(task, NOBODY)

    def _make_task(
        self, _: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **how: Any
    ) -> "asyncio.Task[Any]":
        owner = self._owner or self.owner()
        task: asyncio.Task[Any] = asyncio.Task(work, loop=self, **how)
        self._owner_of[task] = owner
        mine = self._tasks_of.setdefault(owner, {})
        mine[task] = None
        task.add_done_callback(lambda done: mine.pop(done, None))
        return task

    # --- what a loop without sockets need not do --------------------------------------------

    def _process_events(self, event_list: list[object]) -> None:
        """No sockets, no events."""

    def _write_to_self(self) -> None:
        """Nobody calls from another thread."""


class WorldClock:
    """The clock of one node: implements the Clock ports of all services."""

    def __init__(self, loop: VirtualLoop, ahead_seconds: float = 0.0) -> None:
        """Some seconds ahead of the others, or behind."""
        self._loop = loop
        self._ahead = timedelta(seconds=ahead_seconds)

    def now(self) -> datetime:
        return self._loop.moment() + self._ahead

    async def sleep_until(self, moment: datetime) -> None:
        while (left := (moment - self.now()).total_seconds()) > 0:  # noqa: ASYNC110  # time itself is waited for
            await asyncio.sleep(left)


def run_world(work: Callable[[VirtualLoop], Coroutine[Any, Any, Any]]) -> Any:
    """Run a world to its end in a loop of its own."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work(loop))
    finally:
        for owner in list(loop._tasks_of):
            loop.cancel_all(owner)
        loop.run_until_complete(_let_go())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _let_go() -> None:
    """What was cancelled gets the turns that it needs to end."""
    for _ in range(50):
        await asyncio.sleep(0)
