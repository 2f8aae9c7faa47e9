"""`sevenstud verify` over real servers: a hand that five services played, checked by whoever likes to check it."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_records import FileRefused, read_records
from services.console.domain.fair_check import check
from services.console.domain.fair_record import Mismatch
from services.dealer.application.proofs import Proofs
from services.orchestrator.application.history import History
from tests.fairness import verifier
from tests.support.ledger_house import fresh
from tests.support.seat_keys import SeatHolder
from tests.support.table_suite import PlayedTable, TableSuite, card_room, heads_up, open_table
from tests.support.told_otherwise import PUBLISHED, events_of, others, swap, without

Json = dict[str, Any]
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


@dataclass(frozen=True, slots=True)
class Ended:
    """How the command ended."""

    code: int
    out: str
    err: str


async def verify(*arguments: str) -> Ended:
    """`sevenstud verify` as people run it, in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.console", "verify", *arguments), stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return Ended(process.returncode or 0, out.decode(), err.decode())


async def verify_of(suite: TableSuite, *arguments: str) -> Ended:
    """The same, asked of the servers of this suite."""
    return await verify("--dealer", suite.dealer_address, "--orchestrator", suite.address, *arguments)


async def test_a_played_hand_is_proved_by_dealer_and_table_and_by_either_alone(suite: TableSuite) -> None:
    hand_id = await played_hand(suite)
    whole = await verify_of(suite, hand_id)
    assert whole.code == 0, whole.err
    for part in (f"hand {hand_id}, number 1", "PROVED", "before the first card", "hidden: "):
        assert part in whole.out
    (limit,) = [line for line in whole.out.splitlines() if "not proved" in line]
    assert "while the hand was played" in limit  # what only who watched it can know
    table_alone = await verify_of(suite, hand_id, "--dealer", "")
    assert (table_alone.code, "needs the dealer's record" in table_alone.out) == (0, True)
    dealer_alone = await verify_of(suite, hand_id, "--orchestrator", "")
    assert (dealer_alone.code, "not at hand" in dealer_alone.out) == (0, True)


