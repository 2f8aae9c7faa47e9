"""S13: one identity that registers without end: rows stay within the quota, memory flat, others are served."""

import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.attack.house import House, house
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import announcement, euro, fresh

HOLDS, WALLETS, TOURNAMENTS = 100, 5, 20
AT_ONCE = 32
GROWTH_MIB_MAX = 32.0
QUOTAS = {
    "HOLDS_PER_WALLET_MAX": str(HOLDS),
    "WALLETS_PER_PLAYER_MAX": str(WALLETS),
    "TOURNAMENTS_OPEN_MAX": str(TOURNAMENTS),
    "LOG_LEVEL": "error",
}
_ROWS = {
    "holds": "SELECT COUNT(*) FROM ledger_holds",
    "wallets": "SELECT COUNT(*) FROM ledger_accounts WHERE kind = 'PLAYER_WALLET' AND owner_id = 'greedy'",
    "tournaments": "SELECT COUNT(*) FROM ledger_tournaments",
    "entrants": "SELECT COUNT(*) FROM ledger_entrants",
}
Call = Callable[[int], Awaitable[Message]]


async def flood(calls: int, call: Call, progress: Progress) -> Counter[str]:
    """So many calls, some at once; what they were answered with."""
    found: Counter[str] = Counter()

    async def ask(numbers: range) -> None:
        for number in numbers:
            try:
                await call(number)
                found["OK"] += 1
            except grpc.aio.AioRpcError as error:
                found[error.code().name] += 1
            if not number % 500:
                progress.add(min(500, calls))

    await asyncio.gather(*(ask(range(first, calls, AT_ONCE)) for first in range(AT_ONCE)))
    return found


def letters(number: int) -> str:
    """A currency of its own for each number up to 17,576."""
    return "".join(chr(65 + number // 26**place % 26) for place in range(3))


async def attack(calls: int) -> tuple[dict[str, Counter[str]], dict[str, int], float, int]:
    """Floods of a player and of a back end; their answers, rows in the end, growth of memory, others not served."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), tournament_ledger=QUOTAS) as running:
            ledger, others = running.ledger, 0
            await ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id="greedy", currency="EUR"))
            deposit = pb.DepositRequest(request_id=fresh(), player_id="greedy", amount=euro(10**9))
            await ledger.Deposit(deposit)
            announce = pb.AnnounceTournamentRequest(
                request_id=fresh(), tournament_id="cup", announcement=announcement()
            )
            await ledger.AnnounceTournament(announce)
            before, found = running.memory_mib("tournament_ledger"), dict[str, Counter[str]]()
            few = max(200, calls // 20)
            progress = Progress("S13", calls + 3 * few)
            for name, count, call in await _floods(running, calls, few):
                found[name] = await flood(count, call, progress)
                others += await _other_is_not_served(running)
            progress.finish()
            growth = running.memory_mib("tournament_ledger") - before
        connection = sqlite3.connect(f"file:{Path(folder) / 'tournament_ledger.sqlite'}?mode=ro", uri=True)
        rows = {name: int(connection.execute(sql).fetchone()[0]) for name, sql in _ROWS.items()}
        connection.close()
    return found, rows, growth, others


async def _floods(running: House, calls: int, few: int) -> list[tuple[str, int, Call]]:
    ledger: Any = running.ledger
    player: Any = TournamentLedgerServiceStub(await running.channel("tournament_ledger", Caller(Role.PLAYER, "greedy")))

    def hold(_: int) -> Awaitable[Message]:
        request = pb.PlaceHoldRequest(request_id=fresh(), player_id="greedy", amount=euro(1))
        request.lasts.FromSeconds(3600)
        return ledger.PlaceHold(request)  # type: ignore[no-any-return]  # a call

    return [
        (
            "registrations",
            calls,
            lambda _: player.Register(pb.RegisterRequest(request_id=fresh(), tournament_id="cup", player_id="greedy")),
        ),
        ("holds", few, hold),
        (
            "wallets",
            few,
            lambda number: ledger.OpenAccount(
                pb.OpenAccountRequest(request_id=fresh(), player_id="greedy", currency=letters(number))
            ),
        ),
        (
            "tournaments",
            few,
            lambda _: ledger.AnnounceTournament(
                pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement())
            ),
        ),
    ]


async def _other_is_not_served(running: House) -> int:
    """0 where another player is served."""
    name = f"modest-{fresh()[:8]}"
    try:
        await running.ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id=name, currency="EUR"))
    except grpc.aio.AioRpcError:
        return 1
    return 0


def quotas_hold(calls: int) -> Iterator[Row]:
    """Row S13."""
    found, rows, growth, others = asyncio.run(attack(calls))
    within = rows == {"holds": HOLDS, "wallets": WALLETS, "tournaments": TOURNAMENTS, "entrants": 1}
    limited = all(found[name]["RESOURCE_EXHAUSTED"] for name in ("holds", "wallets", "tournaments"))
    told = "; ".join(f"{name} {sum(codes.values()):,}: {dict(codes)}" for name, codes in found.items())
    yield judged(
        "S13",
        "10^6 registrations of one identity: rows <= quota, RESOURCE_EXHAUSTED after, memory flat, others unharmed",
        f"{told}; rows {rows} at quotas {HOLDS}, {WALLETS}, {TOURNAMENTS}; {growth:+.0f} MiB, {others} others refused",
        holds=within and limited and not others and growth < GROWTH_MIB_MAX,
    )
