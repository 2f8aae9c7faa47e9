"""A service that lacks less than a hand is named, too, before anybody plays.

An orchestrator would let players act once more who have seen the cards that come, or deal a hand again that they know;
a ledger could book no hand whose sheet it lacks, and keep the chips of who left; a dealer could prove no hand that it
does not know to be over.
"""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_pb2 import TABLE_STATE_PAUSED
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.orchestrator.adapters.remote import request_id
from services.orchestrator.domain.recording import hand_id_of
from shared.rpc.rules import preset_messages
from tests.contract.test_restored_alone import House, copy, restored, said_at_start
from tests.support.ledger_house import fresh
from tests.support.servers import calling
from tests.support.table_suite import OPERATOR, PlayedTable, card_room, open_table
from tests.support.tournament_lobby import quick

LIVE, BEFORE, AFTER = "live", "before", "after"
PASSIVE = ("bring_in", "check", "call")


@asynccontextmanager
async def house_in(root: Path, name: str = LIVE) -> AsyncGenerator[House]:
    """A house whose tables may be closed, over the databases of this name."""
    (root / name).mkdir(exist_ok=True)
    async with House(root / name) as house, calling(house.address, OPERATOR) as channel:
        house.house = TableServiceStub(channel)
        yield house


def kept(root: Path, moment: str) -> None:
    """Backups of all three, and the dealer's keys."""
    copy(root / LIVE, root / moment)
    shutil.copy(root / LIVE / "dealer.keys", root / moment)


async def said_of_the_older(service: str, root: Path) -> str:
    """What an orchestrator says at its start where this one is older; either moment by itself is well."""
    assert await said_at_start(root / BEFORE) == ""
    assert await said_at_start(root / AFTER) == ""
    restored(root, root / "mixed", AFTER, service, BEFORE)
    shutil.copy(root / AFTER / "dealer.keys", root / "mixed")
    return await said_at_start(root / "mixed")


async def next_street(table: PlayedTable) -> None:
    """Everybody checks, or pays the least, until one more street is dealt."""
    street = (await table.until(lambda found: found.HasField("turn"))).street
    while (view := await table.until(lambda found: found.HasField("turn"))).street == street:
        legal = {ActionKind.Name(each.kind).removeprefix("ACTION_KIND_").lower() for each in view.turn.legal.actions}
        await table.act(view.turn.seat, next(kind for kind in PASSIVE if kind in legal))


@pytest.mark.parametrize("streets", [1, 2, 4])
async def test_an_orchestrator_that_lacks_the_street_that_was_dealt_since_is_named(
    streets: int, tmp_path: Path
) -> None:
    async with house_in(tmp_path) as house:
        table = await open_table(house, card_room(), hands_max=1)
        await table.sit("ann", "bob")
        await table.resume()
        for _ in range(streets - 1):
            await next_street(table)
        await table.turn()
        kept(tmp_path, BEFORE)
        await next_street(table)
        kept(tmp_path, AFTER)
    assert "the orchestrator is older" in await said_of_the_older("orchestrator", tmp_path)


