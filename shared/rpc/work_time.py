"""How long a handler computes: the processor's time of each of its steps. What it waits for is not counted."""

from collections.abc import Awaitable, Callable, Generator
from functools import partial
from time import thread_time
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class WorkTime(Generic[T]):
    """Await it instead of the work; what tasks of its own do beside it is not counted."""

    __slots__ = ("_work", "seconds")

    def __init__(self, work: Awaitable[T]) -> None:
        """Nothing was done yet."""
        self._work = work
        self.seconds = 0.0

    def __await__(self) -> Generator[Any, Any, T]:
        """As the work itself (PEP 380), with a watch held to every step."""
        steps: Any = self._work.__await__()
        step: Callable[[], Any] = partial(next, steps)
        while True:
            begun = thread_time()
            try:
                waits_for = step()
            except StopIteration as done:
                result: T = done.value
                return result
            finally:
                self.seconds += thread_time() - begun
            try:
                value = yield waits_for
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as error:  # noqa: BLE001  # thrown into the work, which may do with it what it likes
                step = partial(steps.throw, error)
            else:
                step = partial(steps.send, value)
