"""``make bench-stack``: the choice of the stack by measurement; what was decided stands beside the pins in pyproject.

One call with a kilobyte each way and no logic, served by what we run on and by each thing that could be otherwise: the
event loop, threads instead of asyncio, a unix socket, another grpcio. Rounds alternate; ratios are to what we run on.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import grpc
import uvloop

from tests.bench.processes import cpu_seconds, load

BUILD: Final = Path("build/bench")
METHOD: Final = "/stack/Call"
BYTES: Final = 1024
THREADS: Final = 8
IN_FLIGHT: Final = (1, 64)
OTHER_GRPCIO: Final = ("1.80.*", "1.85.*")
START_SECONDS_MAX: Final = 60.0


@dataclass(frozen=True, slots=True)
class Stack:
    """What a call goes through."""

    name: str
    server: str = "aio"
    """aio or threads."""
    loop: str = "uvloop"
    """uvloop or asyncio, of server and caller."""
    socket: str = "tcp"
    """tcp or unix."""
    grpcio: str = ""
    """Another version of it; empty: the one installed."""

    def environment(self) -> dict[str, str]:
        """With the other grpcio before the one installed."""
        path = [str(_folder(self.grpcio)), str(Path.cwd())] if self.grpcio else [str(Path.cwd())]
        return {**os.environ, "PYTHONPATH": os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")])}


@dataclass(slots=True)
class Found:
    """Figures of one stack at one number of calls in flight, round by round."""

    rate: list[float] = field(default_factory=list[float])
    p50_ms: list[float] = field(default_factory=list[float])
    server_micros: list[float] = field(default_factory=list[float])
    caller_micros: list[float] = field(default_factory=list[float])


def stacks(versions: Sequence[str]) -> list[Stack]:
    """What we run on first, then one thing otherwise at a time."""
    ours = Stack("what we run on: aio, uvloop, TCP")
    return [
        ours,
        replace(ours, name="Python's own event loop", loop="asyncio"),
        replace(ours, name=f"a pool of {THREADS} threads serves", server="threads"),
        replace(ours, name="a unix socket", socket="unix"),
        *(replace(ours, name=f"grpcio {version}", grpcio=version) for version in versions),
    ]


def measure(found: list[Stack], rounds: int, seconds: float) -> dict[tuple[str, int], Found]:
    """Every stack, one after the other, again and again."""
    figures: dict[tuple[str, int], Found] = {}
    for _ in range(rounds):
        for stack in found:
            with tempfile.TemporaryDirectory() as folder:
                listen = f"unix:{folder}/s" if stack.socket == "unix" else "127.0.0.1:0"
                _one(stack, listen, seconds, figures)
    return figures


def _one(stack: Stack, listen: str, seconds: float, figures: dict[tuple[str, int], Found]) -> None:
    own = [sys.executable, "-m", "tests.bench.stack"]
    serve = [*own, "serve", "--server", stack.server, "--loop", stack.loop, "--address", listen]
    with subprocess.Popen(serve, env=stack.environment(), stdout=subprocess.PIPE, text=True) as server:
        try:
            if server.stdout is None:
                raise AssertionError("a pipe was asked for")
            target = server.stdout.readline().strip()
            for number in IN_FLIGHT:
                call = [*own, "call", "--loop", stack.loop, "--address", target]
                call += ["--in-flight", str(number), "--seconds", str(seconds)]
                before = cpu_seconds([server.pid])
                said = subprocess.run(call, env=stack.environment(), check=True, capture_output=True, text=True)
                spent = cpu_seconds([server.pid]) - before
                told = json.loads(said.stdout)
                each = figures.setdefault((stack.name, number), Found())
                each.rate.append(told["calls"] / told["seconds"])
                each.p50_ms.append(told["p50_ms"])
                each.server_micros.append(spent / told["all_calls"] * 1e6)
                each.caller_micros.append(told["cpu_seconds"] / told["all_calls"] * 1e6)
        finally:
            server.kill()


def table_of(figures: dict[tuple[str, int], Found]) -> str:
    """A line a stack and a number in flight; processor time against that of what we run on."""
    lines = [
        "| stack | in flight | calls a second | p50 ms | server us | caller us | computing, ours is 1 |",
        "|" + " --- |" * 7,
    ]
    ours = {number: _micros(figures[name, number]) for (name, number) in list(figures)[: len(IN_FLIGHT)]}
    for (name, number), each in figures.items():
        cells = (
            name,
            str(number),
            f"{median(each.rate):,.0f}",
            f"{median(each.p50_ms):.2f}",
            f"{median(each.server_micros):.0f}",
            f"{median(each.caller_micros):.0f}",
            f"{_micros(each) / ours[number]:.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _micros(found: Found) -> float:
    return median(mine + its for mine, its in zip(found.server_micros, found.caller_micros, strict=True))


def _folder(version: str) -> Path:
    return (BUILD / "grpcio" / version.removesuffix(".*")).resolve()


def _fetch(version: str) -> None:
    """Another grpcio in a folder of its own; nothing that we run sees it."""
    if not _folder(version).exists():
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "-q", "--target"]
        subprocess.run([*pip, str(_folder(version)), f"grpcio=={version}"], check=True)


# --- the two sides of a call --------------------------------------------------------------------


class Handlers(grpc.GenericRpcHandler):
    """The one method."""

    def __init__(self, behaviour: Any) -> None:
        self._method: Any = grpc.unary_unary_rpc_method_handler(behaviour)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return self._method if handler_call_details.method == METHOD else None


def _told(address: str, port: int) -> None:
    print(address if address.startswith("unix:") else f"127.0.0.1:{port}", flush=True)


async def _serve_aio(address: str) -> None:
    async def answer(request: bytes, _: Any) -> bytes:
        return request

    server = grpc.aio.server()
    server.add_generic_rpc_handlers((Handlers(answer),))
    port = server.add_insecure_port(address)
    await server.start()
    _told(address, port)
    await server.wait_for_termination()


def _serve_threads(address: str) -> None:
    server = grpc.server(ThreadPoolExecutor(THREADS))
    server.add_generic_rpc_handlers((Handlers(lambda request, _: request),))
    port = server.add_insecure_port(address)
    server.start()
    _told(address, port)
    server.wait_for_termination()


async def _call(address: str, in_flight: int, seconds: float) -> None:
    request, taken, every = bytes(BYTES), list[float](), 0
    async with grpc.aio.insecure_channel(address) as channel:
        method: Any = channel.unary_unary(METHOD)

        async def loop(end: float, found: list[float]) -> None:
            nonlocal every
            while (start := time.perf_counter()) < end:
                await method(request)
                found.append(time.perf_counter() - start)
                every += 1

        async def all_of(end: float, found: list[float]) -> None:
            await asyncio.gather(*(loop(end, found) for _ in range(in_flight)))

        await all_of(time.perf_counter() + min(0.3, seconds), [])
        began = time.perf_counter()
        await all_of(began + seconds, taken)
        lasted = time.perf_counter() - began
    told = {"calls": len(taken), "all_calls": every, "seconds": lasted, "cpu_seconds": time.process_time()}
    print(json.dumps({**told, "p50_ms": median(taken) * 1000}))


def _run(loop: str, main: Any) -> None:
    factory = uvloop.new_event_loop if loop == "uvloop" else asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main)


def main() -> None:
    """Measure all stacks, or be one side of a call."""
    parser = argparse.ArgumentParser(prog="make bench-stack", description=__doc__)
    parser.add_argument("side", nargs="?", default="all", choices=("all", "serve", "call"))
    parser.add_argument("--server", default="aio")
    parser.add_argument("--loop", default="uvloop")
    parser.add_argument("--address", default="")
    parser.add_argument("--in-flight", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--grpcio", nargs="*", default=list(OTHER_GRPCIO), help="other versions, from the package index"
    )
    given = parser.parse_args()
    if given.side == "call":
        return _run(given.loop, _call(given.address, given.in_flight, given.seconds))
    if given.side == "serve":
        return (
            _serve_threads(given.address) if given.server == "threads" else _run(given.loop, _serve_aio(given.address))
        )
    BUILD.mkdir(parents=True, exist_ok=True)
    for version in given.grpcio:
        _fetch(version)
    before = load()
    table = table_of(measure(stacks(given.grpcio), given.rounds, given.seconds))
    (BUILD / "stack.md").write_text(table + "\n", encoding="utf-8")
    print(f"{table}\n- load of the machine: {before:.1f} before, {load():.1f} after; also in {BUILD}/stack.md")
    return None


if __name__ == "__main__":
    main()
