"""``make rolling``: tournaments are played while the suite is rolled forward and back, scaled, and a node is drained.

    python -m tests.batteries.rolling [FROM]

FROM is a commit whose version is replaced by this one, and comes back; without it this version is rolled over itself.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import grpc
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from shared.rpc.client import open_channel
from tests.batteries.rolling.replicas import ORDER, STORED, Replicas
from tests.support.postgres_server import PostgresServer
from tests.support.tournament_lobby import BACKEND, STACK_CHIPS, TournamentLobby, quick

ROOT = Path(__file__).resolve().parents[3]
PLAY_SECONDS = 600.0
PLAYERS = 6
SETTLING_SECONDS = 3.0
_FAILED = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}


class Counted:
    """A stub that counts; nothing is tried again but by the channel's own policy."""

    answered = 0
    failed: list[str]
    slowest = 0.0

    def __init__(self, stub: Any, book: "Counted | None" = None) -> None:
        self._stub = stub
        self.failed = []
        self._book = book or self

    def __getattr__(self, method: str) -> Callable[..., Any]:
        made: Callable[..., Any] = getattr(self._stub, method)
        return made if method.startswith("Watch") else self._counting(method, made)

    def _counting(self, method: str, made: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*arguments: Any, **options: Any) -> Any:
            began = time.perf_counter()
            try:
                answer = await made(*arguments, **options)
            except grpc.aio.AioRpcError as refused:
                if refused.code() in _FAILED:
                    self._book.failed.append(f"{method}: {refused.code().name} {refused.details()}")
                raise
            self._book.answered += 1
            self._book.slowest = max(self._book.slowest, time.perf_counter() - began)
            return answer

        return call


async def _lobby(stack: AsyncExitStack, replicas: Replicas) -> tuple[TournamentLobby, Counted]:
    found = TournamentLobby()

    async def over(service: str, stub: Callable[[Any], Any], book: Counted | None) -> Counted:
        channel = await stack.enter_async_context(open_channel(",".join(replicas.addresses[service]), BACKEND))
        return Counted(stub(channel), book)

    book = await over("tournament_ledger", TournamentLedgerServiceStub, None)
    found.ledger = cast("TournamentLedgerServiceStub", book)
    found.tables = cast("TableServiceStub", await over("orchestrator", TableServiceStub, book))
    found.tournaments = cast("TournamentServiceStub", await over("orchestrator", TournamentServiceStub, book))
    return found, book


async def _tournament(lobby: TournamentLobby, number: int) -> AsyncIterator[tuple[int, int]]:
    """Plays one; of each table its hands, and how many were voided."""
    rules = quick(option.FORMULA_MULTI_TABLE, stack_chips=4 * STACK_CHIPS)
    players = [f"r{number}p{each}" for each in range(1, PLAYERS + 1)]
    tournament_id = await lobby.announce(rules, players, seats_per_table=3, entrants_max=PLAYERS)
    began = await lobby.start(tournament_id)
    await lobby.play(tournament_id, PLAY_SECONDS)
    for table_id in (*began.table_ids, f"{tournament_id}.final"):
        hands = (await lobby.tables.ListHands(table_pb.ListHandsRequest(table_id=table_id))).hands
        yield len(hands), sum(hand.voided for hand in hands)


async def _upset(replicas: Replicas, book: Counted) -> bool:
    """All that happens to the suite, one after the other, with its figures."""
    good = True
    for happens in (
        replicas.roll_forward,
        replicas.roll_back,
        replicas.scale_out,
        replicas.scale_in,
        replicas.drain_node,
    ):
        began, answered, book.slowest = time.monotonic(), book.answered, 0.0
        failed = len(book.failed)
        said = await happens()
        await asyncio.sleep(SETTLING_SECONDS)
        answered, failed = book.answered - answered, len(book.failed) - failed
        good = good and not failed and answered > 0
        print(
            f"  {happens.__name__}: {said}, {time.monotonic() - began:.0f} s; "
            f"{answered} calls answered, the slowest in {book.slowest:.2f} s, {failed} failed",
            flush=True,
        )
    return good


async def _rolled(replicas: Replicas) -> int:
    """The exit code; what happened is printed."""
    async with AsyncExitStack() as stack:
        lobby, book = await _lobby(stack, replicas)
        upset = asyncio.create_task(_upset(replicas, book))
        tournaments, hands, voided = 0, 0, 0
        while not upset.done():
            tournaments += 1
            async for played, lost in _tournament(lobby, tournaments):
                hands, voided = hands + played, voided + lost
        good = await upset
        address = ",".join(replicas.addresses["tournament_ledger"])
        async with open_channel(address, Caller(Role.AUDITOR, "auditor")) as channel:
            verdict = await TournamentLedgerServiceStub(channel).VerifyJournal(
                ledger_pb.VerifyJournalRequest(), timeout=60
            )
    print(f"  {tournaments} tournaments, {hands} hands, {voided} hands voided")
    print(f"  {book.answered} calls answered, {len(book.failed)} failed; the books verify: {verdict.sound}")
    for each in sorted(set(book.failed))[:10]:
        print(f"  {each}")
    good = good and not book.failed and not voided and verdict.sound and hands > 0
    print("rolling: nothing was lost" if good else "rolling: FAILED")
    return int(not good)


async def _main(commit: str | None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        tree = None if commit is None else _tree_of(commit, Path(folder) / "old")
        postgres = PostgresServer()
        postgres.start()
        try:
            urls = {service: await postgres.new_database() for service in STORED}
            replicas = Replicas(Path(folder), urls, tree)
            try:
                print(
                    f"rolling: two replicas of {len(ORDER)} services, from {commit or 'this version'} to this version"
                )
                await replicas.start_all()
                return await _rolled(replicas)
            finally:
                replicas.end()
        finally:
            postgres.close()


def _tree_of(commit: str, folder: Path) -> Path:
    """The files of a commit, beside this working tree, with the stubs of its own contract."""
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", commit, "services", "shared", "protos"], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    subprocess.run([sys.executable, "protos/generate.py"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(sys.argv[1] if len(sys.argv) > 1 else None)))
