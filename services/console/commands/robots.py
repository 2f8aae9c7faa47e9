"""`sevenstud robots`: players that register for a tournament and play it through the public contracts."""

import argparse
import json
import random
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict

from services.console.adapters.calls import PATIENCE_SECONDS, Line, connect
from services.console.adapters.ledger import Ledger
from services.console.adapters.robot_player import RobotPlayer
from services.console.adapters.robot_purse import Purse
from services.console.adapters.robot_troupe import Troupe
from services.console.adapters.tables import Tables
from services.console.adapters.tournaments import Tournaments
from services.console.commands.running import (
    DEFAULT_LEDGER,
    DEFAULT_ORCHESTRATOR,
    EXIT_FAILED,
    EXIT_OK,
    Commands,
    Environ,
    finish,
    stop_signals,
    unless_stopped,
)
from services.console.domain.results import RobotFigures, percentile
from shared.kernel.caller import Role

START_SECONDS = 600.0


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "robots",
        help="let robots play a tournament",
        description=(
            "Registers one robot for each player named (each needs a wallet with the fee in it, or is registered "
            "already), waits for the start, and plays until the tournament is over for all of them. Each robot has its "
            "own player token, its own stream of its table and its own view. Prints figures as a line of JSON. Exit "
            "code 1 if the rules refused an action."
        ),
    )
    parser.add_argument("--tournament", required=True, metavar="ID", help="the tournament, as announced")
    parser.add_argument("--players", required=True, metavar="ID,ID,...", help="player ids of the robots")
    parser.add_argument(
        "--orchestrator", default=DEFAULT_ORCHESTRATOR, metavar="HOST:PORT", help="default: %(default)s"
    )
    parser.add_argument("--ledger", default=DEFAULT_LEDGER, metavar="HOST:PORT", help="default: %(default)s")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the robots' moods; the cards are the dealer's"
    )
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS", help="about how long a robot thinks")
    parser.add_argument(
        "--buys",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="how often a robot buys a rebuy or add-on when it may, 0 (never, the default) to 1",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_SECONDS,
        metavar="SECONDS",
        help="for how long a service may be away before the robots give up (default %(default)g)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Play the tournament."""
    del environ
    return finish(_play_until_stopped(options))


async def _play_until_stopped(options: argparse.Namespace) -> int:
    async with stop_signals() as asked:
        return await unless_stopped(_play(options), asked)


async def _play(options: argparse.Namespace) -> int:
    players = [name for name in options.players.split(",") if name]
    async with AsyncExitStack() as stack:
        lines: list[Line] = []
        robots: list[RobotPlayer] = []
        for player in players:
            to_ledger = await stack.enter_async_context(_line(options, options.ledger, player))
            to_tables = await stack.enter_async_context(_line(options, options.orchestrator, player))
            await Ledger(to_ledger).register(options.tournament, player)
            moods = random.Random(f"{options.seed}:{player}")  # noqa: S311  # moods, not cards
            purse = await _purse(options, Ledger(to_ledger), player) if options.buys else None
            robots.append(RobotPlayer(player, Tables(to_tables), moods, options.delay, purse))
            lines += (to_ledger, to_tables)
        if robots:
            await Troupe(robots, Tournaments(lines[1])).play(options.tournament, START_SECONDS)
        figures = _figures(robots, lines)
    print(json.dumps(asdict(figures)), flush=True)
    return EXIT_FAILED if figures.refused_count else EXIT_OK


def _line(options: argparse.Namespace, address: str, player: str) -> AbstractAsyncContextManager[Line]:
    """A line of the player's own."""
    return connect(address, Role.PLAYER, player, options.patience)


async def _purse(options: argparse.Namespace, ledger: Ledger, player: str) -> Purse:
    """Moods of their own: who buys plays as it would without."""
    moods = random.Random(f"purse {options.seed}:{player}")  # noqa: S311  # moods, not cards
    terms = await ledger.terms(options.tournament)
    return Purse(ledger, options.tournament, player, terms, moods, options.buys)


def _figures(robots: list[RobotPlayer], lines: list[Line]) -> RobotFigures:
    seconds = tuple(each for robot in robots for each in robot.tally.act_seconds)
    return RobotFigures(
        actions_count=len(seconds),
        refused_count=sum(robot.tally.refused_count for robot in robots),
        late_count=sum(robot.tally.late_count for robot in robots),
        retries_count=sum(line.retries_count for line in lines),
        act_median_seconds=percentile(seconds, 0.5),
        act_p99_seconds=percentile(seconds, 0.99),
    )
