"""A hand that was played here and exported is a record like any other: played again, it agrees."""

import asyncio
import os
import tomllib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.console.adapters.calls import Line
from services.console.adapters.replay_suite import ReplayLines, replay_suite
from services.console.adapters.replayer import Replayer
from services.console.domain.phh_file import read_hands
from services.console.domain.recorded_hand import RecordedHand

pytestmark = pytest.mark.process

HANDS = Path(__file__).parent / "hands"
SECONDS = 120
PLAYED = 12
PRESETS = ("card_room", "regulated_tournament", "classic")


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished hand: who looked at it, and its text for that viewer."""

    viewer: str
    text: str


def records(file: str, text: str) -> list[RecordedHand]:
    return [hand for hand in read_hands(file, text) if isinstance(hand, RecordedHand)]


@asynccontextmanager
async def suite() -> AsyncGenerator[ReplayLines, None]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    environ["SEVENSTUD_EVALUATOR_BATCHES_MAX"] = "1"  # hands that are played at once have to wait for one another
    async with asyncio.timeout(SECONDS), replay_suite(environ) as lines:
        yield lines


async def exported(line: Line) -> list[Exported]:
    """Every hand played so far, as a spectator and as its first player see it."""
    tables = TableServiceStub(line.channel)
    found = list[Exported]()
    listed = await line.ask(tables.ListTables, pb.ListTablesRequest(include_closed=True, page_size=100))
    for table in listed.tables:
        hands = await line.ask(tables.ListHands, pb.ListHandsRequest(table_id=table.table_id))
        for hand in hands.hands:
            for viewer in ("", f"{table.table_id}.p1"):
                request = pb.GetHandRequest(hand_id=hand.hand_id, player_id=viewer, phh=True)
                found.append(Exported(viewer, (await line.ask(tables.GetHand, request)).phh))
    return found


async def test_what_was_exported_agrees_with_what_was_played() -> None:
    made = records("special.phhs", (HANDS / "special.phhs").read_text())
    made += records("random_play.phhs", (HANDS / "random_play.phhs").read_text())[:PLAYED]
    async with suite() as lines:
        replayer = Replayer(lines, "card_room", ())
        first = await asyncio.gather(*(replayer.replay(hand) for hand in made))
        assert [report for report in first if not report.ok] == []

        texts = await exported(lines.backend)
        again = [hand for each in texts for hand in records("exported", each.text)]
        assert len(again) == len(texts) == 2 * len(made)
        second = await asyncio.gather(*(replayer.replay(hand) for hand in again))

    assert [report for report in second if not report.ok] == []
    stacks = {report.final_stacks_chips for report in first}
    assert {report.final_stacks_chips for report in second} == stacks


async def test_a_spectator_s_text_names_no_card_that_stayed_hidden() -> None:
    made = records("special.phhs", (HANDS / "special.phhs").read_text())
    (open_pair,) = (hand for hand in made if hand.name == "open-pair-doubles-fourth-street")
    async with suite() as lines:
        assert (await Replayer(lines, "card_room", ()).replay(open_pair)).ok
        spectator, player = await exported(lines.backend)

    assert "'d dh p1 ????9d'" in spectator.text
    assert "'d dh p2 ????2c'" in spectator.text
    assert "'d dh p1 2h3h9d'" in player.text
    assert "'d dh p2 ????2c'" in player.text


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_hand_exported_under_any_preset_is_told_again(preset: str) -> None:
    made = records("special.phhs", (HANDS / "special.phhs").read_text())
    chosen = [hand for hand in made if hand.name in {"odd-chip", "no-limit"}]
    async with suite() as lines:
        replayer = Replayer(lines, preset, ())
        first = await asyncio.gather(*(replayer.replay(hand) for hand in chosen))
        texts = await exported(lines.backend)
        again = [hand for each in texts for hand in records("exported", each.text)]
        second = await asyncio.gather(*(replayer.replay(hand) for hand in again))

    assert [(report.name, report.reason) for report in (*first, *second) if not report.ok] == []
    assert {hand.preset for hand in again} == {preset}


async def test_an_exported_hand_says_who_sat_where_and_whose_rules_were_played() -> None:
    made = records("special.phhs", (HANDS / "special.phhs").read_text())
    (odd_chip,) = (hand for hand in made if hand.name == "odd-chip")
    async with suite() as lines:
        assert (await Replayer(lines, "classic", ()).replay(odd_chip)).ok
        text = (await exported(lines.backend))[0].text
        (again,) = records("exported", text.replace("p1 cc", "p1 cbr 3", 1))
        report = await Replayer(lines, "card_room", ()).replay(again)

    seats = range(1, odd_chip.players_count + 1)
    table_id = tomllib.loads(text)["_id"].rpartition(".")[0]
    assert tomllib.loads(text)["seats"] == list(seats)
    assert tomllib.loads(text)["players"] == [f"{table_id}.p{seat}" for seat in seats]
    assert "not legal" in report.reason
    assert report.reason.endswith("it was played under the preset classic: try --preset classic")
