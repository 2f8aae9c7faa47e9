"""Work in portions over two processes, with how far it is.

They are forked from a server of their own: a process in which gRPC has threads may fall over when it is forked.
"""

from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

from tests.batteries.progress import Progress

PROCESSES = 2
T = TypeVar("T")


def in_portions(name: str, work: Callable[[int, int], T], total: int, portion: int) -> Iterator[T]:
    """What ``work(first, count)`` gives for each portion of 0 to ``total``, as it comes."""
    progress = Progress(name, total)
    starts = [(first, min(portion, total - first)) for first in range(0, total, portion)]
    with get_context("forkserver").Pool(PROCESSES) as pool:
        for count, found in pool.imap_unordered(partial(_counted, work), starts):
            progress.add(count)
            yield found
    progress.finish()


def _counted(work: Callable[[int, int], T], portion: tuple[int, int]) -> tuple[int, T]:
    return portion[1], work(*portion)
