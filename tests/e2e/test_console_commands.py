"""Commands against a suite that runs: what people type in a second terminal."""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from services.console.adapters.calls import connect, until
from services.console.adapters.ledger import Ledger
from services.console.adapters.screen import PlainScreen
from services.console.adapters.suite import Suite
from services.console.adapters.tournaments import Tournaments
from services.console.commands.demo_evening import Evening
from services.console.domain.contest import plan_contest
from shared.kernel.caller import Role

pytestmark = pytest.mark.process
COMMAND_SECONDS = 30.0
TOURNAMENT_SECONDS = 120.0


def _environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}


async def _started(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.console",
        *arguments,
        env=_environ(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def _ended(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    out, errors = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
    return process.returncode, out.decode(), errors.decode()


async def _typed(*arguments: str) -> tuple[int | None, str, str]:
    return await _ended(await _started(*arguments))


async def test_a_fresh_suite_has_sound_books_and_no_table(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()) as suite:
        ledger, orchestrator = suite.address("tournament_ledger"), suite.address("orchestrator")
        code, out, _ = await _typed("audit", "--ledger", ledger)
        assert (code, out.splitlines()[0][:13]) == (0, "ledger: sound")
        code, _, errors = await _typed("table", "--orchestrator", orchestrator)
        assert (code, errors) == (1, f"sevenstud: no table is open at {orchestrator}\n")
        code, _, errors = await _typed(
            "robots", "--tournament", "none", "--players", "ada", "--orchestrator", orchestrator, "--ledger", ledger
        )
        assert code == 1
        assert "(NOT_FOUND)" in errors


async def test_robots_take_players_who_are_registered_already(tmp_path: Path) -> None:
    contest = plan_contest(2, starting_stack_chips=200)
    async with AsyncExitStack() as stack:
        suite = await stack.enter_async_context(Suite(tmp_path, _environ()))
        ledger, orchestrator = suite.address("tournament_ledger"), suite.address("orchestrator")
        house = Ledger(await stack.enter_async_context(connect(ledger, Role.OPERATOR, "console")))
        cashier = Ledger(await stack.enter_async_context(connect(ledger, Role.BACKEND, "cashier")))
        director = Tournaments(await stack.enter_async_context(connect(orchestrator, Role.OPERATOR, "console")))
        tournament_id = await house.announce(contest)
        for player in contest.players:
            await cashier.fund(player, contest.deposit_minor, contest.currency)
            await cashier.register(tournament_id, player)
        await director.start(tournament_id)
        players, addresses = ",".join(contest.players), ("--orchestrator", orchestrator, "--ledger", ledger)
        code, out, errors = await _typed("robots", "--tournament", tournament_id, "--players", players, *addresses)
    assert code == 0, errors
    assert json.loads(out)["refused_count"] == 0


async def test_where_no_suite_runs_the_address_is_named() -> None:
    code, _, errors = await _typed("audit", "--ledger", "127.0.0.1:9")
    assert code == 1
    assert errors == (
        "sevenstud: no answer from 127.0.0.1:9 within 3 s: is the suite up (sevenstud up), "
        "and does it want certificates from us, or none?\n"
    )


@pytest.mark.slow
async def test_a_spectator_in_another_terminal_sees_the_table_to_its_end(tmp_path: Path) -> None:
    contest = plan_contest(2, starting_stack_chips=400)
    screen = PlainScreen(every_line=False)
    async with Suite(tmp_path, _environ()) as suite:
        evening = Evening(suite, contest, _environ(), seed=3, delay_seconds=0.2)
        playing = asyncio.create_task(evening.run(screen, TOURNAMENT_SECONDS))
        await until(partial(_is_shown, screen))
        watching = await _started("table", "--plain", "--orchestrator", suite.address("orchestrator"))
        result = await playing
        code, out, errors = await _ended(watching)
    assert result.faults == ()
    assert code == 0, errors
    assert out.count("third street  ") >= out.count("\nhand "), out  # of each hand that began before its eyes
    assert "\nthe pot of " in out
    assert out.endswith("is out in place 2\nthe table is closed\n")


async def _is_shown(screen: PlainScreen) -> bool:
    return screen.show.table is not None