async def test_the_proof_of_another_hand_is_no_proof_of_the_one_asked_for(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The house answers with a hand in which all was right, whatever it is asked for."""
    right, table_of, record_of = await played_hand(suite), History.hand, Proofs.get_proof
    monkeypatch.setattr(History, "hand", lambda history, _: table_of(history, right))
    monkeypatch.setattr(Proofs, "get_proof", lambda proofs, _: record_of(proofs, right))
    for arguments in ((), ("--dealer", ""), ("--orchestrator", "")):
        assert (await verify_of(suite, right, *arguments)).code == 0
        other = await verify_of(suite, f"{right}0", *arguments)
        assert (other.code, "NOT PROVED" in other.err, right in other.err) == (1, True, True)


async def test_a_seat_proves_its_own_down_cards(suite: TableSuite) -> None:
    ended = await verify_of(suite, await played_hand(suite), "--seat", "1")
    assert ended.code == 0, ended.err
    assert "all 7 own cards of seat 1 are proved, down cards too" in ended.out
    (own,) = (line for line in ended.out.splitlines() if line.strip().startswith("seat 1:"))
    assert own.count("(") == 3


async def test_a_player_needs_no_rights_but_its_own_to_prove_its_down_cards(suite: TableSuite) -> None:
    hand_id = await played_hand(suite)
    bob = await verify_of(suite, hand_id, "--player", "bob", "--dealer", "")
    assert (bob.code, "all 7 own cards of seat 2 are proved, down cards too" in bob.out) == (0, True)
    stranger = await verify_of(suite, hand_id, "--player", "carl")
    assert (stranger.code, " own cards" in stranger.out) == (0, False)
    assert "not proved: any card of carl" in stranger.out
    assert "any card of" not in bob.out
    mine = await suite.tables.GetHand(pb.GetHandRequest(hand_id=hand_id, player_id="ann", own_openings=True))
    assert {each.seat for each in mine.own_openings} == {1}
    for request in (pb.GetHandRequest(hand_id=hand_id, own_openings=True), pb.GetHandRequest(hand_id=hand_id)):
        assert not (await suite.tables.GetHand(request)).own_openings


async def test_an_exported_hand_is_proved_from_the_file_also_by_a_program_that_knows_nothing_of_ours(
    suite: TableSuite, tmp_path: Path
) -> None:
    hand_id, file = await played_hand(suite), tmp_path / "hand.json"
    asked = await verify_of(suite, hand_id, "--seat", "2", "--export", str(file))
    assert asked.code == 0, asked.err
    assert await verify(str(file)) == asked
    assert verifier.main(str(file)) == 0
    for part, fault in (("proof", "seat"), ("own", "card")):
        assert verifier.main(str(spoiled(file, part, fault))) == 1


async def test_a_program_that_knows_nothing_of_ours_proves_the_cards_that_a_player_alone_saw(
    suite: TableSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_id, file = await played_hand(suite), tmp_path / "hand.json"
    file.touch(0o644)  # an earlier one, which others may read
    assert (await verify_of(suite, hand_id, "--player", "bob", "--export", str(file))).code == 0
    assert file.stat().st_mode & 0o777 == 0o600  # bob's own cards are in it
    content = json.loads(file.read_text())
    opened = {each["position"] for each in content["proof"]["openings"] + content["hand"]["own_openings"]}
    assert verifier.main(str(file)) == 0
    assert f"proved, {len(opened)} cards" in capsys.readouterr().out
    content["hand"]["own_openings"][0]["seat"] = 1
    file.write_text(json.dumps(content))
    assert verifier.main(str(file)) == 1


def spoiled(file: Path, part: str, fault: str) -> Path:
    """The same file with one thing exchanged between two openings of a part."""
    content = json.loads(file.read_text())
    openings = content[part]["openings"]
    first, other = openings[0], next(each for each in openings if each[fault] != openings[0][fault])
    first[fault], other[fault] = other[fault], first[fault]
    changed = file.with_name(f"{part}.json")
    changed.write_text(json.dumps(content))
    return changed


async def test_a_file_in_which_a_card_was_changed_is_not_proved(suite: TableSuite, tmp_path: Path) -> None:
    hand_id, file = await played_hand(suite), tmp_path / "hand.json"
    assert (await verify_of(suite, hand_id, "--export", str(file))).code == 0
    content = json.loads(file.read_text())
    cards = content["proof"]["openings"]
    cards[0]["card"], cards[1]["card"] = cards[1]["card"], cards[0]["card"]
    file.write_text(json.dumps(content))
    ended = await verify(str(file))
    assert (ended.code, ended.out, "NOT PROVED" in ended.err) == (1, "", True)
    assert verifier.main(str(file)) == 1


async def test_a_table_that_published_something_else_than_it_dealt_is_not_proved_by_either_program(
    suite: TableSuite, tmp_path: Path
) -> None:
    """The dealer's record is as it was: what players were told is not."""
    hand_id, file = await played_hand(suite), tmp_path / "hand.json"
    assert (await verify_of(suite, hand_id, "--player", "ann", "--export", str(file))).code == 0
    whole = file.read_text()
    check(read_records(file).evidence())
    assert verifier.main(str(file)) == 0
    proved: list[str] = []
    for name, change in PUBLISHED.items():
        content = json.loads(whole)
        change(content)
        assert content != json.loads(whole), name
        file.write_text(json.dumps(content))
        proved += [f"{name}: alone"] if verifier.main(str(file)) == 0 else []
        with suppress(Mismatch, FileRefused):
            check(read_records(file).evidence())
            proved.append(f"{name}: ours")
    assert not proved


async def test_a_hand_with_chosen_cards_and_a_hand_that_nobody_knows_are_not_proved(
    suite: TableSuite, tmp_path: Path
) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    await table.hand(1)
    strange = tmp_path / "strange.json"
    strange.write_text("[1]")
    for hand, why in (
        (f"{table.table_id}.1", "chosen beforehand"),
        ("nobody", "does not know this hand"),
        (str(strange), "holds no record of a hand"),
    ):
        ended = await verify_of(suite, hand)
        assert (ended.code, ended.out, why in ended.err) == (1, "", True), ended.err


async def shown_when_all_is_over(suite: TableSuite, *, keys: bool = False) -> str:
    """A hand that nobody contests, proved, and shown by its winner afterwards, as people do; its id."""
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit("ann", "bob")
    for holder, player_id in ((SeatHolder(), "ann"), (SeatHolder(), "bob")) if keys else ():
        register = pb.RegisterSeatKeyRequest(
            request_id=fresh(), table_id=table.table_id, player_id=player_id, public_key=holder.public_key
        )
        await suite.tables.RegisterSeatKey(register)
    await table.resume()
    first = await table.turn()
    await table.act(first.seat, "bring_in")
    second = await table.until(lambda view: view.HasField("turn") and view.turn.seat != first.seat)
    await table.act(second.turn.seat, "fold")
    hand = await table.hand(1)
    show = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id=first.player_id, hand_id=hand.hand_id, show=True
    )
    await suite.tables.ShowOrMuck(show)
    return hand.hand_id


@pytest.mark.parametrize("keys", [False, True])
async def test_a_hand_that_its_winner_shows_when_all_is_over_is_proved(
    suite: TableSuite, tmp_path: Path, *, keys: bool
) -> None:
    hand_id, file = await shown_when_all_is_over(suite, keys=keys), tmp_path / "hand.json"
    whole = await verify_of(suite, hand_id, "--export", str(file))
    assert whole.code == 0, whole.err
    assert "1 hand that the table showed" in whole.out
    assert (await verify_of(suite, hand_id, "--dealer", "")).code == 0
    assert verifier.main(str(file)) == 0
    changes: dict[str, Callable[[Json], None]] = {
        "another hand": lambda content: events_of(content, "hand_shown")[-1].update(cards=others(content)[:3]),
        "never shown": lambda content: without(content, "hand_shown"),
        "never opened": lambda content: without(content, "openings_published"),
        "opened as another": lambda content: swap(events_of(content, "openings_published")[-1]["openings"], "card"),
        "opened for another": lambda content: events_of(content, "openings_published")[-1]["openings"][0].update(
            seat=3 - events_of(content, "hand_shown")[-1]["seat"]
        ),
    }
    text = file.read_text()
    for name, change in changes.items():
        content = json.loads(text)
        change(content)
        file.write_text(json.dumps(content))
        assert verifier.main(str(file)) == 1, name
        with pytest.raises(Mismatch):
            check(read_records(file).evidence())
