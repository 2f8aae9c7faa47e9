"""``make bench``: every path beside its floor in one run; ``make bench-compare``: the same against the ratios kept.

Exit code 0 when all targets are met (with ``--compare``: when nothing got worse), 1 when not.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import grpc

from shared.config.location import PostgresUrl
from shared.storage.opening import open_database
from tests.bench import (
    action,
    core,
    dealer,
    equity,
    evaluator,
    growth,
    ledger,
    playing,
    recovery,
    starting,
    stores,
    watching,
)
from tests.bench.calls import PlainFloor, plain_floor
from tests.bench.house import House, open_house
from tests.bench.measuring import Findings, Options
from tests.bench.pictures import draw_all
from tests.bench.postgres import house_on_postgres, synced_postgres
from tests.bench.processes import load
from tests.bench.report import kept_ratios, regressions, table_of, write_results

BUILD: Final = Path("build/bench")
KEPT: Final = Path(__file__).with_name("kept_ratios.json")
InProcess = Callable[[Findings, Options], None]
InHouse = Callable[[Findings, Options, House, PlainFloor], Awaitable[None]]


async def _action(findings: Findings, options: Options, house: House, _: PlainFloor) -> None:
    await action.bench_action(findings, options, house)


async def _watch(findings: Findings, options: Options, house: House, _: PlainFloor) -> None:
    await watching.bench_watch(findings, options, house)


async def _hands(findings: Findings, options: Options, house: House, _: PlainFloor) -> None:
    await playing.bench_hands(findings, options, house)
    await playing.bench_hand_costs(findings, options, house)


async def _growth(findings: Findings, options: Options, house: House, _: PlainFloor) -> None:
    await growth.bench_growth(findings, options, house)


async def _recovery(findings: Findings, options: Options, house: House, _: PlainFloor) -> None:
    table = await action.raising_table(house, "recovered")
    await action.closed_loop(house.tables.Act, [table], options.seconds)
    recovery.bench_replay(findings, options, house.suite.folder / "orchestrator.sqlite")
    await recovery.bench_restart(findings, options, house, table.table_id)


async def _on_postgres(findings: Findings, options: Options, folder: Path) -> None:
    with synced_postgres() as server:
        async with house_on_postgres(folder, server) as house:
            await playing.bench_hands(findings, options, house, ", on PostgreSQL")
            store = await open_database(PostgresUrl(await server.new_database()), "bench")
            try:
                await ledger.bench_ledger_on_postgres(findings, options, house, store)
            finally:
                await store.close()


IN_PROCESS: Final[dict[str, InProcess]] = {
    "core": core.bench_core,
    "shuffles": dealer.bench_shuffles,
    "values": evaluator.bench_values,
    "equity": equity.bench_equity,
    "starts": starting.bench_starts,
    "stores": stores.bench_stores,
}
IN_HOUSE: Final[dict[str, InHouse]] = {
    "action": _action,
    "hands": _hands,
    "dealer": dealer.bench_dealer,
    "ledger": ledger.bench_ledger,
    "standings": ledger.bench_standings,
    "watch": _watch,
    "evaluator": evaluator.bench_evaluator,
    "recovery": _recovery,
    "growth": _growth,
}


POSTGRES: Final = "postgres"
PARTS: Final = (*IN_PROCESS, *IN_HOUSE, POSTGRES)


async def _run_house(findings: Findings, options: Options, wanted: list[str], build: Path) -> None:
    """Each part with a fresh suite: what one leaves behind is no burden to the next."""
    for name in wanted:
        print(f"{name}:", flush=True)
        with tempfile.TemporaryDirectory(prefix="bench-", dir=build) as made:
            folder = Path(made)
            try:
                await _run_part(findings, options, name, folder)
            except (grpc.aio.AioRpcError, TimeoutError) as fault:  # the rest of the run is worth having
                findings.broken.append(f"{name} was broken off: {fault!r}"[:300])


async def _run_part(findings: Findings, options: Options, name: str, folder: Path) -> None:
    if name == POSTGRES:
        await _on_postgres(findings, options, folder)
        return
    async with open_house(folder) as house, plain_floor(folder) as floor:
        await IN_HOUSE[name](findings, options, house, floor)


def run(options: Options, only: list[str]) -> Findings:
    """All parts, or those asked for."""
    findings = Findings()
    wanted = only or PARTS
    for name, part in IN_PROCESS.items():
        if name in wanted:
            print(f"{name}:", flush=True)
            part(findings, options)
    asyncio.run(
        _run_house(findings, options, [name for name in (*IN_HOUSE, POSTGRES) if name in wanted], BUILD.resolve())
    )
    return findings


def main() -> int:
    """Measure, say it, write it down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one sample of one side")
    parser.add_argument(
        "--entrants", type=int, default=10_000, help="of the tournament whose standings are read; 10000 at most"
    )
    parser.add_argument("--open-tables", type=int, default=10_000, help="as far as cost is watched growing")
    parser.add_argument("--events", type=int, default=1_000_000, help="in the log, likewise; 10000000 takes minutes")
    parser.add_argument("--only", nargs="*", default=[], choices=PARTS, metavar="PART")
    parser.add_argument("--compare", action="store_true", help="fail only where a ratio is worse than the one kept")
    parser.add_argument("--keep", action="store_true", help="keep the ratios of this run")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # peers warn of hands that cannot be
    BUILD.mkdir(parents=True, exist_ok=True)
    before = load()
    options = Options(
        rounds=given.rounds,
        seconds=given.seconds,
        entrants=given.entrants,
        open_tables=given.open_tables,
        events=given.events,
    )
    findings = run(options, given.only)
    write_results(findings, (before, load()), BUILD)
    draw_all(findings, BUILD)
    print("\n" + table_of(findings.rows))
    for remark in (
        *findings.broken,
        *findings.remarks,
        f"load of the machine: {before:.1f} before, {load():.1f} after",
    ):
        print(f"- {remark}")
    print(f"results and pictures are in {BUILD}/")
    return _verdict(findings, compare=given.compare, keep=given.keep)


def _verdict(findings: Findings, *, compare: bool, keep: bool) -> int:
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    worse = regressions(kept, findings.rows)
    for line in worse:
        print(f"WORSE: {line}")
    if keep:
        KEPT.write_text(json.dumps({**kept, **kept_ratios(findings.rows)}, indent=1, sort_keys=True) + "\n")
    if findings.broken:
        return 1
    if compare:
        return 1 if worse else 0
    return 1 if any(row.met is False for row in findings.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
