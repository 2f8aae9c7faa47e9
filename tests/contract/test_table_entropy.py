"""Players add entropy to the next deck: asked when the dealer is bound to its seed, shown to all, bound and proved."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_published import table_record
from services.console.domain.fair_check import check
from services.console.domain.fair_record import DealerRecord, Evidence, Mismatch
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.application.start_hand import ANOTHER_SEED
from services.orchestrator.domain.dealing import Commitment, HandToDeal
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.mirror import from_proto
from tests.fairness import verifier
from tests.support.driven_options import drives
from tests.support.ledger_house import fresh, refused
from tests.support.seat_keys import SeatHolder
from tests.support.servers import calling
from tests.support.table_suite import PATIENCE_SECONDS, PlayedTable, TableSuite, card_room, open_table

AUDITOR = Caller(Role.AUDITOR, "commission")
SECONDS = 20


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def asked(suite: TableSuite, *players: str, hands: int = 1, seconds: int = SECONDS) -> PlayedTable:
    """A table that asks its players before each hand, and is about to start one."""

    def entropy(rules: RuleSet) -> None:
        rules.clock.entropy_seconds = seconds

    table = await open_table(suite, card_room(entropy=entropy), hands_max=hands)
    await table.sit(*(players or ("ann", "bob")))
    await table.resume()
    return table


async def call_of(table: PlayedTable) -> table_pb2.EntropyAsked:
    """What the players are asked for, as soon as they are."""
    return (await table.until(lambda view: view.HasField("entropy_asked"))).entropy_asked


async def add(table: PlayedTable, player_id: str, entropy: bytes, hand_number: int = 1) -> table_pb2.TableView:
    request = pb.AddEntropyRequest(
        request_id=fresh(),
        table_id=table.table_id,
        player_id=player_id,
        hand_id=f"{table.table_id}.{hand_number}",
        entropy=entropy,
    )
    return (await table.suite.tables.AddEntropy(request)).table


async def played(table: PlayedTable) -> pb.GetHandResponse:
    """The hand folded to its end."""
    view = await table.until(lambda each: each.HasField("turn"))
    await table.act(view.turn.seat, "bring_in")
    view = await table.until(lambda each: each.HasField("turn") and each.version > view.version + 1)
    await table.act(view.turn.seat, "fold")
    return await table.hand(view.hand_number)


async def closed_before(table: PlayedTable, hand_id: str) -> bool:
    """Whether watchers were told that the time is over before the hand began."""
    closed = False
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in table.suite.tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=0)):
            closed = closed or item.event.HasField("entropy_closed")
            if item.event.hand_id == hand_id and item.event.HasField("hand_started"):
                break
    return closed


async def proof_of(suite: TableSuite, hand_id: str) -> dealer_pb.GetProofResponse:
    async with calling(suite.dealer_address, AUDITOR) as channel:
        return await DealerServiceStub(channel).GetProof(dealer_pb.GetProofRequest(hand_id=hand_id))


def in_json(message: Message) -> object:
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def verified(found: pb.GetHandResponse, proof: dealer_pb.GetProofResponse, tmp_path: Path) -> list[str]:
    """Both verifiers prove the hand; what ours says."""
    file = tmp_path / "hand.json"
    file.write_text(json.dumps({"hand": in_json(found), "proof": in_json(proof)}))
    assert verifier.main(str(file)) == 0
    return check(Evidence(record=from_proto(proof, DealerRecord), table=table_record(found))).lines


async def test_what_players_add_is_shown_bound_into_the_deck_and_proved(suite: TableSuite, tmp_path: Path) -> None:
    table = await asked(suite)
    call = await call_of(table)
    assert (call.hand_id, call.hand_number) == (f"{table.table_id}.1", 1)
    assert (list(call.seats), list(call.asked_seats)) == ([1, 2], [1, 2])
    assert len(call.seed_commitment) == 32
    async with suite.as_player("bob") as bob:
        request = pb.AddEntropyRequest(
            request_id=fresh(), table_id=table.table_id, player_id="bob", hand_id=call.hand_id, entropy=b"bob's dice"
        )
        first, again = await bob.AddEntropy(request), await bob.AddEntropy(request)
        assert first == again
    await add(table, "ann", bytes(range(64)))
    found = await played(table)
    started = found.events[0].hand_started
    assert started.seed_commitment == call.seed_commitment
    told = [(each.seat, each.entropy) for each in started.entropy]
    assert told == [(2, b"bob's dice"), (1, bytes(range(64)))]
    proof = await proof_of(suite, call.hand_id)
    assert [step.step for step in proof.steps[:3]] == ["open_hand", "contribute_entropy", "contribute_entropy"]
    lines = verified(found, proof, tmp_path)
    assert "the deck root holds what seats 1, 2 added" in lines
    started.entropy[0].entropy = b"another's"
    with pytest.raises(Mismatch, match="other entropy"):
        check(Evidence(record=from_proto(proof, DealerRecord), table=table_record(found)))


async def test_no_hand_is_played_with_another_seed_than_the_one_that_the_players_added_to(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dealer that was bought says one seed, waits for what the players add, and then takes the seed that it likes."""
    honest, lied = DealerClient.open_hand, set[str]()

    async def open_hand(dealer: DealerClient, hand: HandToDeal) -> Commitment:
        commitment = await honest(dealer, hand)
        if hand.hand_number > 1 or hand.hand_id in lied:
            return commitment
        lied.add(hand.hand_id)
        return replace(commitment, seed_commitment=bytes(32))

    monkeypatch.setattr(DealerClient, "open_hand", open_hand)
    table = await asked(suite, hands=2)
    assert (await call_of(table)).seed_commitment == bytes(32)
    await add(table, "ann", b"ann's")
    await add(table, "bob", b"bob's")
    await table.until(lambda view: view.entropy_asked.hand_number == 2)
    found = await suite.tables.GetHand(pb.GetHandRequest(hand_id=f"{table.table_id}.1"))
    voided = [event.hand_voided for event in found.events if event.HasField("hand_voided")]
    assert [each.cause for each in voided] == [ANOTHER_SEED]
    assert not any(event.HasField("street_dealt") or event.HasField("ante_posted") for event in found.events)
    assert (await proof_of(suite, found.hand_id)).void_reason


