"""An auditor takes a journal away and recomputes every balance, place and prize without a line of our code."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.audit.walk import walk
from tests.support.journal_export import WALK, export, walk_apart
from tests.support.ledger_house import ledger
from tests.support.servers import calling
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

PLAYERS = ["ann", "bob", "cat", "dan"]


def test_the_walk_imports_nothing_but_the_library_of_python() -> None:
    imported = [
        line.split()[1].split(".")[0] for line in WALK.read_text().splitlines() if line.startswith(("import ", "from "))
    ]
    known = {
        "base64",
        "calendar",
        "collections",
        "fractions",
        "itertools",
        "hashlib",
        "json",
        "pathlib",
        "re",
        "sys",
        "time",
        "typing",
    }
    assert set(imported) <= known


async def test_after_a_tournament_with_real_hands_the_walk_comes_to_the_same_places_prizes_and_wallets(
    tmp_path: Path,
) -> None:
    async with TournamentSuite(tmp_path) as suite:
        tournament_id = await suite.announce(quick(), PLAYERS)
        await suite.start(tournament_id)
        await suite.play(tournament_id)
        standings = await suite.standings(tournament_id)
        target = suite._environ["SEVENSTUD_ORCHESTRATOR_TOURNAMENT_LEDGER_TARGET"]
        async with calling(target, Caller(Role.AUDITOR, "auditor")) as channel:
            stub = TournamentLedgerServiceStub(channel)

            async def ask(method: str, request: Message) -> Any:
                return await getattr(stub, method)(request)

            entries = await export(ask, tmp_path)
    found = walk_apart(tmp_path)
    assert found["faults"] == []
    assert found["entries"] == entries
    event = found["tournaments"][tournament_id]
    assert event["places"] == {player: line.place for player, line in standings.items()}
    assert event["prizes"] == {player: line.prize_minor for player, line in standings.items()}
    for player, line in standings.items():
        assert found["balances"][f"wallet/{player}/EUR"] == line.prize_minor


@pytest.fixture
async def lines(tmp_path: Path) -> list[dict[str, Any]]:
    """The journal of a tournament of four, line by line."""
    async with ledger(tmp_path) as house:
        event = await house.event(PLAYERS)
        await house.hand(event, {"ann": 3_000, "bob": -3_000})
        await house.hand(event, {"ann": 6_000, "cat": -3_000, "dan": -3_000})

        async def ask(method: str, request: Message) -> Any:
            return await getattr(house.auditor, method)(request)

        await export(ask, tmp_path)
    return [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]


def _other_amount(entries: list[dict[str, Any]]) -> None:
    posted = next(each for each in entries if each["kind"] == "ENTRY_KIND_PRIZE_PAID")
    posted["postings"][0]["amount"] = str(int(posted["postings"][0]["amount"]) + 1)


def _other_subject(entries: list[dict[str, Any]]) -> None:
    placed = next(each for each in entries if each["kind"] == "ENTRY_KIND_PLAYER_PLACED")
    placed["subject"] = placed["subject"].replace("place=4", "place=3")


def _swapped(entries: list[dict[str, Any]]) -> None:
    entries[3], entries[4] = entries[4], entries[3]


def _removed(entries: list[dict[str, Any]]) -> None:
    del entries[5]


def _other_hash(entries: list[dict[str, Any]]) -> None:
    entries[2]["hash"] = base64.b64encode(bytes(32)).decode()


def _other_time(entries: list[dict[str, Any]]) -> None:
    entries[2]["at"] = entries[2]["at"].replace("2026", "2025")


@pytest.mark.parametrize("tamper", [_other_amount, _other_subject, _swapped, _removed, _other_hash, _other_time])
async def test_whatever_is_changed_in_the_journal_the_walk_finds_it(
    lines: list[dict[str, Any]], tamper: Callable[[list[dict[str, Any]]], None]
) -> None:
    assert walk(json.dumps(each) for each in lines)["faults"] == []
    tamper(lines)
    assert walk(json.dumps(each) for each in lines)["faults"] != []


async def test_a_tail_that_was_cut_is_found_by_the_head_kept_outside(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "journal.jsonl").write_text("\n".join(json.dumps(each) for each in lines[:-1]))
    assert any("kept outside" in fault for fault in walk_apart(tmp_path)["faults"])


async def test_a_head_that_was_kept_while_the_house_went_on_accuses_nobody(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    older: dict[str, list[Any]] = {}
    for each in lines[:-2]:
        older[each["book"]] = [int(each["number"]), base64.b64decode(each["hash"]).hex()]
    (tmp_path / "heads.json").write_text(json.dumps(older))
    assert walk_apart(tmp_path)["faults"] == []
    for number, digest in ((10**6, "00"), (older[lines[0]["book"]][0], "00" * 32)):
        (tmp_path / "heads.json").write_text(json.dumps(older | {lines[0]["book"]: [number, digest]}))
        assert any("kept outside" in fault for fault in walk_apart(tmp_path)["faults"])
