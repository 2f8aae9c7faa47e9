"""The ledger: postings beside a plain call and append and beside the raw group commit; a page of standings."""

import asyncio
import time
from collections.abc import Callable
from itertools import count
from typing import Final

from sevenstud.common.v1.rule_options_pb2 import FORMULA_MULTI_TABLE
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.storage.database import Statement, Store
from tests.bench.calls import PlainFloor, add_rates, milliseconds
from tests.bench.group_commit import GroupCommit
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row
from tests.support.ledger_house import announcement, euro, fresh, tournament_rules

SECTION: Final = "ledger"
IN_FLIGHT: Final = 64
ROW_BYTES: Final = 600
PAGE: Final = 50
CALLS: Final = 20
EMPTY_CALLS: Final = 5


async def bench_ledger(findings: Findings, options: Options, house: House, floor: PlainFloor) -> None:
    """Postings a second."""
    request = await _deposits(house)

    async def ours() -> object:
        return await house.ledger.Deposit(request())

    answered = (await house.ledger.Deposit(request())).ByteSize()
    row = Row(
        section=SECTION,
        name=f"deposits into one book, {IN_FLIGHT} in flight",
        unit="postings a second",
        ours=(),
        beside="one plain call and append",
        target=0.5,
    )
    plain = floor.call(request().ByteSize(), answered, ROW_BYTES)
    await add_rates(findings, options, row, (ours, plain), IN_FLIGHT)
    raw = tuple([await _raw_appends(house, options.seconds) for _ in range(options.rounds)])
    name = f"raw group commit without any call, {IN_FLIGHT} waiting (for comparison)"
    findings.add(Row(section=SECTION, name=name, unit="rows a second", ours=raw))


async def bench_ledger_on_postgres(findings: Findings, options: Options, house: House, store: Store) -> None:
    """The same, beside one row a write on the same server."""
    request, numbers = await _deposits(house), count()
    await store.write([Statement("CREATE TABLE raw_rows (number BIGINT PRIMARY KEY, content BYTEA)", ())])

    async def ours() -> object:
        return await house.ledger.Deposit(request())

    async def raw() -> object:
        insert = "INSERT INTO raw_rows (number, content) VALUES (?, ?)"
        await store.write([Statement(insert, (next(numbers), bytes(ROW_BYTES)))])
        return None

    row = Row(
        section=SECTION,
        name=f"deposits into one book on PostgreSQL, {IN_FLIGHT} in flight",
        unit="postings a second",
        ours=(),
        beside="one row a write, no call",
        target=0.5,
    )
    await add_rates(findings, options, row, (ours, raw), IN_FLIGHT)


async def _deposits(house: House) -> Callable[[], pb.DepositRequest]:
    """Players with an account; each call gives the next of them a cent."""
    players, numbers = [f"payer-{number}" for number in range(IN_FLIGHT)], count()
    for player in players:
        await house.fund(player, 1)

    def request() -> pb.DepositRequest:
        player = players[next(numbers) % IN_FLIGHT]
        return pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(1), reference="bench")

    return request


async def _raw_appends(house: House, seconds: float) -> float:
    log = GroupCommit(house.folder / f"raw-{fresh()}.sqlite")
    end, done = time.perf_counter() + seconds, 0

    async def loop() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await log.append(bytes(ROW_BYTES))
            done += 1

    await asyncio.gather(*(loop() for _ in range(IN_FLIGHT)))
    log.close()
    return done / seconds


async def bench_standings(findings: Findings, options: Options, house: House, floor: PlainFloor) -> None:
    """A page of the standings of a large tournament."""
    rules = tournament_rules(formula=FORMULA_MULTI_TABLE)
    announced = announcement(rules, fee=euro(100), entrants_max=max(9, options.entrants), seats_per_table=8)
    tournament = await house.ledger.AnnounceTournament(
        pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announced)
    )
    tournament_id = tournament.tournament.tournament_id
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def enter(number: int) -> None:
        async with gate:
            player = f"entrant-{number}"
            await house.fund(player, 1000)
            request = pb.RegisterRequest(request_id=fresh(), tournament_id=tournament_id, player_id=player)
            await house.ledger.Register(request)

    await asyncio.gather(*(enter(number) for number in range(options.entrants)))

    async def page() -> object:
        return await house.ledger.GetStandings(pb.GetStandingsRequest(tournament_id=tournament_id, page_size=PAGE))

    empty = floor.call(8, 8)
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(options.rounds):
        mine.append(await milliseconds(page, CALLS))
        theirs.append(await milliseconds(empty, CALLS) * EMPTY_CALLS)
    findings.add(
        Row(
            section=SECTION,
            name=f"a page of {PAGE} standings of {options.entrants:,} entrants",
            unit="ms",
            ours=tuple(mine),
            beside=f"{EMPTY_CALLS} empty calls",
            floor=tuple(theirs),
            target=1.0,
            at_most=True,
        )
    )
