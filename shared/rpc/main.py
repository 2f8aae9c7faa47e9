"""The last line of every ``__main__``: run the service, and end with a clear word and exit code when it cannot run."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version

from shared.config.env import SettingsFault
from shared.observability.logging import configure_logging, get_log
from shared.observability.tracing import start_tracing, stop_tracing
from shared.rpc.info import DISTRIBUTION
from shared.rpc.server import StartFault
from shared.rpc.server_settings import ServerSettings
from shared.storage.database import StoreRefused

if sys.platform != "win32":
    import resource

    import uvloop

GARBAGE_AFTER = (1_000, 20, 50)
"""Objects made until the young ones are looked through, and how often that until the older and the oldest are.

Every call leaves some circles, which are gRPC's own. Few at a time are found in less than a millisecond; twenty times
as many hold everybody up for twenty. What a call in flight holds when it is looked at grows old, and is garbage for
longer: a million objects later it is found too, or when the old have become a quarter more, which Python sees to.
"""
DESCRIPTORS = 4096
"""Twice the calls at a time of a server. A connection of TLS that stops half-way has 60 KB for five seconds."""
EXIT_OK = 0
EXIT_CANNOT_RUN = 1
EXIT_SETTINGS = 2


def run_service(main: Callable[[], Awaitable[None]]) -> int:
    """Run until the service has stopped: 0 after a graceful stop, 1 when it cannot start, 2 for faulty settings.

    ``main`` reads the settings, opens what it needs, calls shared.rpc.server.serve and closes what it opened.
    """
    leave_no_memory_behind()
    take_descriptors()
    gc.freeze()  # what was imported stays, and need not be looked through again and again
    gc.set_threshold(*GARBAGE_AFTER)
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(_await(main))
        gc.collect()  # gRPC waits two seconds at the end for a server with TLS that is still in some circle of objects
    except SettingsFault as fault:
        for line in fault.faults:
            sys.stderr.write(f"settings: {line}\n")
        return EXIT_SETTINGS
    except (StartFault, StoreRefused) as fault:
        sys.stderr.write(f"cannot start: {fault}\n")
        return EXIT_CANNOT_RUN
    except Exception as fault:  # noqa: BLE001  # whatever it is, the process ends with a line in the log
        get_log().error("service_failed", exc_info=fault)
        return EXIT_CANNOT_RUN
    finally:
        stop_tracing()
    return EXIT_OK


def leave_no_memory_behind() -> None:
    """A process that is broken off writes no core file: keys, seeds, decks and tokens would be in it in clear."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def take_descriptors() -> None:
    """More connections than many a container begins with, 1024, though it allows far more.

    A thousand that say nothing, which needs no certificate, would keep everybody else out, those who look whether the
    process lives among them. No more than DESCRIPTORS, unless it began with more: silent ones take memory, too.
    """
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def new_event_loop() -> asyncio.AbstractEventLoop:
    """The loop of every process of ours: uvloop, and Python's own where there is none for the platform."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def observe(service: str, settings: ServerSettings) -> None:
    """What a process says of itself, from now on: its log, and traces where they are wanted. Before all else."""
    start_tracing(service, version(DISTRIBUTION), settings.traces)
    configure_logging(service, settings.log_level)


async def _await(main: Callable[[], Awaitable[None]]) -> None:
    await main()
