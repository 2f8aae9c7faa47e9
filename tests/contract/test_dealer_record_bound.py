"""Whoever writes to the dealer's database, without its keys, has it open no card: a changed record is not believed."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sevenstud.dealer.stored.v1 import hand_record_pb2 as stored
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from structlog.testing import capture_logs

from services.dealer.__main__ import assemble
from services.dealer.adapters import migrations
from services.dealer.adapters.vault import Vault
from services.dealer.domain.lots import DrawLots, draw_lots
from services.dealer.domain.sealing_keys import parse_keys
from services.dealer.settings import Settings
from shared.kernel.errors import Reason
from shared.storage.database import Statement, Store
from tests.support.dealer_calls import PlayedHand, Table, fresh, refused
from tests.support.servers import calling, serving
from tests.support.stores import STORES

KEYS = f"old:{'a1' * 32}"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await STORES.open(tmp_path / "dealer.sqlite", "dealer", migrations)
    yield opened
    await opened.close()


@pytest.fixture
async def table(store: Store) -> AsyncIterator[Table]:
    settings = Settings.from_env({"SEVENSTUD_DEALER_KEYS": KEYS})
    async with serving(await assemble(settings, store)) as server, calling(server.address) as channel:
        with capture_logs():  # each refusal is a fault in the log, whose picture for people takes its time
            yield Table(DealerServiceStub(channel))


async def row(store: Store, hand: PlayedHand) -> tuple[stored.HandRecord, bytes]:
    """The record of a hand as the database has it, and what is sealed beside it."""
    ((record, sealed),) = await store.read("SELECT record, sealed FROM dealer_hands WHERE hand_id = ?", (hand.hand_id,))
    assert isinstance(record, bytes)
    assert isinstance(sealed, bytes)
    return stored.HandRecord.FromString(record), sealed


async def rewrite(store: Store, hand: PlayedHand, record: stored.HandRecord, sealed: bytes) -> None:
    """Put another row in its place, behind the dealer's back."""
    values = (record.SerializeToString(), sealed, len(record.steps), hand.hand_id)
    sql = "UPDATE dealer_hands SET record = ?, sealed = ?, version = ? WHERE hand_id = ?"
    await store.write([Statement(sql, values, rows=1)])


def said_to_have_shown(record: stored.HandRecord) -> None:
    """The down cards of seat 2 would stand in the public record."""
    record.steps.add(step="open_cards", seats=[2]).at.CopyFrom(record.steps[0].at)


def dealt_the_neighbours_cards(record: stored.HandRecord) -> None:
    """The own openings of seat 1 would show what seat 2 was dealt."""
    places = record.steps[-1].positions
    places[0], places[1] = places[1], places[0]


def dealt_what_lies_in_the_stub(record: stored.HandRecord) -> None:
    """The own openings of seat 1 would show cards that are still to come."""
    record.steps[-1].positions[0] = 20


def cards_no_longer_sealed(record: stored.HandRecord) -> None:
    """The down cards of seat 3 would be told in clear."""
    del record.terms.seat_keys[:]


def binding_left_out(record: stored.HandRecord) -> None:
    """As a record of an earlier release."""
    record.ClearField("binding")


def opening(hand: PlayedHand) -> list[Awaitable[object]]:
    """Everything that opens cards, or deals on."""
    own = (hand.stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=seat)) for seat in (1, 3))
    return [hand.proof(), *own, hand.deal(3), hand.show(1), hand.close()]


@pytest.mark.parametrize("without", [(), (binding_left_out,)], ids=["its old binding", "no binding"])
@pytest.mark.parametrize(
    "change",
    [
        said_to_have_shown,
        dealt_the_neighbours_cards,
        dealt_what_lies_in_the_stub,
        cards_no_longer_sealed,
        binding_left_out,
    ],
)
async def test_a_record_that_was_changed_in_the_database_opens_no_card(
    table: Table,
    store: Store,
    change: Callable[[stored.HandRecord], None],
    without: tuple[Callable[[stored.HandRecord], None], ...],
) -> None:
    hand = await table.open(3, seat_keys=[pb.SeatKey(seat=3, public_key=bytes(31) + b"\x09")])
    await hand.deal(3)
    record, sealed = await row(store, hand)
    for each in (change, *without):
        each(record)
    await rewrite(store, hand, record, sealed)
    for answer in opening(hand):
        assert (await refused(answer)).reason is Reason.INTERNAL


