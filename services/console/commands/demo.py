"""`sevenstud demo`: robots play a whole tournament against a fresh suite, to be watched."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from services.console.adapters.credentials import use_pki
from services.console.adapters.screen import open_screen
from services.console.adapters.suite import Suite
from services.console.commands.demo_evening import Evening
from services.console.commands.demo_report import print_preamble, print_report
from services.console.commands.running import (
    EXIT_OK,
    EXIT_USAGE,
    CommandFailed,
    Commands,
    Environ,
    finish,
    stop_signals,
    unless_stopped,
)
from services.console.domain.contest import PLAYERS_LEAST, PLAYERS_MOST, plan_contest
from services.console.domain.suite_plan import STARTING

THINKING_SECONDS = 0.05
RUN_SECONDS_MAX = 170.0
"""For robots that do not think; the time they think comes on top, for this many actions."""
ACTIONS_MOST = 1_000
DIGITS_MOST = 9
DELAY_SECONDS_MOST = 5.0
"""Half of it more at times, and well within the 15 seconds that the rules give."""


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "demo",
        help="watch robots play a whole tournament against a fresh suite",
        description=(
            "Starts the five services in a fresh data folder on free ports, announces a fixed-limit tournament on the "
            "regulated preset, lets robots play it from a process of their own through the public contracts until one "
            "has all chips, shows the table meanwhile, prints standings, the ledger's proof and figures, stops all."
        ),
    )
    seats = f"{PLAYERS_LEAST} to {PLAYERS_MOST}"
    parser.add_argument("--players", type=int, default=PLAYERS_MOST, metavar="N", help=f"robots, {seats} (default: 8)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the robots' moods; the cards are the dealer's"
    )
    parser.add_argument(
        "--stack", type=_above_zero, default=1_000, metavar="CHIPS", help="starting stack (default: %(default)s)"
    )
    parser.add_argument(
        "--level-hands", type=_above_zero, default=4, metavar="N", help="hands of a level (default: %(default)s)"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="data folder (default: a new one in ./data/demo)")
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--fast", action="store_true", help="robots do not think at all")
    pace.add_argument(
        "--delay",
        type=_delay,
        default=THINKING_SECONDS,
        metavar="SECONDS",
        help="about how long a robot thinks, up to 5; 1 is a human pace (default: %(default)s)",
    )
    parser.add_argument(
        "--tls", action="store_true", help="with certificates between all of them and signed tokens for every caller"
    )
    parser.add_argument("--plain", action="store_true", help="lines of text instead of a live picture")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Play the tournament and show it."""
    try:
        plan_contest(options.players, options.stack, options.level_hands)
    except ValueError as wrong:
        sys.stderr.write(f"sevenstud: {wrong}\n")
        return EXIT_USAGE
    return finish(_demo_until_stopped(options, environ))


def _above_zero(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < len(text.lstrip("0")) <= DIGITS_MOST:
        raise argparse.ArgumentTypeError(f"{text} is not allowed: a whole number from 1 to {10**DIGITS_MOST - 1}")
    return int(text)


def _delay(text: str) -> float:
    value = float(text)
    if not 0 <= value <= DELAY_SECONDS_MOST:
        raise argparse.ArgumentTypeError(f"{text} is no delay: from 0 to {DELAY_SECONDS_MOST:g} seconds")
    return value


async def _demo_until_stopped(options: argparse.Namespace, environ: Environ) -> int:
    async with stop_signals() as asked:
        return await unless_stopped(_demo(options, environ), asked)


async def _demo(options: argparse.Namespace, environ: Environ) -> int:
    contest = plan_contest(options.players, options.stack, options.level_hands)
    folder = options.data or Path("data") / "demo" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    delay_seconds = 0.0 if options.fast else options.delay
    print(STARTING, flush=True)
    async with Suite(folder, environ, tls=options.tls) as suite:
        if suite.pki is not None:
            use_pki(suite.pki)
        print_preamble(suite, contest)
        evening = Evening(suite, contest, suite.console_environment(), options.seed, delay_seconds)
        with open_screen(contest.name, plain=options.plain, every_line=False) as screen:
            result = await evening.run(screen, RUN_SECONDS_MAX + ACTIONS_MOST * delay_seconds)
        print_report(result, contest, suite)
    print("all services have stopped", flush=True)
    if result.faults:
        raise CommandFailed("the demo does not add up: " + "; ".join(result.faults))
    return EXIT_OK
