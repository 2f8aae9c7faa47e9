"""What every command needs: how it ends, and how it is told to end."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from services.console.adapters.calls import Away, Refused, settle
from services.console.adapters.service_process import SuiteFault
from services.console.domain.suite_plan import BASE_PORT
from shared.kernel.errors import DomainError

T = TypeVar("T")
EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
Environ = Mapping[str, str]
Run = Callable[[argparse.Namespace, Environ], int]
Commands = Any  # argparse does not name the class of its list of commands
DEFAULT_ORCHESTRATOR = f"127.0.0.1:{BASE_PORT}"
DEFAULT_LEDGER = f"127.0.0.1:{BASE_PORT + 4}"


class CommandFailed(Exception):  # noqa: N818  # the command did not do what it was asked for
    """Why; shown as it is."""


class Stopped(Exception):  # noqa: N818  # a wish of the user
    """The user wants the command to end (Ctrl-C or SIGTERM)."""


def finish(work: Coroutine[Any, Any, int]) -> int:
    """Run a command to its end; what went wrong becomes one clear message and exit code 1."""
    try:
        return asyncio.run(work)
    except* (CommandFailed, SuiteFault, Refused, Away, DomainError) as failures:
        for sentence in dict.fromkeys(str(failure) for failure in leaves(failures)):
            sys.stderr.write(f"sevenstud: {sentence}\n")
    except* (Stopped, KeyboardInterrupt):
        sys.stderr.write("sevenstud: stopped\n")
    except* BrokenPipeError:
        _forget_output()
    return EXIT_FAILED


def _forget_output() -> None:
    """Whoever read the output has enough (``| head``): what is still to be printed goes nowhere, without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def leaves(failure: BaseException) -> Iterator[BaseException]:
    """The failures themselves, out of groups within groups."""
    if not isinstance(failure, BaseExceptionGroup):
        yield failure
        return
    group = cast("BaseExceptionGroup[BaseException]", failure)
    for part in group.exceptions:
        yield from leaves(part)


@asynccontextmanager
async def stop_signals() -> AsyncGenerator[asyncio.Event, None]:
    """An event that is set by Ctrl-C, SIGTERM or the end of the terminal: the command puts things in order first."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in numbers:
        loop.add_signal_handler(number, asked.set)
    try:
        yield asked
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


async def unless_stopped(work: Coroutine[Any, Any, T], asked: asyncio.Event) -> T:
    """Do the work; when asked to stop, cancel it, let it put things in order, and raise Stopped."""

    async def stopped() -> Exception:
        await asked.wait()
        return Stopped()

    return await guarded(work, stopped())


async def guarded(work: Coroutine[Any, Any, T], *guards: Coroutine[Any, Any, Exception]) -> T:
    """Do the work; when a guard ends first, cancel the work and raise what the guard returns."""
    job = asyncio.ensure_future(work)
    watching = [asyncio.ensure_future(guard) for guard in guards]
    try:
        await asyncio.wait({job, *watching}, return_when=asyncio.FIRST_COMPLETED)
        if job.done():
            return job.result()
        raise next(guard.result() for guard in watching if guard.done())
    finally:
        await settle([job, *watching])
