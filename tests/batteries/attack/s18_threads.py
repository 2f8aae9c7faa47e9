"""S18, threads: a service that can start no thread more refuses or ends, books nothing wrong, and is soon there again.

The limit of threads binds no superuser. So the service runs as an account that nobody else uses, where this one may
choose; where it may not, it is no superuser, and the limit counts all that the account runs.
"""

import asyncio
import os
import resource
import subprocess
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.attack.house import CALL_SECONDS
from tests.batteries.attack.s18_booking import (
    READY_SECONDS_MAX,
    SLACK_SECONDS,
    balance,
    deposit,
    opened,
    ready_after,
)
from tests.support.raw_http2 import RawConnection
from tests.support.servers import ServiceProcess, calling, start_service

ACCOUNT = 64_999
"""Nobody's, as far as anybody can know; the count of its threads is the service's own."""
_RIGHTS = "-all,+dac_override"
"""It may read the same files, and nothing else that the superuser may."""
AS_ANOTHER = (
    "setpriv",
    f"--reuid={ACCOUNT}",
    f"--regid={ACCOUNT}",
    "--clear-groups",
    f"--inh-caps={_RIGHTS}",
    f"--ambient-caps={_RIGHTS}",
)
ASKED = 40
CONNECTIONS = 100


def threads_of_account(user: int) -> int:
    """What the limit counts: every thread of every process of an account."""
    count = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue  # it has ended meanwhile
        if int(fields["Uid"].split()[0]) == user:
            count += int(fields["Threads"])
    return count


class Ledger:
    """One ledger, run as another account where that can be."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        """With its files there."""
        superuser = os.geteuid() == 0
        self.user = ACCOUNT if superuser else os.geteuid()
        self._before: tuple[str, ...] = AS_ANOTHER if superuser else ()
        self._folder, self._stack = folder, stack
        self._address = "127.0.0.1:0"

    async def start(self) -> Any:
        """Start it, again where it was before; its calls in two roles."""
        own = {"DATABASE": str(self._folder / "tournament_ledger.sqlite"), "LISTEN": self._address}
        self.process: ServiceProcess = await asyncio.to_thread(
            start_service, "tournament_ledger", self._folder, own, None, self._before
        )
        self._stack.callback(self.process.kill)
        self._address = self.process.address
        stubs = [
            TournamentLedgerServiceStub(
                await self._stack.enter_async_context(calling(self._address, Caller(role, "lobby"), CALL_SECONDS))
            )
            for role in (Role.BACKEND, Role.AUDITOR)
        ]
        return SimpleNamespace(ledger=stubs[0], auditor=stubs[1])

    def limit_threads(self, most: int | None) -> None:
        """Set how many threads the account may run, from that account: nobody else may. None: as many as before."""
        usual = resource.getrlimit(resource.RLIMIT_NPROC)[0] if most is None else most
        soft = "unlimited" if usual == resource.RLIM_INFINITY else str(usual)
        limit = [*self._before, "prlimit", f"--pid={self.process.process.pid}", f"--nproc={soft}:"]
        subprocess.run(limit, check=True)

    def binds(self, most: int) -> bool:
        """Whether the account can start nothing more at this limit, as a shell finds that tries."""
        shell = [*self._before, "prlimit", f"--nproc={most}:", "sh", "-c", "true & wait"]
        return subprocess.run(shell, capture_output=True, check=False).returncode != 0

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.process.poll() is not None


async def threads() -> tuple[str, bool]:
    """No thread is left: who is in is served or refused; then all is well again, by itself or after a restart."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with AsyncExitStack() as stack:
            ledger = Ledger(folder, stack)
            house = await ledger.start()
            await opened(house)
            most = threads_of_account(ledger.user)
            ledger.limit_threads(most)
            binds = ledger.binds(most)
            crowd = [await RawConnection.open(ledger.process.address) for _ in range(CONNECTIONS)]
            served = sum(await asyncio.gather(*(deposit(house) for _ in range(ASKED))))
            for each in crowd:
                await each.close()
            restarted, began = ledger.ended, time.monotonic()
            if restarted:
                house = await ledger.start()
            else:
                ledger.limit_threads(None)
            await ready_after(house)
            seconds, found = time.monotonic() - began, await balance(house)
            verdict = await house.auditor.VerifyJournal(pb.VerifyJournalRequest())
    told = (
        f"limit at {most} threads of the account, which {'binds' if binds else 'does not bind'}: {served} of {ASKED} "
        f"deposits served, the process {'ended and was started again' if restarted else 'lived'}, ready after "
        f"{seconds:.1f} s, wallet {found} for {served + 2} acknowledged, books sound: {verdict.sound}"
    )
    right = served + 2 <= found <= ASKED + 2 if restarted else found == served + 2
    return told, binds and right and verdict.sound and seconds < READY_SECONDS_MAX + SLACK_SECONDS
