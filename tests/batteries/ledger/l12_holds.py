"""L12: every hold ends exactly once, whoever of posting, voiding and time comes first."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import Reason
from tests.batteries.ledger.in_process import InProcessLedger, ledger_in_process
from tests.batteries.ledger.world import outcome
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import SetClock, euro

ROUND = 50
RICH = 10**12
SECONDS_LEFT = (0.0, 0.05, 0.1, 0.2)
_ENDS = (
    "SELECT kind, COUNT(*) FROM ledger_journal WHERE kind IN ('HOLD_POSTED', 'HOLD_VOIDED', 'HOLD_EXPIRED') "
    "GROUP BY kind"
)
_ONCE = "SELECT state, COUNT(*) FROM ledger_holds GROUP BY state"


@dataclass
class CreepingClock(SetClock):
    """Every look at it takes a while, so that the end of a hold falls into the middle of a race."""

    creeps: bool = False

    def now(self) -> datetime:
        if self.creeps:
            self.at += timedelta(milliseconds=1)
        return self.at


async def _place(ledger: InProcessLedger) -> str:
    request = pb.PlaceHoldRequest(request_id=str(uuid.uuid4()), player_id="ann", amount=euro(3))
    request.lasts.FromSeconds(10)
    answer = await ledger.call("PlaceHold", request)
    return str(answer.hold_id)


async def _resolve(ledger: InProcessLedger, method: str, hold_id: str, won: Counter[str]) -> str:
    kind = pb.PostHoldRequest if method == "PostHold" else pb.VoidHoldRequest
    answer, refusal = await outcome(ledger.call(method, kind(request_id=str(uuid.uuid4()), hold_id=hold_id)))
    if answer is not None:
        won[hold_id] += 1
        return method
    return "" if refusal is Reason.HOLD_RESOLVED else f"fault: {method} is refused with {refusal}"


async def race(
    ledger: InProcessLedger, clock: CreepingClock, rng: Random, seconds_left: float
) -> tuple[Counter[str], list[str]]:
    """One round: so many holds, each posted and voided at the same moment while their time ends."""
    clock.creeps = False
    holds = [await _place(ledger) for _ in range(ROUND)]
    won: Counter[str] = Counter()
    calls = [(method, hold_id) for hold_id in holds for method in ("PostHold", "VoidHold")]
    rng.shuffle(calls)
    clock.pass_seconds(10 - seconds_left)
    clock.creeps = True
    ends = await asyncio.gather(
        *(_resolve(ledger, method, hold_id, won) for method, hold_id in calls),
        *(ledger.chores.expire_holds() for _ in range(3)),
    )
    clock.creeps = False
    clock.pass_seconds(60)
    await ledger.chores.expire_holds()
    faults = [str(end) for end in ends if str(end).startswith("fault")]
    faults += [f"hold {hold_id} was resolved {times} times" for hold_id, times in won.items() if times > 1]
    return Counter(str(end) for end in ends if end in {"PostHold", "VoidHold"}), faults


async def _run(holds: int, seed: int) -> tuple[Counter[str], list[str]]:
    clock, rng = CreepingClock(), Random(seed)
    progress, told, faults = Progress("L12 holds raced", holds), Counter[str](), list[str]()
    async with ledger_in_process(clock) as ledger:
        await ledger.call(
            "OpenAccount", pb.OpenAccountRequest(request_id=str(uuid.uuid4()), player_id="ann", currency="EUR")
        )
        await ledger.call(
            "Deposit", pb.DepositRequest(request_id=str(uuid.uuid4()), player_id="ann", amount=euro(RICH))
        )
        for turn in range(holds // ROUND):
            won, found = await race(ledger, clock, rng, SECONDS_LEFT[turn % len(SECONDS_LEFT)])
            told.update(won)
            faults += found
            progress.add(ROUND, f"faults: {len(faults)}")
        progress.finish()
        booked = {str(kind): int(str(count)) for kind, count in await ledger.store.read(_ENDS)}
        states = {str(state): int(str(count)) for state, count in await ledger.store.read(_ONCE)}
        told["expired"] = booked.get("HOLD_EXPIRED", 0)
        wanted = {"POSTED": told["PostHold"], "VOIDED": told["VoidHold"], "EXPIRED": told["expired"]}
        if {**dict.fromkeys(wanted, 0), **states} != wanted or sum(booked.values()) != sum(wanted.values()):
            faults.append(f"holds {states}, entries {booked}, answers {dict(told)}")
        balance = await ledger.call("GetBalance", pb.GetBalanceRequest(player_id="ann", currency="EUR"))
        if (balance.balance.available.amount_minor, balance.balance.held.amount_minor) != (
            RICH - 3 * told["PostHold"],
            0,
        ):
            faults.append(f"the wallet holds {balance.balance}")
        faults += [str(each) for each in await ledger.uneven()]
    return told, faults


def holds_end(holds: int) -> Iterator[Row]:
    """Row L12."""
    seed = Random().getrandbits(32)
    told, faults = asyncio.run(_run(holds, seed))
    for fault in faults[:10]:
        print(f"  fault {fault}")
    all_met = all(told[each] > holds // 100 for each in ("PostHold", "VoidHold", "expired"))
    yield judged(
        "L12",
        f"{holds:,} holds, each posted, voided and running out at once: one winner each",
        f"{told['PostHold']:,} posted, {told['VoidHold']:,} voided, {told['expired']:,} expired, "
        f"{len(faults)} faults, seed {seed}",
        holds=not faults and all_met and sum(told.values()) == holds // ROUND * ROUND,
    )
