"""`sevenstud up`: the whole suite on this machine, until Ctrl-C."""

import argparse
import asyncio
import json
from pathlib import Path

from services.console.adapters.suite import Suite, SuiteFault
from services.console.commands.running import EXIT_OK, Commands, Environ, finish, guarded, stop_signals
from services.console.domain.suite_plan import (
    BASE_PORT,
    ORCHESTRATOR,
    SERVICES,
    STARTING,
    first_call,
    first_secured_call,
)


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "up",
        help="run the whole suite on this machine until Ctrl-C",
        description=(
            "Starts the five services as separate processes with embedded SQLite, prints their addresses, and stops "
            "them cleanly on Ctrl-C or SIGTERM, and on Linux even when it is itself killed. It restarts nothing: if a "
            "service ends, all are stopped and the exit code is 1; start again, nothing is lost. Settings of a service "
            "come from SEVENSTUD_<SERVICE>_... as always."
        ),
    )
    parser.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="data folder (default: ./data)")
    parser.add_argument(
        "--base-port",
        type=_base_port,
        default=BASE_PORT,
        metavar="N",
        help="orchestrator at N, the others at N+1 to N+4, metrics 100 higher; 0 = free ports (default: %(default)s)",
    )
    parser.add_argument(
        "--scripted",
        action="store_true",
        help="allow tables with cards chosen beforehand, for replays and tests: no fairness is claimed",
    )
    parser.add_argument(
        "--tls",
        action="store_true",
        help="every call needs a certificate and a token of the development authority in DIR/pki (see dev-ca)",
    )
    parser.add_argument("--json", action="store_true", help="print the addresses as one line of JSON instead")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Run the suite until it is asked to stop."""
    return finish(_up(options, environ))


async def _up(options: argparse.Namespace, environ: Environ) -> int:
    async with stop_signals() as asked:
        suite = Suite(options.data, environ, base_port=options.base_port, scripted=options.scripted, tls=options.tls)
        if not options.json:
            print(STARTING, flush=True)
        async with suite:
            _print_json(suite) if options.json else _print_addresses(suite, scripted=options.scripted)
            await _until_stopped(suite, asked)
            if not options.json:
                print("stopping ...", flush=True)
    if not options.json:
        print("all services have stopped", flush=True)
    return EXIT_OK


async def _until_stopped(suite: Suite, asked: asyncio.Event) -> None:
    """Wait for the user, or for a service to end by itself, which is a failure."""

    async def died() -> Exception:
        what = await suite.fault()
        return SuiteFault(f"{what}\nThe other services were stopped. Start again: nothing is lost.")

    await guarded(asked.wait(), died())


def _print_json(suite: Suite) -> None:
    services = {
        service: {
            "address": suite.address(service),
            "metrics": f"http://{suite.metrics_address(service)}/metrics",
            "pid": suite.pid(service),
            "log": str(suite.log(service)),
        }
        for service in SERVICES
    }
    print(json.dumps({"data": str(suite.folder), "services": services}), flush=True)


def _print_addresses(suite: Suite, *, scripted: bool) -> None:
    print("sevenstud is up\n")
    for service in (ORCHESTRATOR, *(each for each in SERVICES if each != ORCHESTRATOR)):
        metrics = f"http://{suite.metrics_address(service)}/metrics"
        print(f"  {service:<18} {suite.address(service):<18} metrics {metrics}")
    print(f"\n  data               {suite.folder}")
    print(f"  logs               {suite.folder / 'logs'}")
    if scripted:
        print("  scripted cards     allowed: no fairness is claimed")
    if suite.pki is not None:
        print(f"  certificates       {suite.pki.folder}: every call needs one, and a token (sevenstud token)")
        print(f"\nA first call:\n\n  {first_secured_call(suite.address(ORCHESTRATOR), suite.pki.folder)}\n")
    else:
        grpcurl, python = first_call(suite.address(ORCHESTRATOR))
        print(f"\nA first call:\n\n  {grpcurl}\n")
        print(f"or without grpcurl:\n\n  {python}\n")
    print("Ctrl-C stops the suite.", flush=True)


def _base_port(text: str) -> int:
    value = int(text)
    if value != 0 and not 1024 <= value <= 65_000:  # noqa: PLR2004  # ports that anybody may use
        raise argparse.ArgumentTypeError(f"{value} is no base port: 0, or from 1024 to 65000")
    return value
