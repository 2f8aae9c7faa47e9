"""S13: one identity that registers without end: rows stay within the quota, memory flat, others are served."""

import asyncio
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.batteries.attack.house import House, house
from tests.batteries.attack.raw_flood import Flood
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import announcement, euro, fresh

HOLDS, WALLETS, TOURNAMENTS = 100, 5, 20
AT_ONCE = 32
PORTIONS = 50
"""Of the registrations: between them somebody else asks for something."""
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
REFUSALS = {"OK", "ALREADY_EXISTS", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"}
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
            progress.add(1)

    await asyncio.gather(*(ask(range(first, calls, AT_ONCE)) for first in range(AT_ONCE)))
    return found


async def registrations(running: House, calls: int, progress: Progress) -> tuple[Counter[str], int]:
    """So many of one player, at the limits that hold for players by default; and how often others were not served."""
    path = "/sevenstud.tournament_ledger.v1.TournamentLedgerService/Register"
    address, others = running.processes["tournament_ledger"].address, 0
    for portion in range(PORTIONS):
        count = calls * (portion + 1) // PORTIONS - calls * portion // PORTIONS
        attack = Flood(address, path, "Bearer dev:player:greedy").send(count, _registration, progress.add)
        _, refused = await asyncio.gather(attack, _other_is_not_served(running))
        others += refused
    page = await running.metrics("tournament_ledger")
    codes = re.findall(
        r'^grpc_server_handled_total\{grpc_code="(\w+)",grpc_method="Register".* ([0-9.]+)$', page, re.MULTILINE
    )
    return Counter({code: int(float(count)) for code, count in codes if float(count)}), others


def _registration() -> bytes:
    return pb.RegisterRequest(request_id=fresh(), tournament_id="cup", player_id="greedy").SerializeToString()


def letters(number: int) -> str:
    """A currency of its own for each number up to 17,576."""
    return "".join(chr(65 + number // 26**place % 26) for place in range(3))


async def attack(calls: int) -> tuple[dict[str, Counter[str]], dict[str, int], float, int]:
    """Floods of a player and of a back end; their answers, rows in the end, growth of memory, others not served."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), tournament_ledger=QUOTAS) as running:
            ledger = running.ledger
            await ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id="greedy", currency="EUR"))
            deposit = pb.DepositRequest(request_id=fresh(), player_id="greedy", amount=euro(10**9))
            await ledger.Deposit(deposit)
            announce = pb.AnnounceTournamentRequest(
                request_id=fresh(), tournament_id="cup", announcement=announcement()
            )
            await ledger.AnnounceTournament(announce)
            before, found = running.memory_mib("tournament_ledger"), dict[str, Counter[str]]()
            few = min(max(200, calls // 20), 5_000)
            progress = Progress("S13", calls + 3 * few)
            found["registrations"], others = await registrations(running, calls, progress)
            for name, count, call in _floods(running, few):
                found[name] = await flood(count, call, progress)
                others += await _other_is_not_served(running)
            progress.finish()
            growth = running.memory_mib("tournament_ledger") - before
        connection = sqlite3.connect(f"file:{Path(folder) / 'tournament_ledger.sqlite'}?mode=ro", uri=True)
        rows = {name: int(connection.execute(sql).fetchone()[0]) for name, sql in _ROWS.items()}
        connection.close()
    return found, rows, growth, others


def _floods(running: House, few: int) -> list[tuple[str, int, Call]]:
    ledger: Any = running.ledger

    def hold(_: int) -> Awaitable[Message]:
        request = pb.PlaceHoldRequest(request_id=fresh(), player_id="greedy", amount=euro(1))
        request.lasts.FromSeconds(3600)
        return ledger.PlaceHold(request)  # type: ignore[no-any-return]  # a call

    return [
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
    limited = all(codes["RESOURCE_EXHAUSTED"] for codes in found.values())
    all_told = found["registrations"].total() == calls and not set(found["registrations"]) - REFUSALS
    told = "; ".join(f"{name} {sum(codes.values()):,}: {dict(codes)}" for name, codes in found.items())
    yield judged(
        "S13",
        "10^6 registrations of one identity: rows <= quota, RESOURCE_EXHAUSTED after, memory flat, others unharmed",
        f"{told}; rows {rows} at quotas {HOLDS}, {WALLETS}, {TOURNAMENTS}; {growth:+.0f} MiB, {others} others refused",
        holds=within and limited and all_told and not others and growth < GROWTH_MIB_MAX,
    )