async def test_an_orchestrator_that_lacks_a_tournament_in_its_first_hand_is_named(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        tournament_id = await house.announce(quick(), ["dan", "eve"])
        kept(tmp_path, BEFORE)
        (table_id,) = (await house.start(tournament_id)).table_ids
        table = PlayedTable(house, table_id)
        await next_street(table)
        kept(tmp_path, AFTER)
    assert "the orchestrator is older" in await said_of_the_older("orchestrator", tmp_path)


async def test_a_ledger_that_lacks_the_sheet_of_the_hand_in_play_is_named(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        table = await open_table(house, card_room(), hands_max=1)
        await table.sit("ann", "bob")
        kept(tmp_path, BEFORE)
        await table.resume()
        await table.turn()
        kept(tmp_path, AFTER)
    assert "the ledger is older: table" in await said_of_the_older("ledger", tmp_path)


async def test_a_dealer_that_does_not_know_that_the_hand_is_over_is_named(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        table = await open_table(house, card_room(), hands_max=1)
        await table.sit("ann", "bob")
        await table.resume()
        await table.act((await table.turn()).seat, "bring_in")
        seat = (await table.turn()).seat
        kept(tmp_path, BEFORE)
        await table.act(seat, "fold")
        await table.hand(1)
        kept(tmp_path, AFTER)
    assert "the dealer is older" in await said_of_the_older("dealer", tmp_path)


async def test_a_ledger_that_lacks_who_left_a_table_before_it_was_closed_is_named(tmp_path: Path) -> None:
    """Their chips would stay in its book for ever: nobody asks for them at a table that is closed."""
    async with house_in(tmp_path) as house:
        table = await open_table(house, card_room())
        await table.sit("ann", "bob")
        kept(tmp_path, BEFORE)
        await house.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))
        kept(tmp_path, AFTER)
    assert "the orchestrator or the ledger is older: table" in await said_of_the_older("ledger", tmp_path)


async def test_a_dealer_that_dealt_the_first_hand_of_a_table_before_deals_it_to_nobody_again(tmp_path: Path) -> None:
    """Orchestrator and ledger restored together: neither knows the table, which is begun anew with its former name."""
    mixed = tmp_path / "mixed"
    async with house_in(tmp_path) as house:
        tournament_id = await house.announce(quick(), ["dan", "eve"])
        kept(tmp_path, BEFORE)
        (table_id,) = (await house.start(tournament_id)).table_ids
        await next_street(PlayedTable(house, table_id))
        kept(tmp_path, AFTER)
    copy(tmp_path / AFTER, mixed, ("dealer",))
    copy(tmp_path / BEFORE, mixed, ("ledger", "orchestrator"))
    shutil.copy(tmp_path / LIVE / "dealer.keys", mixed)
    assert await said_at_start(mixed) == ""
    async with house_in(tmp_path, "mixed") as house:
        table = PlayedTable(house, (await house.start(tournament_id)).table_ids[0])
        view = await table.until(lambda found: found.HasField("turn"))
        assert view.hand_number == 2
        hands = (await house.tables.ListHands(pb.ListHandsRequest(table_id=table_id))).hands
        assert [hand.voided for hand in hands] == [True]


async def hands_at_the_table(house: House, *, prepared: bool) -> list[bool]:
    """The first hand is one for three, whom cid then leaves; where it was prepared for them only, it is void already.

    Which of the hands are void when somebody is to act without cid.
    """
    table = await open_table(house, card_room(), table_id="back-again", hands_max=1)
    await table.sit("ann", "bob", "cid")
    if prepared:
        await house.dealer.OpenHand(prepared_for(table))  # as by an orchestrator that was killed right after it
        await leave(house, table, "cid")
    await table.resume()
    await table.until(lambda found: found.state == TABLE_STATE_PAUSED)  # the first hand is void
    if not prepared:
        await leave(house, table, "cid")
    while not (view := await table.view()).HasField("turn"):
        if view.state == TABLE_STATE_PAUSED:
            await table.resume()
    listed = (await house.tables.ListHands(pb.ListHandsRequest(table_id=table.table_id))).hands
    return [hand.voided for hand in reversed(listed)]


def prepared_for(table: PlayedTable) -> dealer_pb.OpenHandRequest:
    """What an orchestrator asks the dealer for, before the first hand of a table at which three sit."""
    hand_id = hand_id_of(table.table_id, 1)
    return dealer_pb.OpenHandRequest(
        request_id=request_id("dealer", "open_hand", hand_id),
        hand_id=hand_id,
        table_id=table.table_id,
        hand_number=1,
        seats=(1, 2, 3),
        rules=preset_messages()["card_room"].hand,
    )


async def leave(house: House, table: PlayedTable, player_id: str) -> None:
    await house.tables.Leave(pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id=player_id))


async def test_a_hand_that_was_dealt_is_not_dealt_again_after_one_that_was_only_prepared(tmp_path: Path) -> None:
    """The dealer knows both of them; that nobody saw the first one says nothing of the second."""
    mixed = tmp_path / "mixed"
    async with house_in(tmp_path) as house:
        kept(tmp_path, BEFORE)
        assert await hands_at_the_table(house, prepared=True) == [True]
        kept(tmp_path, AFTER)
    copy(tmp_path / AFTER, mixed, ("dealer",))
    copy(tmp_path / BEFORE, mixed, ("ledger", "orchestrator"))
    shutil.copy(tmp_path / LIVE / "dealer.keys", mixed)
    assert await said_at_start(mixed) == ""
    async with house_in(tmp_path, "mixed") as house:
        assert await hands_at_the_table(house, prepared=False) == [True, True]
