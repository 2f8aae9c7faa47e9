"""S3: whoever acts on what is over changes nothing, and is told what is current. Over gRPC, all services real."""

import asyncio
import hashlib
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

import grpc
from sevenstud.common.v1.betting_pb2 import ACTION_KIND_CALL, ACTION_KIND_COMPLETE, ACTION_KIND_FOLD
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournament_pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import OPERATOR, fresh
from tests.support.moved_clock import MovedClock
from tests.support.servers import calling
from tests.support.table_suite import card_room, open_table
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

CLIENTS: Final = 16
BLOCKS: Final = 20
"""So many times everything that is stored is compared with what was stored before."""
_FAR: Final = 2**40
_TRIES: Final = 40
_PAUSE_SECONDS: Final = 0.05
"""Before it is asked again: of one player eight calls may wait for a table, and more clients than that ask for one."""
_OUTAGES: Final = {
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.CANCELLED,
}
"""No answer, on a machine that is too busy: asked again, the same request."""


class StandingClock(MovedClock):
    """Time stands still, so that nothing happens but what is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._at = datetime.now(UTC)

    def now(self) -> datetime:
        return self._at + self._ahead


@dataclass(frozen=True, slots=True)
class Stale:
    """A kind of request that names what the caller saw."""

    call: Callable[..., Awaitable[Any]]
    request: Callable[[], Any]
    names: str
    """The field with what the caller saw."""
    reason: Reason
    told: str
    """The key of the error under which what is current is told."""
    current: int
    share: int


@dataclass(slots=True)
class Tally:
    """What came of it."""

    asked: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])
    pictures: int = 0
    again: int = 0
    """Asked again, as there was no answer in time."""


class SmallSuite(TournamentSuite):
    """The suite with a cash table as well, and an operator."""

    async def house_stubs(self, stack: AsyncExitStack) -> None:
        """Calls as an operator."""
        channel = await stack.enter_async_context(calling(self.address, OPERATOR))
        self.house, self.directors = TableServiceStub(channel), TournamentServiceStub(channel)
        ledger = await stack.enter_async_context(calling(self.ledger_address, OPERATOR))
        self.books = TournamentLedgerServiceStub(ledger)


async def _kinds(suite: SmallSuite) -> list[Stale]:
    """A hand in play at a cash table, a tournament in play, and one that is registered for."""
    table = await open_table(suite, card_room())
    await table.sit("ann", "bob", "cid")
    await table.resume()
    turn = await table.turn()
    tournament_id = await suite.announce(quick(), ["dan", "eve"])
    waiting = await suite.announce(quick(), ["fay"])
    await suite.start(tournament_id)
    await asyncio.sleep(1.0)
    view = await table.view()
    ids: dict[str, Any] = {"table_id": table.table_id}
    player: dict[str, Any] = {**ids, "player_id": turn.player_id}
    playing = (await suite.view(tournament_id)).version
    announced = await suite.ledger.GetTournament(ledger_pb.GetTournamentRequest(tournament_id=waiting))
    stale, conflict = Reason.STALE_TURN, Reason.VERSION_CONFLICT

    def act(kind: Any, to_chips: int = 0) -> Stale:
        made = lambda: pb.ActRequest(**player, kind=kind, to_chips=to_chips)  # noqa: E731
        return Stale(suite.tables.Act, made, "turn_id", stale, "current_turn_id", turn.turn_id, 25)

    def versioned(call: Any, made: Callable[[], Any], current: int) -> Stale:
        return Stale(call, made, "expected_version", conflict, "current", current, 4)

    director = suite.directors
    event: dict[str, Any] = {"tournament_id": tournament_id}
    return [
        act(ACTION_KIND_FOLD),
        act(ACTION_KIND_CALL),
        act(ACTION_KIND_COMPLETE, 5),
        Stale(
            suite.tables.UseTimeBank,
            lambda: pb.UseTimeBankRequest(**player),
            "turn_id",
            stale,
            "current_turn_id",
            turn.turn_id,
            5,
        ),
        versioned(suite.house.PauseTable, lambda: pb.PauseTableRequest(**ids, clocks_too=True), view.version),
        versioned(suite.house.ResumeTable, lambda: pb.ResumeTableRequest(**ids), view.version),
        versioned(suite.house.CloseTable, lambda: pb.CloseTableRequest(**ids), view.version),
        versioned(director.PauseTournament, lambda: tournament_pb.PauseTournamentRequest(**event), playing),
        versioned(director.ResumeTournament, lambda: tournament_pb.ResumeTournamentRequest(**event), playing),
        versioned(
            suite.books.CancelTournament,
            lambda: ledger_pb.CancelTournamentRequest(tournament_id=waiting, cause="rain"),
            announced.tournament.version,
        ),
    ]


def picture(folder: Path) -> str:
    """Everything that the services have stored, in one hash."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.sqlite")):
        reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        for line in reader.iterdump():
            digest.update(line.encode())
        reader.close()
    return digest.hexdigest()


