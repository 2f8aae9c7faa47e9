"""S8: every request type of every service, with inputs that nobody meant; and a faulty service, to see it bite."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.betting.rpc.rights import RIGHTS as BETTING
from services.dealer.rpc.rights import RIGHTS as DEALER
from services.evaluator.rpc.rights import RIGHTS as EVALUATOR
from services.orchestrator.rpc.table_rights import TABLE_RIGHTS
from services.orchestrator.rpc.tournament_rights import TOURNAMENT_RIGHTS
from services.tournament_ledger.rpc.rights import RIGHTS as LEDGER
from shared.kernel.caller import Caller, Role
from shared.rpc.identity import AUTHORIZATION_HEADER, token_of
from shared.rpc.rights import Rights
from tests.batteries.attack.corpus import listen
from tests.batteries.attack.fuzzer import Fuzzer, Outcome
from tests.batteries.attack.generator import CANARY, Generator, Known
from tests.batteries.attack.house import SERVICES, UNLIMITED, House, house
from tests.batteries.attack.planted import PLANTED, assembly
from tests.batteries.attack.play import anyhow, hands_of, open_table, play
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.contract import message_class, methods, path_of
from tests.support.servers import serving

GROWTH_MIB_MAX = 64.0
"""Of one service between a tenth of the inputs and the end: caches fill, nothing else may grow."""
PLANTED_INPUTS_MAX = 12_000
READ_ALL_BOOKS: Final = frozenset({"VerifyJournal"})
"""RPCs that read all that was ever booked: they come before the inputs of others have made the journal long."""
_BY_SERVICE: Mapping[str, tuple[str, Rights]] = {
    "DealerService": ("dealer", DEALER),
    "BettingService": ("betting", BETTING),
    "EvaluatorService": ("evaluator", EVALUATOR),
    "TournamentLedgerService": ("tournament_ledger", LEDGER),
    "TableService": ("orchestrator", TABLE_RIGHTS),
    "TournamentService": ("orchestrator", TOURNAMENT_RIGHTS),
}


def target_of(method: MethodDescriptor) -> tuple[str, list[Role]]:
    """The process that serves an RPC, and the roles that may call it."""
    process, rights = _BY_SERVICE[method.containing_service.name]
    rule = rights.get(method.name)
    return process, list(Role) if rule is None else list(rule)


async def furnish(running: House, known: Known) -> list[str]:
    """Some hands and a tournament, so that names in requests mean something; the players."""
    players = ["ann", "bob", "cid"]
    for table_id in ("tab-1", "tab-2"):
        table = await open_table(running, players, 3, table_id)
        await play(table, 3, anyhow(Random(table_id), 0.2))
        known.add_name("table_id", table_id)
        for hand_id in hands_of(table.events):
            known.add_name("hand_id", hand_id)
    for player_id in players:
        known.add_name("player_id", player_id)
    announce = ledger_pb.AnnounceTournamentRequest()
    announce.ParseFromString(known.requests[announce.DESCRIPTOR.full_name][0])
    announce.tournament_id = "cup"
    await running.ledger.AnnounceTournament(announce)
    known.add_name("tournament_id", "cup")
    known.add_name("currency", "EUR")
    return players


async def oversized(running: House) -> list[str]:
    """One byte more than a service takes, to an RPC of each; what was not refused."""
    wrong: list[str] = []
    for name in SERVICES:
        method = next(each for each in methods() if target_of(each)[0] == name and each.name == "GetServiceInfo")
        metadata = [(AUTHORIZATION_HEADER, token_of(Caller(target_of(method)[1][0], "fuzzer")))]
        channel = await running.raw_channel(name)
        info: Any = message_class(method.output_type.full_name)()
        info.ParseFromString(await channel.unary_unary(path_of(method))(b""))
        most = next(each.value for each in info.info.limits if each.name == "request_bytes_max")
        for size, expected in ((most + 1, grpc.StatusCode.RESOURCE_EXHAUSTED), (most, None)):
            content = b"\xfa\xff\x7f" + _varint(size - 3 - len(_varint(size))) + b"x" * (size - 3 - len(_varint(size)))
            try:
                await channel.unary_unary(path_of(method))(content, metadata=metadata)
                found = None
            except grpc.aio.AioRpcError as error:
                found = error.code()
            if (found is grpc.StatusCode.RESOURCE_EXHAUSTED) != (expected is not None):
                wrong.append(f"{name}: {size} bytes: {found}")
    return wrong


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes((*out, number))


def stored_canaries(folder: Path) -> list[str]:
    """Databases in which something that was sent in an unknown field was stored."""
    found: list[str] = []
    for file in folder.glob("*.sqlite"):
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        dump = "\n".join(connection.iterdump())
        connection.close()
        raw = b"".join(each.read_bytes() for each in folder.glob(f"{file.name}*"))
        if CANARY in raw or CANARY.hex() in dump.lower():
            found.append(file.name)
    return found


async def attack(inputs: int, only: Sequence[MethodDescriptor]) -> tuple[Outcome, list[str], dict[str, float]]:
    """All RPCs of a running house; what came back, what else is wrong, and how far memory grew, by service."""
    known, outcome = Known(), Outcome()
    await listen(known)
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), **dict.fromkeys(SERVICES, UNLIMITED | {"LOG_LEVEL": "error"})) as running:
            players = await furnish(running, known)
            fuzzer = Fuzzer(Generator(known, "S8"), outcome, "S8", players)
            progress, early = Progress("S8", inputs * len(only)), dict[str, float]()
            for share in (inputs // 10 or 1, inputs - (inputs // 10 or 1)):
                for method in only:
                    process, roles = target_of(method)
                    await fuzzer.attack(await running.raw_channel(process), method, roles, share)
                    progress.add(share, f"faults: {len(outcome.faults)}")
                early = early or {name: running.memory_mib(name) for name in running.alive()}
            progress.finish()
            wrong = [f"{name} has crashed" for name in SERVICES if name not in running.alive()]
            wrong += await oversized(running)
            growth = {name: running.memory_mib(name) - early[name] for name in running.alive()}
            verdict = await running.auditor.VerifyJournal(ledger_pb.VerifyJournalRequest(), timeout=300)
            if not verdict.sound:
                wrong.append(f"the books are not sound: {verdict.faults[:2]}")
            await running.tables.ListTables(pb.ListTablesRequest())
        wrong += [f"{name} holds what came in an unknown field" for name in stored_canaries(Path(folder))]
    wrong += [f"{name} grew by {mib:.0f} MiB" for name, mib in growth.items() if mib > GROWTH_MIB_MAX]
    return outcome, wrong, growth


async def bite(inputs_max: int) -> dict[str, int]:
    """How many inputs each planted fault took; those that were not found are missing."""
    known, found = Known(), dict[str, int]()
    await listen(known)
    async with serving(assembly()) as server, grpc.aio.insecure_channel(server.address) as channel:
        for name in PLANTED:
            outcome = Outcome(planted=True)
            method = next(each for each in methods() if each.name == name and "Evaluator" in each.full_name)
            fuzzer = Fuzzer(Generator(known, f"planted {name}"), outcome, "planted")
            while not outcome.faults and outcome.sent < inputs_max:
                await fuzzer.attack(channel, method, [Role.SERVICE], 50)
            if outcome.faults:
                found[name] = outcome.sent
    return found


def fuzzed(inputs: int, only: Sequence[MethodDescriptor] = ()) -> Iterator[Row]:
    """Rows S8a and S8b."""
    chosen = sorted(only or methods(), key=lambda each: each.name not in READ_ALL_BOOKS)
    outcome, wrong, growth = asyncio.run(attack(inputs, chosen))
    for each in (*outcome.faults[:10], *wrong):
        print(f"  fault {each}")
    grown = ", ".join(f"{name} {mib:+.0f}" for name, mib in growth.items())
    yield judged(
        "S8a",
        "10^4 inputs a request type (10^6: SCALE=100): 0 crashes, INTERNAL or UNKNOWN, memory flat, oversize refused",
        f"{len(chosen)} request types, {outcome.sent // len(chosen):,} inputs each, {outcome.sent:,} in all: "
        f"{outcome.answered:,} answered, {outcome.refused.total():,} refused for {len(outcome.refused)} reasons, "
        f"untyped {dict(outcome.untyped)}, {len(outcome.faults)} faults, {len(wrong)} other; MiB: {grown}",
        holds=not outcome.faults and not wrong,
    )
    found = asyncio.run(bite(PLANTED_INPUTS_MAX))
    yield judged(
        "S8b",
        f"faults planted in {len(PLANTED)} RPCs of a service: each found, or the fuzzer is blind",
        f"found after so many inputs: {', '.join(f'{name} {count}' for name, count in found.items())}",
        holds=set(found) == set(PLANTED),
    )
