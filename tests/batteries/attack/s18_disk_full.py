"""S18, disk full: all five services on a small disk of their own that somebody fills, in the middle of a hand."""

import asyncio
import errno
import os
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import grpc
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from tests.batteries.attack.house import SERVICES, House, house
from tests.batteries.attack.play import Table, action, anyhow, open_table
from tests.batteries.attack.s18_booking import READY_SECONDS_MAX, SLACK_SECONDS, balance, deposit, opened, ready_after
from tests.support.ledger_house import fresh

DISK_MIB = 24
HANDS_AFTERWARDS = 3
PATIENCE_SECONDS = 120.0
CHUNK = 64 * 1024
REFUSALS = 3


class NoSmallDisk(Exception):  # noqa: N818  # what there is not
    """This account may not mount one."""


@contextmanager
def small_disk() -> Generator[Path]:
    """A file system of a few MiB in memory."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", folder]
        try:
            done = subprocess.run(mount, capture_output=True, text=True, check=False)
        except FileNotFoundError as fault:
            raise NoSmallDisk(str(fault)) from fault
        if done.returncode:
            raise NoSmallDisk(done.stderr.strip())
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=False)


def fill(folder: Path) -> Path:
    """Take all the room that is left."""
    path = folder / "filler"
    size = CHUNK
    with path.open("wb", buffering=0) as file:
        while size:
            try:
                file.write(os.urandom(size))
            except OSError as fault:
                if fault.errno != errno.ENOSPC:
                    raise
                size //= 2
    return path


async def disk_full() -> tuple[str, bool]:
    """Writes are refused while there is no room; then money is booked and the hand goes on by itself."""
    with small_disk() as folder:
        async with house(folder) as running:
            await opened(running)
            table = await open_table(running, ["bob", "cid"], HANDS_AFTERWARDS)
            await running.house.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id))
            await _turn(running, table)
            filler = fill(folder)
            booked, refused, acted = await _in_need(running, table)
            filler.unlink()
            seconds = await ready_after(running)
            played = await _to_the_end(running, table)
            found, alive = await balance(running), len(running.alive())
            verdict = await running.auditor.VerifyJournal(ledger_pb.VerifyJournalRequest())
    told = (
        f"a disk of {DISK_MIB} MiB full in the middle of a hand: {refused} deposits refused, {booked} booked, the "
        f"action {'taken' if acted else 'refused'}; room again: ready after {seconds:.1f} s, {played} of "
        f"{HANDS_AFTERWARDS} hands played to their ends, none voided, wallet {found} for {booked + 2} acknowledged, "
        f"books sound: {verdict.sound}, {alive} of {len(SERVICES)} services alive without a restart"
    )
    holds = refused > 0 and found == booked + 2 and verdict.sound and alive == len(SERVICES)
    return told, holds and played == HANDS_AFTERWARDS and seconds < READY_SECONDS_MAX + SLACK_SECONDS


async def _in_need(running: House, table: Table) -> tuple[int, int, bool]:
    """Deposits until three in a row are refused; and whether an action is still taken."""
    booked = refused = 0
    while refused < REFUSALS:
        done = await deposit(running)
        booked, refused = booked + done, 0 if done else refused + 1
    return booked, refused, await _acted(running, table)


async def _seen(running: House, table: Table) -> table_pb2.TableView:
    return (await running.tables.GetTable(pb.GetTableRequest(table_id=table.table_id))).table


async def _acted(running: House, table: Table) -> bool:
    """Whoever is to act does; False where it is refused."""
    view = await _seen(running, table)
    if not view.HasField("turn"):
        return False
    try:
        await running.tables.Act(action(table, view.turn, anyhow(Random(view.version), 0.1)))
    except grpc.aio.AioRpcError:
        return False
    return True


async def _turn(running: House, table: Table) -> None:
    """Until somebody is to act."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (await _seen(running, table)).HasField("turn"):  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.05)


async def _to_the_end(running: House, table: Table) -> int:
    """Hands that were played, none of them voided."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await _seen(running, table)).state != table_pb2.TABLE_STATE_PAUSED:
            await _acted(running, table)
            await asyncio.sleep(0.02)
    hands = (await running.tables.ListHands(pb.ListHandsRequest(table_id=table.table_id))).hands
    return sum(not each.voided for each in hands)