@drives("entropy_seconds", 0, 1)
async def test_nobody_is_waited_for_longer_than_the_rules_say_and_the_silent_are_left_out(
    suite: TableSuite, tmp_path: Path, entropy_seconds: int
) -> None:
    table = await asked(suite, seconds=entropy_seconds)
    if entropy_seconds:
        await call_of(table)
        await add(table, "ann", b"ann alone")
    await table.turn()
    await refused(add(table, "bob", b"too late"), Reason.OUT_OF_STEP)
    found = await played(table)
    told = [each.seat for each in found.events[0].hand_started.entropy]
    assert told == ([1] if entropy_seconds else [])
    verified(found, await proof_of(suite, found.hand_id), tmp_path)
    assert await closed_before(table, found.hand_id) is bool(entropy_seconds)


async def test_entropy_is_added_once_in_time_and_for_the_hand_that_is_asked_for(suite: TableSuite) -> None:
    table = await asked(suite, "ann", "bob", "cid")
    await call_of(table)
    version = (await add(table, "ann", b"first")).version
    assert (await add(table, "ann", b"first")).version == version
    await refused(add(table, "ann", b"second"), Reason.OUT_OF_STEP)
    await refused(add(table, "bob", b"x", hand_number=2), Reason.OUT_OF_STEP)
    await refused(add(table, "dan", b"x"), Reason.NOT_SEATED)
    await refused(add(table, "bob", b""), Reason.REQUEST_INVALID)
    await refused(add(table, "bob", bytes(65)), Reason.REQUEST_INVALID)
    assert (await table.view()).version == version


async def test_the_seats_of_the_deck_stay_whoever_comes_or_sits_out_meanwhile(suite: TableSuite) -> None:
    table = await asked(suite, "ann", "bob", hands=2)
    await call_of(table)
    await table.sit("cid")
    await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    await suite.tables.Leave(pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    chips = pb.AddChipsRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", chips=1)
    await refused(suite.tables.AddChips(chips), Reason.HAND_IN_PROGRESS)
    close = pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id)
    await refused(suite.house.CloseTable(close), Reason.HAND_IN_PROGRESS)
    suite.clock.move(SECONDS + 1)
    found = await played(table)
    assert [each.seat for each in found.events[0].hand_started.seats] == [1, 2]
    assert not any(event.HasField("hand_voided") for event in found.events)
    call = (await table.until(lambda view: view.entropy_asked.hand_number == 2)).entropy_asked
    assert list(call.seats) == [1, 3]


async def test_a_key_that_is_registered_while_the_deck_waits_holds_from_the_hand_after_it(suite: TableSuite) -> None:
    """Else whoever likes could have every hand called off: the dealer was asked for this one without the key."""
    table = await asked(suite, hands=2)
    await call_of(table)
    holder = SeatHolder()
    key = pb.RegisterSeatKeyRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", public_key=holder.public_key
    )
    await suite.tables.RegisterSeatKey(key)
    suite.clock.move(SECONDS + 1)
    assert not await sealed_down_cards(table, 1)
    found = await played(table)
    assert not any(event.HasField("hand_voided") for event in found.events)
    await table.until(lambda view: view.entropy_asked.hand_number == 2)
    suite.clock.move(SECONDS + 1)
    assert await sealed_down_cards(table, 2)


async def sealed_down_cards(table: PlayedTable, hand_number: int) -> list[bytes]:
    """Of ann, when the hand is dealt."""
    await table.until(lambda view: view.hand_number == hand_number and view.HasField("turn"))
    seen = await table.suite.tables.GetTable(pb.GetTableRequest(table_id=table.table_id, player_id="ann"))
    return list(seen.table.seats[0].sealed_down_cards)


async def test_what_comes_when_another_process_has_fixed_the_deck_calls_the_hand_off_and_the_next_is_played(
    suite: TableSuite,
) -> None:
    """Two orchestrators, or one whose write failed: one fixed the deck, the other took more."""
    table = await asked(suite, hands=2)
    call = await call_of(table)
    async with calling(suite.dealer_address, Caller(Role.SERVICE, "orchestrator")) as channel:
        await DealerServiceStub(channel).FixDeck(dealer_pb.FixDeckRequest(request_id=fresh(), hand_id=call.hand_id))
    await add(table, "ann", b"ann")
    suite.clock.move(SECONDS + 1)
    await table.until(lambda view: view.entropy_asked.hand_number == 2)
    assert any(event.HasField("hand_voided") for event in (await table.hand(1)).events)
    suite.clock.move(SECONDS + 1)
    await played(table)


async def test_a_restart_in_between_loses_nothing(suite: TableSuite, tmp_path: Path) -> None:
    table = await asked(suite)
    call = await call_of(table)
    await add(table, "ann", b"before")
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    again = await call_of(table)
    assert again.deadline.ToDatetime() >= call.deadline.ToDatetime()  # nobody has less time than was left
    again.deadline.CopyFrom(call.deadline)
    assert again == call
    await add(table, "bob", b"after")
    found = await played(table)
    assert [each.entropy for each in found.events[0].hand_started.entropy] == [b"before", b"after"]
    verified(found, await proof_of(suite, call.hand_id), tmp_path)
