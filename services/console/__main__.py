"""The command `sevenstud`: reads the command line and hands over to one of the commands."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

from services.console.commands import audit, demo, replay, robots, table, up, version
from services.console.commands.running import EXIT_USAGE

_COMMANDS = (up, demo, robots, replay, table, audit, version)


def main() -> int:
    """The entry point; returns the exit code."""
    return run(sys.argv[1:], os.environ)


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command: 0 = done, 1 = it failed and said why, 2 = the command line is wrong."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help(sys.stderr)
        return EXIT_USAGE
    code: int = options.run(options, environ)
    return code


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="sevenstud",
        description="Seven card stud as a suite of gRPC services: run it on this machine, watch it, check its books.",
        epilog="`sevenstud COMMAND --help` says more about a command. Start with `sevenstud demo`.",
    )
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in _COMMANDS:
        command.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
