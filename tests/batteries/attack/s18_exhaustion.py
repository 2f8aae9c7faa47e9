"""S18: descriptors, disk and memory at their end in a running service, then given back."""

import asyncio
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sevenstud.evaluator.v1 import evaluator_service_pb2 as evaluator_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.attack.house import SERVICES, house
from tests.batteries.attack.s18_booking import (
    READY_SECONDS_MAX,
    SLACK_SECONDS,
    balance,
    deposit,
    opened,
    ready_after,
)
from tests.batteries.attack.s18_disk_full import NoSmallDisk, disk_full
from tests.batteries.attack.s18_threads import threads
from tests.batteries.report import Row, judged, skipped
from tests.support.raw_http2 import RawConnection
from tests.support.servers import start_service

MIB = 1024 * 1024


def set_limit(pid: int, which: int, most: int) -> tuple[int, int]:
    """Lower a limit of a running process; what it was."""
    before = resource.prlimit(pid, which)
    resource.prlimit(pid, which, (most, before[1]))
    return before


def largest_file(folder: Path) -> int:
    """Bytes of the largest file of the ledger's database."""
    return max(each.stat().st_size for each in folder.glob("tournament_ledger.sqlite*"))


def address_space(pid: int) -> int:
    """Bytes of address space that a process has taken."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * 4096


async def descriptors() -> tuple[str, bool]:
    """No descriptor is left: new callers wait or are refused, who is in is served; then all is well again."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder)) as running:
            await opened(running)
            process = running.processes["tournament_ledger"]
            pid = process.process.pid
            before = set_limit(pid, resource.RLIMIT_NOFILE, running.descriptors("tournament_ledger") + 4)
            crowd = [await RawConnection.open(process.address) for _ in range(50)]
            served = sum([await deposit(running) for _ in range(20)])
            for each in crowd:
                await each.close()
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            seconds = await ready_after(running)
            late = TournamentLedgerServiceStub(await running.channel("tournament_ledger", Caller(Role.BACKEND, "late")))
            await late.GetBalance(pb.GetBalanceRequest(player_id="ann", currency="EUR"))
            right = await balance(running) == 1 + served + 1
            verdict = await running.auditor.VerifyJournal(pb.VerifyJournalRequest())
            alive = len(running.alive()) == len(SERVICES)
    told = f"{served} of 20 served to who was in, new callers after {seconds:.1f} s, books sound: {verdict.sound}"
    return told, alive and right and verdict.sound and seconds < READY_SECONDS_MAX + SLACK_SECONDS


async def disk() -> tuple[str, bool]:
    """No file may grow: nothing is acknowledged that was not booked; then the limit is lifted, and it goes on."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder)) as running:
            await opened(running)
            pid = running.processes["tournament_ledger"].process.pid
            before = set_limit(pid, resource.RLIMIT_FSIZE, largest_file(Path(folder)) + 64 * 1024)
            booked, refused = 0, 0
            while refused < 3 and booked < 5_000:
                done = await deposit(running)
                booked, refused = booked + done, refused + (not done)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
            seconds, alive = await ready_after(running), "tournament_ledger" in running.alive()
            found = await balance(running)
            verdict = await running.auditor.VerifyJournal(pb.VerifyJournalRequest())
    told = (
        f"{booked} booked, then refused; without a restart ready after {seconds:.1f} s, wallet {found} for "
        f"{booked + 2} acknowledged, books sound: {verdict.sound}"
    )
    right = alive and refused > 0 and found == booked + 2 and verdict.sound
    return told, right and seconds < READY_SECONDS_MAX + SLACK_SECONDS


async def memory() -> tuple[str, bool]:
    """No memory is left for an answer: refused or the process ends; nothing is wrong afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder)) as running:
            process = running.processes["evaluator"]
            pid = process.process.pid
            before = set_limit(pid, resource.RLIMIT_AS, address_space(pid) + 8 * MIB)
            channel: Any = await running.channel("evaluator", Caller(Role.SERVICE, "fuzzer"))
            ask = channel.unary_unary(
                "/sevenstud.evaluator.v1.EvaluatorService/EvaluateBatch",
                evaluator_pb.EvaluateBatchRequest.SerializeToString,
                evaluator_pb.EvaluateBatchResponse.FromString,
            )
            big = evaluator_pb.EvaluateBatchRequest(masks=(0b1111111).to_bytes(8, "little") * 400_000)
            answers = await asyncio.gather(*(ask(big, timeout=20.0) for _ in range(6)), return_exceptions=True)
            refused = sum(isinstance(each, BaseException) for each in answers)
            ended = "evaluator" not in running.alive()
            if not ended:
                resource.prlimit(pid, resource.RLIMIT_AS, before)
            else:
                new = await asyncio.to_thread(start_service, "evaluator", Path(folder), {"LISTEN": process.address})
                object.__setattr__(process, "process", new.process)
            began = time.monotonic()
            small = evaluator_pb.EvaluateBatchRequest(masks=(0b1111111).to_bytes(8, "little"))
            while time.monotonic() - began < READY_SECONDS_MAX + SLACK_SECONDS:
                found: list[object] = await asyncio.gather(ask(small), return_exceptions=True)
                if isinstance(found[0], evaluator_pb.EvaluateBatchResponse):
                    break
                await asyncio.sleep(0.1)
            seconds = time.monotonic() - began
    told = f"{refused} of 6 large batches refused, the process {'ended and was started again' if ended else 'lived'}"
    return f"{told}, ready after {seconds:.1f} s", seconds < READY_SECONDS_MAX + SLACK_SECONDS


def exhaustion() -> Iterator[Row]:
    """Rows S18a to S18e."""
    rows = (
        ("S18a", "descriptors at their end: who is in is served, ready again in 10 s, books sound", descriptors),
        ("S18b", "no file may grow: nothing acknowledged that is not booked, ready again in 10 s, books sound", disk),
        ("S18c", "memory at its end: refused or ended, ready again in 10 s", memory),
        ("S18d", "threads at their end: refused or ended, ready again in 10 s, books sound", threads),
        ("S18e", "disk full in a hand: refused, by itself ready again in 10 s, hands go on, books sound", disk_full),
    )
    for name, demanded, proof in rows:
        try:
            told, holds = asyncio.run(proof())
        except PermissionError as fault:
            yield skipped(name, demanded, f"not run: this account may not set limits of a process ({fault})")
        except NoSmallDisk as fault:
            yield skipped(name, demanded, f"not run: this account may not mount a small disk ({fault})")
        except FileNotFoundError as fault:
            yield skipped(name, demanded, f"not run: there is no {fault.filename} here to run it as another account")
        else:
            yield judged(name, demanded, told, holds=holds)
