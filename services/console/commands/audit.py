"""`sevenstud audit`: let the ledger check all of its books."""

import argparse

from services.console.adapters.calls import IMPATIENT_SECONDS, connect
from services.console.adapters.ledger import Ledger
from services.console.commands.running import (
    DEFAULT_LEDGER,
    EXIT_FAILED,
    EXIT_OK,
    Commands,
    Environ,
    finish,
)
from services.console.domain.printable import printable
from services.console.domain.results import JournalCheck
from shared.kernel.caller import Role


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "audit",
        help="check all books of the ledger",
        description=(
            "Asks the ledger to check the hash chain of every book from its first entry, balances against postings, "
            "and that every unit sums to zero. Prints the heads to be kept elsewhere. Exit code 0 only if all is sound."
        ),
    )
    parser.add_argument("--ledger", default=DEFAULT_LEDGER, metavar="HOST:PORT", help="default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Check, print, and say by the exit code whether the books are sound."""
    del environ
    return finish(_audit(options.ledger))


async def _audit(address: str) -> int:
    async with connect(address, Role.AUDITOR, "console", IMPATIENT_SECONDS) as line:
        check = await Ledger(line).verify()
    print("\n".join(proof_lines(check)))
    return EXIT_OK if check.sound and all(unit.sum == 0 for unit in check.sums) else EXIT_FAILED


def proof_lines(check: JournalCheck) -> list[str]:
    """The check as people read it: verdict, sum of each unit, faults, head of each chain."""
    verdict = "sound" if check.sound else "NOT SOUND"
    lines = [f"ledger: {verdict}, {check.entries_count} entries checked from the first, hash by hash"]
    lines += [f"  sum of {printable(unit.unit)}: {unit.sum} over {unit.accounts_count} accounts" for unit in check.sums]
    if check.units_count > len(check.sums):
        lines.append(f"  and {check.units_count - len(check.sums)} units more, each with a sum of 0")
    lines += [
        f"  FAULT in {printable(fault.book)}, entry {fault.number}: {printable(fault.fault)}" for fault in check.faults
    ]
    lines += [f"  head of {printable(head.book)}: entry {head.number}, {head.hash.hex()}" for head in check.heads]
    return lines
