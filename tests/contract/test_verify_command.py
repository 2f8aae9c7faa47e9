"""`sevenstud verify` over real servers: a hand that five services played, checked by whoever likes to check it."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.__main__ import run
from tests.fairness import verifier
from tests.support.table_suite import PlayedTable, TableSuite, heads_up

PASSIVE = ("BRING_IN", "CHECK", "CALL")


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def played_hand(suite: TableSuite) -> str:
    """A hand with cards that nobody chose, called down to the showdown; its id."""
    table = await heads_up(suite, scripted_hands=[])
    while not await finished(table):
        view = await table.view()
        if not view.HasField("turn"):
            await asyncio.sleep(0.01)
            continue
        legal = {ActionKind.Name(each.kind).removeprefix("ACTION_KIND_") for each in view.turn.legal.actions}
        kind = next(each for each in PASSIVE if each in legal)
        await suite.tables.Act(table.action(view.turn, kind))
    await table.hand(1)
    return f"{table.table_id}.1"


async def finished(table: PlayedTable) -> bool:
    """The first hand is over."""
    lines = await table.suite.tables.ListHands(pb.ListHandsRequest(table_id=table.table_id))
    return bool(lines.hands)


async def verify(suite: TableSuite, *arguments: str) -> int:
    """The exit code of the command, asked of the servers of this suite."""
    addresses = ("--dealer", suite.dealer_address, "--orchestrator", suite.address)
    return await asyncio.to_thread(run, ["verify", *addresses, *arguments], {})


async def test_a_played_hand_is_proved_by_dealer_and_table_and_by_either_alone(
    suite: TableSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_id = await played_hand(suite)
    assert await verify(suite, hand_id) == 0
    whole = capsys.readouterr().out
    assert f"hand {hand_id}, number 1" in whole
    assert "PROVED" in whole
    assert "before the first card" in whole
    assert "hidden: " in whole
    assert "not proved" not in whole
    assert await verify(suite, hand_id, "--dealer", "") == 0
    assert "needs the dealer's record" in capsys.readouterr().out
    assert await verify(suite, hand_id, "--orchestrator", "") == 0
    assert "not at hand" in capsys.readouterr().out


async def test_a_seat_proves_its_own_down_cards(suite: TableSuite, capsys: pytest.CaptureFixture[str]) -> None:
    hand_id = await played_hand(suite)
    assert await verify(suite, hand_id, "--seat", "1") == 0
    out = capsys.readouterr().out
    assert "all 7 own cards of seat 1 are proved, down cards too" in out
    (own,) = (line for line in out.splitlines() if line.strip().startswith("seat 1:"))
    assert own.count("(") == 3


async def test_an_exported_hand_is_proved_from_the_file_also_by_a_program_that_knows_nothing_of_ours(
    suite: TableSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_id, file = await played_hand(suite), tmp_path / "hand.json"
    assert await verify(suite, hand_id, "--seat", "2", "--export", str(file)) == 0
    said = capsys.readouterr().out
    assert await asyncio.to_thread(run, ["verify", str(file)], {}) == 0
    assert said.endswith(capsys.readouterr().out)
    content = json.loads(file.read_text())
    (rules,) = (event["hand_started"]["rules"] for event in content["hand"]["events"] if "hand_started" in event)
    verifier.verify(content["proof"], rules)


async def test_a_file_in_which_a_card_was_changed_is_not_proved(
    suite: TableSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_id, file = await played_hand(suite), tmp_path / "hand.json"
    assert await verify(suite, hand_id, "--export", str(file)) == 0
    content = json.loads(file.read_text())
    cards = content["proof"]["openings"]
    cards[0]["card"], cards[1]["card"] = cards[1]["card"], cards[0]["card"]
    file.write_text(json.dumps(content))
    assert await asyncio.to_thread(run, ["verify", str(file)], {}) == 1
    assert "NOT PROVED" in capsys.readouterr().err


async def test_a_hand_with_chosen_cards_and_a_hand_that_nobody_knows_are_not_proved(
    suite: TableSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    await table.hand(1)
    assert await verify(suite, f"{table.table_id}.1") == 1
    assert "chosen beforehand" in capsys.readouterr().err
    assert await verify(suite, "nobody") == 1
    assert "does not know this hand" in capsys.readouterr().err
    strange = tmp_path / "strange.json"
    strange.write_text("[1]")
    assert await verify(suite, str(strange)) == 1
    assert "holds no record of a hand" in capsys.readouterr().err
