"""L1: sums stay zero after every one of 10^6 random operations; L14: the operations were the right ones."""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random
from typing import Any, Final

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.storage.database import ConstraintViolated, Statement
from tests.batteries.ledger import cash_operations as cash
from tests.batteries.ledger import late_operations as late
from tests.batteries.ledger import tournament_operations as tournaments
from tests.batteries.ledger import wallet_operations as wallets
from tests.batteries.ledger.in_process import InProcessLedger, ledger_in_process
from tests.batteries.ledger.world import Operation, Tally, World
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged

WORLD_OPERATIONS: Final = 4_000
CLIENTS: Final = 12
PROCESSES: Final = 2
EVERY: Final[tuple[tuple[int, Operation], ...]] = (
    (3, wallets.open_wallet),
    (8, wallets.deposit),
    (5, wallets.withdraw),
    (4, wallets.place_hold),
    (4, wallets.resolve_hold),
    (2, wallets.let_time_pass),
    (2, wallets.read_a_wallet),
    (4, cash.open_table),
    (7, cash.buy_in),
    (4, cash.cash_out),
    (6, cash.play_hand),
    (4, tournaments.announce),
    (9, tournaments.register),
    (3, tournaments.unregister),
    (3, tournaments.start),
    (14, tournaments.play_hand),
    (6, tournaments.rebuy),
    (4, tournaments.add_on),
    (2, tournaments.next_level),
    (3, tournaments.move),
    (1, tournaments.cancel),
    (2, tournaments.read_an_event),
    (2, late.re_enter),
    (1, late.release_second_chance),
    (2, late.propose_deal),
    (3, late.accept_deal),
    (1, late.end_hand_for_hand_round),
    (3, late.next_round),
)
REASONS: Final = (
    "REQUEST_INVALID",
    "RULES_INVALID",
    "REQUEST_ID_REUSED",
    "NOT_PERMITTED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "VERSION_CONFLICT",
    "OUT_OF_STEP",
    "SEAT_TAKEN",
    "ALREADY_SEATED",
    "NOT_SEATED",
    "BUY_IN_NOT_ALLOWED",
    "FUNDS_INSUFFICIENT",
    "SPEND_CAP_REACHED",
    "CURRENCY_MISMATCH",
    "HOLD_RESOLVED",
    "TOURNAMENT_STATE",
    "REGISTRATION_CLOSED",
    "TOURNAMENT_FULL",
    "ALREADY_REGISTERED",
    "NOT_REGISTERED",
    "REBUY_NOT_ALLOWED",
    "ADD_ON_NOT_ALLOWED",
    "RE_ENTRY_NOT_ALLOWED",
    "DEAL_NOT_ALLOWED",
    "CHIPS_NOT_CONSERVED",
    "PAGE_TOKEN_INVALID",
)
"""Every reason that the ledger can give to these requests."""


async def _client(world: World, until: int) -> None:
    weights, operations = [each[0] for each in EVERY], [each[1] for each in EVERY]
    while world.tally.operations < until:
        await world.rng.choices(operations, weights)[0](world)


async def _play(seed: str, operations: int) -> Tally:
    """One world from its first wallet to a check of all of its books."""
    tally = Tally()
    async with ledger_in_process() as ledger:
        world = World(ledger, seed, tally)
        for _ in range(30):
            await wallets.open_wallet(world)
            await wallets.deposit(world)
        await asyncio.gather(*(_client(world, operations) for _ in range(CLIENTS)))
        verdict = await ledger.call("VerifyJournal", pb.VerifyJournalRequest())
        if not verdict.sound:
            tally.faults.append(f"{seed}: the books are not sound: {verdict.faults}")
        tally.faults += [f"{seed}: {each}" for each in await schema_lets_through(ledger)]
    return tally


def play_world(seed: str, operations: int) -> Tally:
    """A world in a process of its own."""
    return asyncio.run(_play(seed, operations))


async def schema_lets_through(ledger: InProcessLedger) -> list[str]:
    """What of the impossible the database itself would write down: nothing."""
    wallet = "SELECT account_id FROM ledger_accounts WHERE kind = 'PLAYER_WALLET' ORDER BY account_id LIMIT 2"
    one, two = (str(row[0]) for row in await ledger.store.read(wallet))
    entry: Any = (await ledger.store.read("SELECT book, number FROM ledger_journal ORDER BY number DESC LIMIT 1"))[0]
    insert = (
        "INSERT INTO ledger_postings (book, number, position, from_account_id, to_account_id, amount, unit) "
        "VALUES (?, ?, 900, ?, ?, ?, ?)"
    )
    attempts = {
        "a negative wallet": ("UPDATE ledger_accounts SET balance = -1 WHERE account_id = ?", (one,)),
        "a posting to nobody": (insert, (*entry, one, "nobody", 5, "EUR")),
        "a posting from nobody": (insert, (*entry, "nobody", one, 5, "EUR")),
        "a posting of nothing": (insert, (*entry, one, two, 0, "EUR")),
        "a posting of less than nothing": (insert, (*entry, one, two, -5, "EUR")),
        "a posting to itself": (insert, (*entry, one, one, 5, "EUR")),
        "a posting in another unit": (insert, (*entry, one, two, 5, "XTS")),
        "a posting of no entry": (insert, ("no-book", 1, one, two, 5, "EUR")),
    }
    written: list[str] = []
    for name, (sql, params) in attempts.items():
        try:
            await ledger.store.write([Statement(sql, params)])
        except ConstraintViolated:
            continue
        written.append(f"the database wrote down {name}")
    return written


def sums_and_generator(operations: int) -> Iterator[Row]:
    """Rows L1 and L14."""
    seed = Random().getrandbits(32)
    each = min(WORLD_OPERATIONS, max(operations // PROCESSES, 200))
    worlds = -(-operations // each)
    progress, tally, began = Progress("L1 random operations", operations), Tally(), time.monotonic()
    spawned = get_context("spawn")  # a process that has used gRPC must not be forked
    with ProcessPoolExecutor(PROCESSES, mp_context=spawned) as pool:
        for found in pool.map(play_world, [f"{seed}/{at}" for at in range(worlds)], [each] * worlds):
            tally.add(found)
            progress.add(found.operations, f"faults: {len(tally.faults)}")
    progress.finish()
    seconds = time.monotonic() - began
    for fault in tally.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L1",
        f"{operations:,} random operations, every unit sums to zero after each; the database refuses the rest",
        f"{tally.operations:,} operations ({tally.operations / seconds:,.0f}/s), {len(tally.faults)} faults, "
        f"seed {seed}",
        holds=not tally.faults and tally.operations >= operations,
    )
    yield generator(tally, operations)


def generator(tally: Tally, operations: int) -> Row:
    """Row L14: were all refusals met, and neither too many nor too few."""
    wanted = 100 if operations >= 100_000 else 1
    for reason in (*REASONS, *sorted(set(tally.refused) - set(REASONS))):
        print(f"  {reason:<24} {tally.refused[reason]:>9,}")
    for method, count in tally.by_method.most_common():
        print(f"  {method:<24} {count:>9,}")
    rare = [reason for reason in REASONS if tally.refused[reason] < wanted]
    share = tally.succeeded / max(tally.operations, 1)
    found = f"{len(REASONS) - len(rare)} of {len(REASONS)} reasons so often, success share {share:.0%}"
    return judged(
        "L14",
        f"each error reason at least {wanted} times, success share 20 to 80 %",
        found + (f"; too rare: {', '.join(rare)}" if rare else ""),
        holds=not rare and 0.2 <= share <= 0.8,
    )