async def _ask(kind: Stale, rng: Random, tally: Tally) -> None:
    """One request with another number than the current one."""
    request = kind.request()
    request.request_id = fresh()
    near = (kind.current - 1, kind.current + 1, kind.current + 2, max(1, kind.current // 2), rng.randrange(1, _FAR))
    seen = rng.choice([each for each in near if each not in {0, kind.current}])
    setattr(request, kind.names, seen)
    name = type(request).__name__.removesuffix("Request")
    tally.asked[name] += 1
    told = None
    for _ in range(_TRIES):
        told = await _answer(kind, request)
        if told is not None:
            break
        tally.again += 1
        await asyncio.sleep(_PAUSE_SECONDS)
    if told != (kind.reason, str(kind.current)):
        tally.faults.append(f"{name} {seen}, where {kind.current} is current, was told {told}")
        print(f"  fault {tally.faults[-1]}", flush=True)


async def _answer(kind: Stale, request: Any) -> tuple[Reason | None, str | None] | None:
    """Why it was refused and what is current; None where there was no answer in time on a busy machine."""
    try:
        await kind.call(request, timeout=60.0)
    except grpc.aio.AioRpcError as error:
        found = unpack_error(error)
        if found.code in _OUTAGES:
            return None
        return found.reason, found.metadata.get(kind.told)
    return None, "granted"


async def _run(actions: int, folder: Path) -> Tally:
    tally, progress = Tally(), Progress("S3 stale requests", actions)
    suite = SmallSuite(folder)
    suite.clock = StandingClock()
    async with suite, AsyncExitStack() as stack:
        await suite.house_stubs(stack)
        kinds = await _kinds(suite)
        shares = [each.share for each in kinds]
        before = picture(folder)

        async def client(number: int, count: int) -> None:
            rng = Random(f"S3 {number} {tally.pictures}")
            for kind in rng.choices(kinds, shares, k=count):
                await _ask(kind, rng, tally)

        while tally.asked.total() < actions and len(tally.faults) < 20:
            each = max(1, min(actions // BLOCKS, actions - tally.asked.total()) // CLIENTS)
            await asyncio.gather(*(client(number, each) for number in range(CLIENTS)))
            progress.add(each * CLIENTS, f"faults: {len(tally.faults)}")
            tally.pictures += 1
            if picture(folder) != before:
                tally.faults.append("something was stored")
                break
    progress.finish()
    return tally


def stale_changes_nothing(actions: int) -> Iterator[Row]:
    """Row S3."""
    with tempfile.TemporaryDirectory() as folder:
        tally = asyncio.run(_run(actions, Path(folder)))
    asked = ", ".join(f"{name} {count:,}" for name, count in tally.asked.most_common())
    yield judged(
        "S3",
        f"{actions:,} requests with a number that is not current, {CLIENTS} callers over gRPC: 0 changes",
        f"{tally.asked.total():,} refused ({asked}), each told what is current; {tally.pictures} looks at everything "
        f"that is stored: 0 changes; {tally.again} asked again for want of an answer in time; "
        f"{len(tally.faults)} faults",
        holds=not tally.faults and tally.asked.total() >= actions,
    )
