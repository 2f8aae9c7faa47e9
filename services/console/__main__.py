"""The command `sevenstud`: reads the command line and hands over to one of the commands."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

from services.console.adapters.credentials import use
from services.console.adapters.terminal import guard_terminal
from services.console.commands.audit import add as add_audit
from services.console.commands.backup import add as add_backup
from services.console.commands.demo import add as add_demo
from services.console.commands.dev_ca import add as add_dev_ca
from services.console.commands.move_database import add as add_move_database
from services.console.commands.replay import add as add_replay
from services.console.commands.robots import add as add_robots
from services.console.commands.running import EXIT_USAGE
from services.console.commands.table import add as add_table
from services.console.commands.token import add as add_token
from services.console.commands.up import add as add_up
from services.console.commands.verify import add as add_verify
from services.console.commands.version import add as add_version
from services.console.settings import credentials_from_env
from shared.config.env import SettingsFault
from shared.observability.logging import configure_logging

_COMMANDS = (
    add_up,
    add_demo,
    add_robots,
    add_replay,
    add_table,
    add_audit,
    add_backup,
    add_move_database,
    add_verify,
    add_dev_ca,
    add_token,
    add_version,
)


def main() -> int:
    """The entry point; returns the exit code."""
    guard_terminal()
    configure_logging("console", "warning")  # to standard error: what commands print is for whoever reads it
    return run(sys.argv[1:], os.environ)


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command: 0 = done, 1 = it failed and said why, 2 = the command line or the settings are wrong."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help(sys.stderr)
        return EXIT_USAGE
    try:
        use(credentials_from_env(environ))
    except SettingsFault as fault:
        for line in fault.faults:
            sys.stderr.write(f"settings: {line}\n")
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
    for add in _COMMANDS:
        add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
