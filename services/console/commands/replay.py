"""`sevenstud replay`: hands that were played elsewhere, played again through the services and compared."""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from services.console.adapters.calls import settle
from services.console.adapters.replay_suite import replay_suite
from services.console.adapters.replayer import Replayer
from services.console.adapters.rule_fields import rule_fields
from services.console.commands.running import EXIT_FAILED, EXIT_OK, CommandFailed, Commands, Environ, finish
from services.console.domain.phh_file import read_hands
from services.console.domain.printable import printable
from services.console.domain.recorded_hand import RecordedHand, RecordError
from services.console.domain.replay_report import ReplayReport
from services.console.domain.rule_overrides import Override, OverrideError, parse_overrides

Record = RecordedHand | RecordError
FILE_BYTES_MAX = 64 * 1024 * 1024
_AT_ONCE = 8
_DEFAULT_PRESET = "card_room"


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "replay",
        help="play recorded hands through the services and compare",
        description=(
            "Plays hands of Poker Hand History files (.phh, and .phhs with many hands; variant F7S) through the "
            "services over gRPC, with the recorded cards, actions and stacks, and compares who acts, what is legal, "
            "and every final stack. Uses the suite on this machine if it was started with --scripted, else starts one "
            "of its own in a folder of its own. Exit code 0 only if every hand agrees."
        ),
        epilog=(
            "Our own fields: _rake and _fee (what the house kept), _open_pair (any player's open pair doubles fourth "
            "street), _structure (limit, pot_limit, no_limit), _preset (a hint only: whose rules were played), "
            "_id (name of the hand). A sample record is in services/console/README.md. With --json each line has id, "
            "ok, final_stacks, expected_stacks, diverged_at (number of the action, from 1) and reason."
        ),
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .phh or .phhs file")
    parser.add_argument(
        "--preset", default=_DEFAULT_PRESET, metavar="NAME", help="rules to play under (default: %(default)s)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="OPTION=VALUE",
        help="another value for a rule option, as in raise_cap=4; may be given again",
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON a hand")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Replay, print, and say by the exit code whether all agree."""
    return finish(_replay(options, environ))


async def _replay(options: argparse.Namespace, environ: Environ) -> int:
    try:
        overrides = parse_overrides(options.overrides, rule_fields())
    except OverrideError as error:
        raise CommandFailed(str(error)) from error
    records = list(_records(options.files))
    agree = 0
    async for record, report in _reports(records, options.preset, overrides, environ):
        print(json.dumps(report.as_json()) if options.json else _line(record, report), flush=True)
        agree += report.ok
    if not options.json:
        print(f"{agree} of {len(records)} hands agree")
    return EXIT_OK if agree == len(records) else EXIT_FAILED


async def _reports(
    records: Sequence[Record], preset: str, overrides: Sequence[Override], environ: Environ
) -> AsyncIterator[tuple[Record, ReplayReport]]:
    """A report for each record, in order, as soon as it is there; several hands are played at once."""
    async with AsyncExitStack() as stack:
        replayer: Replayer | None = None
        if any(isinstance(record, RecordedHand) for record in records):
            replayer = Replayer(await stack.enter_async_context(replay_suite(environ)), preset, overrides)
        places = asyncio.Semaphore(_AT_ONCE)
        playing = [asyncio.ensure_future(_one(replayer, record, places)) for record in records]
        stack.push_async_callback(settle, playing)
        for record, report in zip(records, playing, strict=True):
            yield record, await report


async def _one(replayer: Replayer | None, record: Record, places: asyncio.Semaphore) -> ReplayReport:
    if isinstance(record, RecordError):
        return ReplayReport(name=record.hand, ok=False, reason=str(record))
    if replayer is None:
        raise CommandFailed("a hand is to be played and no suite was started for it")
    async with places:
        return await replayer.replay(record)


def _records(files: Sequence[Path]) -> Iterator[Record]:
    for file in files:
        try:
            text = _text(file)
        except (OSError, ValueError) as error:
            yield RecordError(str(file), "-", 1, f"the file cannot be read: {error}")
            continue
        yield from read_hands(str(file), text)


def _text(path: Path) -> str:
    """What is in a file; ValueError where that is no text, or more than is read: some names have no end."""
    with path.open("rb") as file:
        content = file.read(FILE_BYTES_MAX + 1)
    if len(content) > FILE_BYTES_MAX:
        raise ValueError(f"it is larger than {FILE_BYTES_MAX} bytes")
    return content.decode()


def _line(record: Record, report: ReplayReport) -> str:
    name, reason = printable(report.name), printable(" ".join(report.reason.splitlines()))
    if report.ok:
        return f"ok    {name}"
    if isinstance(record, RecordError):
        return f"FAIL  {reason}"
    at = next((action.line for action in record.actions if action.number == report.diverged_at), record.line)
    lines = [f"FAIL  {record.file}, hand {name}, line {at}: {reason}"]
    if report.final_stacks_chips is not None:
        lines += [f"      services {list(report.final_stacks_chips)}"]
        lines += [f"      recorded {list(report.expected_stacks_chips or ())}"]
    return "\n".join(lines)
