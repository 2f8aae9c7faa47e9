"""S13: one identity that registers without end: rows stay within the quota, memory flat, others are served."""

import asyncio
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
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


@dataclass
class Registrations:
    """What came of those of one player, at the limits that hold for players by default."""

    answers: Counter[str] = field(default_factory=Counter[str])
    turned_away: Counter[int] = field(default_factory=Counter[int])
    """Calls that the transport ended before the service saw them."""
    others_refused: int = 0
    growth_mib: float = 0.0
    """Since a tenth of them were made."""


async def registrations(running: House, calls: int, progress: Progress) -> Registrations:
    """So many, and somebody else who asks for something between them."""
    found, path = Registrations(), "/sevenstud.tournament_ledger.v1.TournamentLedgerService/Register"
    early = 0.0
    for portion in range(PORTIONS):
        count = calls * (portion + 1) // PORTIONS - calls * portion // PORTIONS
        flood = Flood(running.processes["tournament_ledger"].address, path, "Bearer dev:player:greedy")
        attack = flood.send(count, _registration, progress.add)
        _, refused = await asyncio.gather(attack, _other_is_not_served(running))
        found.others_refused += refused
        found.turned_away += flood.turned_away
        early = early or (running.memory_mib("tournament_ledger") if portion >= PORTIONS // 10 else 0.0)
    found.growth_mib = running.memory_mib("tournament_ledger") - early
    page = await running.metrics("tournament_ledger")
    codes = re.findall(
        r'^grpc_server_handled_total\{grpc_code="(\w+)",grpc_method="Register".* ([0-9.]+)$', page, re.MULTILINE
    )
    found.answers = Counter({code: int(float(count)) for code, count in codes if float(count)})
    return found


def _registration() -> bytes:
    return pb.RegisterRequest(request_id=fresh(), tournament_id="cup", player_id="greedy").SerializeToString()


def letters(number: int) -> str:
    """A currency of its own for each number up to 17,576."""
    return "".join(chr(65 + number // 26**place % 26) for place in range(3))


async def attack(calls: int) -> tuple[Registrations, dict[str, Counter[str]], dict[str, int]]:
    """Floods of a player and of a back end; their answers, and rows in the end."""
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
            few = min(max(200, calls // 20), 5_000)
            progress = Progress("S13", calls + 3 * few)
            registered = await registrations(running, calls, progress)
            found: dict[str, Counter[str]] = {}
            for name, count, call in _floods(running, few):
                found[name] = await flood(count, call, progress)
                registered.others_refused += await _other_is_not_served(running)
            progress.finish()
        connection = sqlite3.connect(f"file:{Path(folder) / 'tournament_ledger.sqlite'}?mode=ro", uri=True)
        rows = {name: int(connection.execute(sql).fetchone()[0]) for name, sql in _ROWS.items()}
        connection.close()
    return registered, found, rows


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
    registered, found, rows = asyncio.run(attack(calls))
    answers, turned_away = registered.answers, registered.turned_away
    within = rows == {"holds": HOLDS, "wallets": WALLETS, "tournaments": TOURNAMENTS, "entrants": 1}
    limited = all(codes["RESOURCE_EXHAUSTED"] for codes in (answers, *found.values()))
    told = answers.total() + turned_away.total() == calls and not set(answers) - REFUSALS
    others = "; ".join(f"{name} {sum(codes.values()):,}: {dict(codes)}" for name, codes in found.items())
    yield judged(
        "S13",
        "10^6 registrations of one identity: rows <= quota, RESOURCE_EXHAUSTED after, memory flat, others unharmed",
        f"registrations {calls:,}: {dict(answers)}, turned away by the transport {dict(turned_away)}; {others}; rows "
        f"{rows} at quotas {HOLDS}, {WALLETS}, {TOURNAMENTS}; {registered.growth_mib:+.0f} MiB after the first tenth, "
        f"{registered.others_refused} others refused",
        holds=within and limited and told and not registered.others_refused and registered.growth_mib < GROWTH_MIB_MAX,
    )
