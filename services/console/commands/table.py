"""`sevenstud table`: watch one table live."""

import argparse
from contextlib import aclosing

from services.console.adapters.calls import IMPATIENT_SECONDS, connect
from services.console.adapters.screen import open_screen
from services.console.adapters.tables import Tables
from services.console.commands.running import (
    DEFAULT_ORCHESTRATOR,
    EXIT_OK,
    CommandFailed,
    Commands,
    Environ,
    finish,
    stop_signals,
    unless_stopped,
)
from services.console.domain.table import TableState
from shared.kernel.caller import Role


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "table",
        help="watch a table live",
        description=(
            "Shows a table as a spectator sees it: first as it is, then what happens, until it is closed or Ctrl-C."
        ),
    )
    parser.add_argument(
        "table_id",
        nargs="?",
        metavar="TABLE_ID",
        help="the table, as ListTables names it (default: the newest open one)",
    )
    parser.add_argument(
        "--orchestrator", default=DEFAULT_ORCHESTRATOR, metavar="HOST:PORT", help="default: %(default)s"
    )
    parser.add_argument("--player", default="", metavar="ID", help="watch as this player, who sees the own down cards")
    parser.add_argument("--plain", action="store_true", help="lines of text instead of a live picture")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Watch until the table is closed."""
    del environ
    return finish(_watch_until_stopped(options))


async def _watch_until_stopped(options: argparse.Namespace) -> int:
    async with stop_signals() as asked:
        return await unless_stopped(_watch(options), asked)


async def _watch(options: argparse.Namespace) -> int:
    role, name = (Role.PLAYER, options.player) if options.player else (Role.OBSERVER, "console")
    async with connect(options.orchestrator, role, name, IMPATIENT_SECONDS) as line:
        table_id = options.table_id or await Tables(line).newest()
    if table_id is None:
        raise CommandFailed(f"no table is open at {options.orchestrator}")
    async with connect(options.orchestrator, role, name) as line:
        with open_screen(f"table {table_id}", plain=options.plain, every_line=True) as screen:
            async with aclosing(Tables(line).watch(table_id)) as items:
                async for item in items:
                    screen.take(item)
                    if screen.show.table is not None and screen.show.table.state is TableState.CLOSED:
                        break
    return EXIT_OK
