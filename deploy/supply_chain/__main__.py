"""`make supply-chain`: exit code 0 only where everything was looked at and passed; 1 failed; 3 nobody audited."""

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from deploy.supply_chain import audit, house_rules, locks, materials, secrets_in_files, weak_spots
from deploy.supply_chain.rows import Row, Verdict, exit_code, table
from deploy.supply_chain.tools import ROOT, Tools

WORK = ROOT / "build" / "supply-chain"


def parts_of(tools: Tools) -> dict[str, Callable[[], Iterator[Row]]]:
    """The parts, by name."""
    return {
        "locks": locks.rows,
        "materials": partial(materials.rows, tools),
        "weak-spots": partial(weak_spots.rows, tools),
        "house-rules": partial(house_rules.rows, tools),
        "secrets": partial(secrets_in_files.rows, tools),
        "audit": partial(audit.rows, tools),
    }


def main(arguments: list[str]) -> int:
    """Look at everything, print the table, and say by the exit code whether it holds."""
    parser = argparse.ArgumentParser(prog="python -m deploy.supply_chain", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="default: all")
    parser.add_argument("--programs", type=Path, default=WORK / "tools" / "bin", help="where the tools are")
    parser.add_argument(
        "--allow-unaudited", action="store_true", help="exit 0 where no database of vulnerabilities was reached"
    )
    chosen = parser.parse_args(arguments)
    shutil.rmtree(WORK / "reports", ignore_errors=True)
    (WORK / "reports").mkdir(parents=True)
    parts = parts_of(Tools(chosen.programs.absolute(), WORK / "reports"))
    unknown = set(chosen.parts) - set(parts)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; parts are {', '.join(parts)}")
    rows = list(_said(parts, chosen.parts or list(parts)))
    sys.stdout.write(table(rows) + "\n")
    counts = ", ".join(f"{sum(row.verdict is verdict for row in rows)} {verdict}" for verdict in Verdict)
    sys.stdout.write(f"\nsupply-chain: {counts}\n")
    return exit_code(rows, unaudited_allowed=chosen.allow_unaudited)


def _said(parts: dict[str, Callable[[], Iterator[Row]]], names: list[str]) -> Iterator[Row]:
    """The rows, each part said as it begins."""
    for name in names:
        sys.stderr.write(f"{name}: begins\n")
        yield from parts[name]()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
