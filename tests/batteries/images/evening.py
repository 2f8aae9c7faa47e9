"""A short tournament of robots, from outside, through a suite that is somewhere."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass

from services.console.adapters.calls import connect, until
from services.console.adapters.ledger import Ledger
from services.console.adapters.tournaments import Tournaments
from services.console.domain.contest import plan_contest
from shared.kernel.caller import Role

PLAYERS = 4
STACK_CHIPS = 300
PATIENCE_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Played:
    """What became of it."""

    actions: int
    faults: tuple[str, ...]


async def played(orchestrator: str, ledger: str) -> Played:
    """Announce, register, play to the last chip, verify the books."""
    contest = plan_contest(PLAYERS, STACK_CHIPS, 1)
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE_SECONDS):
        enter = stack.enter_async_context
        operator = Ledger(await enter(connect(ledger, Role.OPERATOR, "tester")))
        auditor = Ledger(await enter(connect(ledger, Role.AUDITOR, "tester")))
        cashier = Ledger(await enter(connect(ledger, Role.BACKEND, "cashier")))
        director = Tournaments(await enter(connect(orchestrator, Role.OPERATOR, "tester")))
        for player in contest.players:
            await cashier.fund(player, contest.deposit_minor, contest.currency)
        tournament_id = await operator.announce(contest)
        options = ("--tournament", tournament_id, "--players", ",".join(contest.players), "--delay", "0")
        where = ("--orchestrator", orchestrator, "--ledger", ledger)
        command = (sys.executable, "-m", "services.console", "robots", *options, *where)
        robots = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)

        async def complete() -> bool:
            return await operator.entrants_count(tournament_id) == PLAYERS

        async def finished() -> bool:
            return await operator.is_finished(tournament_id)

        try:
            await until(complete)
            await director.start(tournament_id)
            await until(finished)
            said, _ = await robots.communicate()
        finally:
            if robots.returncode is None:
                robots.kill()
        check = await auditor.verify()
    faults = [f"the robots ended with {robots.returncode}"] if robots.returncode else []
    if not check.zero_sum:
        faults.append(f"the books do not verify: {check}")
    return Played(json.loads(said)["actions_count"], tuple(faults))