async def test_the_record_of_one_hand_is_not_believed_of_another(table: Table, store: Store) -> None:
    first, second = await table.open(3), await table.open(3)
    await first.deal(3)
    await second.deal(3)
    (record, _), (_, sealed) = await row(store, first), await row(store, second)
    await rewrite(store, second, record, sealed)
    for answer in opening(second):
        assert (await refused(answer)).reason is Reason.INTERNAL


async def test_a_hand_that_an_earlier_release_opened_is_dealt_on(table: Table, store: Store) -> None:
    hand = await table.open(3)
    record, sealed = await row(store, hand)
    vault = Vault(parse_keys(KEYS))
    secrets = stored.HandSecrets.FromString(vault.open(hand.hand_id, sealed))
    assert secrets.record_bound
    secrets.ClearField("record_bound")
    binding_left_out(record)
    await rewrite(store, hand, record, vault.seal(hand.hand_id, secrets.SerializeToString()))
    await hand.deal(3)
    assert len((await hand.proof()).openings) == 3


def drawn_otherwise(record: stored.DrawRecord) -> None:
    """The order that somebody likes."""
    drawn = list(record.drawn)
    record.ClearField("drawn")
    record.drawn.extend(reversed(drawn))


def drawn_again_by_hand(record: stored.DrawRecord) -> None:
    """Another seed, and the order that it gives: whoever draws the lots again finds nothing wrong."""
    command = DrawLots(purpose=record.purpose, subject_id=record.subject_id, entries=tuple(record.entries))
    lots = draw_lots(command, record.draw_id, bytes(32))
    record.ClearField("drawn")
    record.drawn.extend(lots.drawn)
    record.seed, record.seed_commitment = lots.seed, lots.seed_commitment


def not_by_a_dealer(record: stored.DrawRecord) -> None:
    """As whoever has no key would write one before it is drawn."""
    record.ClearField("binding")


@pytest.mark.parametrize("change", [drawn_otherwise, drawn_again_by_hand, not_by_a_dealer])
async def test_lots_that_no_dealer_drew_are_not_believed(
    table: Table, store: Store, change: Callable[[stored.DrawRecord], None]
) -> None:
    """Their id is that of the request, which anybody can work out: a row could wait there for it."""
    request = pb.DrawLotsRequest(request_id=fresh(), purpose="seats", subject_id="t", entries=["ann", "bob", "cid"])
    lots = await table.stub.DrawLots(request)
    assert await table.stub.DrawLots(request) == lots
    ((content,),) = await store.read("SELECT record FROM dealer_draws WHERE draw_id = ?", (request.request_id,))
    assert isinstance(content, bytes)
    record = stored.DrawRecord.FromString(content)
    change(record)
    sql = "UPDATE dealer_draws SET record = ? WHERE draw_id = ?"
    await store.write([Statement(sql, (record.SerializeToString(), request.request_id), rows=1)])
    assert (await refused(table.stub.DrawLots(request))).reason is Reason.INTERNAL


async def test_a_record_that_was_changed_keeps_no_dealer_from_starting(table: Table, store: Store) -> None:
    """Its own hand goes nowhere; those of all other tables do."""
    hand, other = sorted([await table.open(3), await table.open(3)], key=lambda each: each.hand_id)
    record, sealed = await row(store, hand)
    binding_left_out(record)
    await rewrite(store, hand, record, sealed)
    again = await assemble(Settings.from_env({"SEVENSTUD_DEALER_KEYS": KEYS}), store)
    async with serving(again) as server, calling(server.address) as channel:
        stub = DealerServiceStub(channel)
        assert (await refused(stub.GetProof(pb.GetProofRequest(hand_id=hand.hand_id)))).reason is Reason.INTERNAL
        assert (await stub.GetProof(pb.GetProofRequest(hand_id=other.hand_id))).hand_id == other.hand_id
