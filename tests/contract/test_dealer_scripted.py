"""Cards chosen beforehand, through the contract: only where allowed, said everywhere, and in their places."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.card_pb2 import CARD_UNSPECIFIED
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from shared.kernel.errors import Reason
from tests.support.dealer_calls import Table, a_script, dealer, fresh, refused, wire_cards, with_id
from tests.support.servers import calling

SEVEN = "As Ks Qs Js Ts 9s 8s"


@pytest.fixture
async def scripted(tmp_path: Path) -> AsyncIterator[Table]:
    """A table at a dealer that allows scripts."""
    async with dealer(tmp_path, scripted_decks=True) as running, calling(running.address) as channel:
        yield Table(DealerServiceStub(channel))


async def test_a_dealer_that_was_not_started_for_it_deals_no_chosen_cards(tmp_path: Path) -> None:
    async with dealer(tmp_path) as running, calling(running.address) as channel:
        await refuses_scripts(Table(DealerServiceStub(channel)))


async def refuses_scripts(table: Table) -> None:
    error = await refused(table.stub.OpenHand(table.request((1, 2), script=a_script(s1="As"))))
    assert error.reason is Reason.SCRIPTED_DECKS_REFUSED
    commitment = (await table.open(2)).commitment
    assert not commitment.scripted
    assert not commitment.scripted_decks_allowed


async def test_every_hand_of_a_dealer_that_allows_scripts_says_so_for_ever(tmp_path: Path) -> None:
    async with dealer(tmp_path, scripted_decks=True) as running, calling(running.address) as channel:
        table = Table(DealerServiceStub(channel))
        request = table.request((1, 2))
        commitment = (await table.stub.OpenHand(request)).commitment
        assert (commitment.scripted, commitment.scripted_decks_allowed) == (False, True)
    async with dealer(tmp_path) as running, calling(running.address) as channel:
        stub = DealerServiceStub(channel)
        assert (await stub.OpenHand(request)).commitment == commitment
        proof = await stub.GetProof(pb.GetProofRequest(hand_id=request.hand_id))
        assert proof.commitment.scripted_decks_allowed


async def test_a_scripted_hand_says_so_everywhere_and_proves_nothing(scripted: Table) -> None:
    info = (await scripted.stub.GetServiceInfo(pb.GetServiceInfoRequest())).info
    assert {trait.name: trait.value for trait in info.traits}["scripted_decks"] == "allowed"
    hand = await scripted.open(3, script=a_script(s2=SEVEN))
    assert hand.commitment.scripted
    await hand.deal_all(3, 3, 3, 3)
    assert hand.cards(2) == wire_cards(SEVEN)
    assert not set(hand.cards(1) + hand.cards(3)) & set(wire_cards(SEVEN))
    openings = (await hand.close()).openings
    assert {(opening.salt, len(opening.path)) for opening in openings} == {(b"", 0)}
    assert (await hand.proof()).commitment.scripted


async def test_a_scripted_common_card_is_turned_for_eight(scripted: Table) -> None:
    hand = await scripted.open(8, script=a_script("7h", s1="As Ks Qs Js Ts 9s", s8="2c 2d ? ? ? 2h"))
    river = await hand.deal_all(8, 8, 8, 8)
    assert [river.common_card] == wire_cards("7h")
    assert hand.cards(1) == wire_cards("As Ks Qs Js Ts 9s")
    assert hand.cards(8)[5] == wire_cards("2h")[0]


async def test_scripted_river_cards_come_out_of_the_reshuffle_of_eight_players(scripted: Table) -> None:
    hand = await scripted.open(8, script=a_script(s1="? ? ? ? ? ? 2c", s3="As Ah Ad Ac ? ? 2d"))
    river = await hand.deal_all(8, 8, 8, 4)
    assert river.source == pb.CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS
    assert [river.dealt[0].down_cards, river.dealt[2].down_cards] == [wire_cards("2c"), wire_cards("2d")]


async def test_impossible_scripts_are_refused_with_a_word(scripted: Table) -> None:
    for script, word in (
        (a_script(s1="As", s2="As"), "As stands twice"),
        (a_script(s4="As"), "seat 4 is not dealt in"),
        (pb.Script(seats=[pb.ScriptedSeat(seat=1, cards=[CARD_UNSPECIFIED])]), ""),
    ):
        error = await refused(scripted.stub.OpenHand(scripted.request((1, 2, 3), script=script)))
        assert error.reason in {Reason.CARDS_INVALID, Reason.REQUEST_INVALID}
        assert word in error.message
    hand = await scripted.open(8, script=a_script(s3=SEVEN))
    for _ in range(4):
        await hand.deal(8)
    error = await refused(hand.deal(8))
    assert (error.reason, "one common card is turned here" in error.message) == (Reason.CARDS_INVALID, True)
    assert len((await hand.proof()).steps) == 5


async def test_the_same_hand_with_another_script_is_another_hand(scripted: Table) -> None:
    hand = await scripted.open(2, script=a_script(s1="As"))
    other = with_id(hand.opened, fresh())
    assert (await scripted.stub.OpenHand(other)).commitment == hand.commitment
    other.request_id = fresh()
    other.script.CopyFrom(a_script(s1="Ks"))
    assert (await refused(scripted.stub.OpenHand(other))).reason is Reason.ALREADY_EXISTS
