"""The dealer through its contract: a real server, real calls, a real database."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from sevenstud.common.v1.card_pb2 import CARD_UNSPECIFIED
from sevenstud.common.v1.game_pb2 import STREET_FIFTH, STREET_FOURTH, STREET_THIRD
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.server import RunningServer
from tests.fairness import auditor, verifier
from tests.fairness.records import as_json
from tests.support.dealer_calls import Call, Table, counted, dealer, fresh, metrics_of, refused, with_id
from tests.support.servers import calling

pytestmark = pytest.mark.usefixtures("each_engine")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningServer]:
    async with dealer(tmp_path) as running:
        yield running


@pytest.fixture
async def stub(server: RunningServer) -> AsyncIterator[DealerServiceStub]:
    async with calling(server.address) as channel:
        yield DealerServiceStub(channel)


@pytest.fixture
def table(stub: DealerServiceStub) -> Table:
    return Table(stub)


# --- whole hands ---------------------------------------------------------------------------------


async def test_a_whole_hand_is_dealt_shown_closed_and_proven(table: Table) -> None:
    hand = await table.open(8)
    assert len(hand.commitment.deck_root) == len(hand.commitment.seed_commitment) == 32
    river = await hand.deal_all(8, 6, 4, 3)
    assert [each.seat for each in river.dealt] == [1, 2, 3]
    revealed = await hand.reveal(1, 2, 3)
    assert {each.seat: list(each.cards) for each in revealed.hands} == {seat: hand.cards(seat) for seat in (1, 2, 3)}
    shown = await hand.show(2)
    assert [opening.seat for opening in shown.openings] == [2, 2, 2]
    closed = await hand.close()
    assert len(closed.openings) == 8 + 8 + 6 + 4 + 3
    proof = await hand.proof()
    assert proof.openings == closed.openings
    verifier.verify(as_json(proof), as_json(table.rules))


@pytest.mark.parametrize(
    ("live", "source"),
    [
        ((8, 8, 8, 8), pb.CARD_SOURCE_COMMON_FROM_BURNS),
        ((7, 7, 7, 7), pb.CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS),
        ((8, 8, 8, 2), pb.CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS),
        ((8, 8, 7, 2), pb.CARD_SOURCE_STUB),
    ],
)
async def test_a_short_deck_is_proven_as_well(
    table: Table, live: tuple[int, int, int, int], source: pb.CardSource.ValueType
) -> None:
    hand = await table.open(8)
    river = await hand.deal_all(*live)
    assert river.source == source
    common = source == pb.CARD_SOURCE_COMMON_FROM_BURNS
    assert (river.common_card != CARD_UNSPECIFIED, len(river.dealt)) == ((True, 0) if common else (False, live[-1]))
    await hand.close()
    verifier.verify(as_json(await hand.proof()), as_json(table.rules))


async def test_a_seat_can_prove_its_own_cards_and_gets_no_other(table: Table) -> None:
    hand = await table.open(4)
    await hand.deal_all(4, 4, 4, 4)
    own = await hand.stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=3))
    assert {opening.seat for opening in own.openings} == {3}
    assert sorted(opening.card for opening in own.openings) == sorted(hand.cards(3))
    public = verifier.raw(as_json(own.openings[0])["path"][-1])
    for opening in own.openings:
        verifier.verify_opening(as_json(opening), own.commitment.deck_root, public)


async def test_what_is_only_revealed_for_ranking_is_in_no_public_answer(table: Table) -> None:
    hand = await table.open(3)
    await hand.deal_all(3, 3, 3, 3)
    await hand.reveal(1, 2, 3)
    await hand.show(1)
    openings = (await hand.close()).openings
    assert {opening.seat for opening in openings if not opening.face_up} == {1}
    proof = await hand.proof()
    assert [step.step for step in proof.steps][-3:] == ["reveal_for_ranking", "open_cards", "close_hand"]
    assert list(proof.steps[-3].seats) == [1, 2, 3]
    assert proof.openings == openings


async def test_entropy_of_the_seats_goes_into_the_deck_after_the_seed_was_committed_to(table: Table) -> None:
    hand = await table.open(3, entropy_seats=[1, 3])
    assert (len(hand.commitment.seed_commitment), hand.commitment.deck_root) == (32, b"")

    async def contribute(seat: int, entropy: bytes, request_id: str = "") -> pb.ContributeEntropyResponse:
        return await table.stub.ContributeEntropy(
            pb.ContributeEntropyRequest(
                request_id=request_id or fresh(), hand_id=hand.hand_id, seat=seat, entropy=entropy
            )
        )

    assert (await contribute(1, b"mine")).commitment.deck_root == b""
    fixed = (await contribute(3, b"theirs")).commitment
    assert len(fixed.deck_root) == 32
    assert (await contribute(1, b"mine")).commitment.deck_root == b""
    assert (await refused(contribute(1, b"other"))).reason is Reason.OUT_OF_STEP
    await hand.deal_all(3, 3, 3, 3)
    await hand.close()
    proof = await hand.proof()
    assert [(each.seat, each.entropy) for each in proof.entropy] == [(1, b"mine"), (3, b"theirs")]
    verifier.verify(as_json(proof), as_json(table.rules))


async def test_the_deck_is_fixed_without_the_entropy_that_did_not_come(table: Table) -> None:
    hand = await table.open(3, entropy_seats=[1, 3])
    fixed = await table.stub.FixDeck(pb.FixDeckRequest(request_id=fresh(), hand_id=hand.hand_id))
    assert len(fixed.commitment.deck_root) == 32
    again = await table.stub.FixDeck(pb.FixDeckRequest(request_id=fresh(), hand_id=hand.hand_id))
    assert again == fixed
    await hand.deal(3)


# --- once only, in order, the same answer again --------------------------------------------------


async def test_every_question_asked_again_has_the_same_answer_with_the_same_or_a_new_request_id(table: Table) -> None:
    hand = await table.open(8)
    await hand.deal_all(8, 8, 8, 4)
    seats = [1, 2, 3, 4]
    calls: list[Call] = [
        lambda id_: table.stub.OpenHand(with_id(hand.opened, id_)),
        lambda id_: table.stub.DealStreet(
            pb.DealStreetRequest(request_id=id_, hand_id=hand.hand_id, street=STREET_FOURTH, live_seats=range(1, 9))
        ),
        lambda id_: table.stub.RevealForRanking(
            pb.RevealForRankingRequest(request_id=id_, hand_id=hand.hand_id, seats=seats)
        ),
        lambda id_: table.stub.OpenCards(pb.OpenCardsRequest(request_id=id_, hand_id=hand.hand_id, seats=[2])),
        lambda id_: table.stub.CloseHand(pb.CloseHandRequest(request_id=id_, hand_id=hand.hand_id)),
    ]
    first = [await call(fresh()) for call in calls]
    steps = (await hand.proof()).steps
    for call, answer in zip(calls, first, strict=True):
        again = fresh()
        assert await call(again) == answer
        assert await call(again) == answer
    assert (await hand.proof()).steps == steps


async def test_a_request_id_used_for_another_question_is_refused(table: Table) -> None:
    hand = await table.open(3)
    id_ = fresh()
    await hand.deal(3, id_)
    other = pb.DealStreetRequest(request_id=id_, hand_id=hand.hand_id, street=STREET_FOURTH, live_seats=[1, 2, 3])
    assert (await refused(table.stub.DealStreet(other))).reason is Reason.REQUEST_ID_REUSED
    next_hand = table.request((1, 2))
    next_hand.request_id = id_
    assert (await refused(table.stub.OpenHand(next_hand))).reason is Reason.REQUEST_ID_REUSED
    await hand.deal(3)


async def test_streets_early_late_or_for_other_seats_are_out_of_step_and_change_nothing(table: Table) -> None:
    hand = await table.open(4)

    async def refusal(street: "pb.DealStreetRequest", reason: Reason = Reason.OUT_OF_STEP) -> str:
        error = await refused(table.stub.DealStreet(street))
        assert error.reason is reason
        return error.metadata.get("expected", "")

    def ask(street: int, *live: int) -> pb.DealStreetRequest:
        return pb.DealStreetRequest(request_id=fresh(), hand_id=hand.hand_id, street=street, live_seats=live)  # type: ignore[arg-type]

    assert await refusal(ask(STREET_FOURTH, 1, 2, 3, 4)) == "deal_street THIRD"
    assert "every seat dealt in" in await refusal(ask(STREET_THIRD, 1, 2, 3))
    await hand.deal(4)
    await hand.deal([1, 3, 4])
    assert await refusal(ask(STREET_FOURTH, 1, 2)) == "deal_street FIFTH"
    assert await refusal(ask(STREET_FIFTH, 1, 2)) == "live seats among 1, 3, 4"
    assert "no card is dealt" in await refusal(ask(STREET_FIFTH, 1))
    await refusal(ask(STREET_FIFTH, 3, 1), Reason.REQUEST_INVALID)
    await refusal(ask(STREET_FIFTH, 1, 7), Reason.REQUEST_INVALID)
    await refusal(ask(0, 1, 3), Reason.REQUEST_INVALID)
    assert len((await hand.proof()).steps) == 3


async def test_hand_numbers_of_a_table_are_consecutive_also_after_a_void(table: Table) -> None:
    late = table.request((1, 2))
    late.hand_number = 2
    error = await refused(table.stub.OpenHand(late))
    assert (error.reason, error.metadata["expected"]) == (Reason.OUT_OF_STEP, "hand number 1")
    hand = await table.open(2)
    await hand.void()
    twice = table.request((1, 2))
    twice.hand_number = 1
    assert (await refused(table.stub.OpenHand(twice))).metadata["expected"] == "hand number 2"
    await table.open(2)
    await Table(table.stub, "table-2").open(2)


async def test_a_hand_id_used_for_another_hand_is_refused(table: Table) -> None:
    hand = await table.open(2)
    other = table.request((1, 2))
    other.hand_id = hand.hand_id
    error = await refused(table.stub.OpenHand(other))
    assert (error.reason, error.code) == (Reason.ALREADY_EXISTS, grpc.StatusCode.ALREADY_EXISTS)


async def test_a_voided_hand_says_why_and_gives_no_more_cards(table: Table) -> None:
    hand = await table.open(2)
    await hand.deal(2)
    await hand.void("the table broke")
    await hand.void("the table broke")
    assert (await refused(hand.void("another reason"))).reason is Reason.OUT_OF_STEP
    assert (await refused(hand.deal(2))).reason is Reason.OUT_OF_STEP
    proof = await hand.proof()
    assert (proof.void_reason, proof.closed) == ("the table broke", False)


async def test_what_is_not_there_is_not_found(table: Table) -> None:
    hand = await table.open(2)
    missing = (
        table.stub.GetProof(pb.GetProofRequest(hand_id="nobody")),
        table.stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=5)),
        table.stub.CloseHand(pb.CloseHandRequest(request_id=fresh(), hand_id="nobody")),
    )
    for call in missing:
        assert (await refused(call)).reason is Reason.NOT_FOUND


async def test_rules_with_a_field_missing_and_seats_that_cannot_be_are_refused(table: Table) -> None:
    bare = table.request((1, 2))
    bare.rules.ClearField("exhaustion")
    assert "rules.exhaustion" in (await refused(table.stub.OpenHand(bare))).message
    for seats in ((1, 9), (1, 1), (1, 3, 2), (1,), range(1, 10)):
        assert (await refused(table.stub.OpenHand(table.request(tuple(seats))))).reason is Reason.REQUEST_INVALID
    await table.open(2)


# --- many at a time ------------------------------------------------------------------------------


async def test_of_many_who_open_the_same_number_one_wins_and_every_shuffle_is_accounted_for(
    server: RunningServer, table: Table
) -> None:
    """Shuffles drawn = hands opened + lots drawn + shuffles voided (F18)."""
    for number in range(1, 11):
        requests = [table.request((1, 2, 3)) for _ in range(8)]
        for at, request in enumerate(requests):
            request.hand_id = f"hand-{number}-{at}"
            request.hand_number = number
        answers = await asyncio.gather(*(table.stub.OpenHand(each) for each in requests), return_exceptions=True)
        assert sum(isinstance(answer, pb.OpenHandResponse) for answer in answers) == 1
    await table.stub.DrawLots(pb.DrawLotsRequest(request_id=fresh(), purpose="p", subject_id="s", entries=["a", "b"]))
    text = await metrics_of(server.metrics_address)
    assert counted(text, "hands_opened") == 10
    assert counted(text, "shuffles_used") == 10 + 1
    assert counted(text, "shuffles_drawn") == 10 + 1 + counted(text, "shuffles_voided")


async def test_of_many_who_ask_for_the_same_street_all_get_the_same_cards(table: Table) -> None:
    hand = await table.open(8)
    ask = [
        pb.DealStreetRequest(request_id=fresh(), hand_id=hand.hand_id, street=STREET_THIRD, live_seats=range(1, 9))
        for _ in range(16)
    ]
    answers = await asyncio.gather(*(table.stub.DealStreet(each) for each in ask))
    assert all(answer == answers[0] for answer in answers)
    assert len((await hand.proof()).steps) == 2


# --- lots ----------------------------------------------------------------------------------------


async def test_lots_are_drawn_once_for_a_request_and_can_be_drawn_again_by_anybody(stub: DealerServiceStub) -> None:
    request = pb.DrawLotsRequest(
        request_id=fresh(), purpose="seats", subject_id="tournament-1", entries=[f"player-{n}" for n in range(300)]
    )
    lots = await stub.DrawLots(request)
    assert sorted(lots.drawn) == sorted(request.entries)
    assert await stub.DrawLots(request) == lots
    auditor.verify_lots(as_json(request), as_json(lots))
    changed = as_json(lots)
    changed["drawn"].reverse()
    with pytest.raises(verifier.Mismatch):
        auditor.verify_lots(as_json(request), changed)
    request.entries.append("another")
    assert (await refused(stub.DrawLots(request))).reason is Reason.REQUEST_ID_REUSED
    request.request_id = fresh()
    assert (await stub.DrawLots(request)).seed != lots.seed
    request.entries.append("another")
    assert (await refused(stub.DrawLots(request))).reason is Reason.REQUEST_INVALID


# --- who may call, and what is said --------------------------------------------------------------


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.SERVICE])
async def test_only_our_services_may_deal_and_only_the_house_may_read_proofs(
    server: RunningServer, table: Table, role: Role
) -> None:
    hand = await table.open(2)
    async with calling(server.address, Caller(role, "somebody")) as channel:
        stub = DealerServiceStub(channel)
        hidden = (
            stub.OpenHand(table.request((1, 2))),
            stub.DealStreet(
                pb.DealStreetRequest(request_id=fresh(), hand_id=hand.hand_id, street=STREET_THIRD, live_seats=[1, 2])
            ),
            stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=1)),
            stub.RevealForRanking(pb.RevealForRankingRequest(request_id=fresh(), hand_id=hand.hand_id, seats=[1])),
            stub.DrawLots(pb.DrawLotsRequest(request_id=fresh(), purpose="p", subject_id="s", entries=["a"])),
        )
        for call in hidden:
            assert (await refused(call)).reason is Reason.NOT_PERMITTED
        proof = stub.GetProof(pb.GetProofRequest(hand_id=hand.hand_id))
        if role in {Role.OPERATOR, Role.AUDITOR}:
            assert (await proof).hand_id == hand.hand_id
        else:
            assert (await refused(proof)).reason is Reason.NOT_PERMITTED


async def test_the_service_says_who_it_is_to_anybody(server: RunningServer) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        info = (await DealerServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest())).info
    assert info.service == "dealer"
    assert list(info.grpc_services) == ["sevenstud.dealer.v1.DealerService"]
    traits = {trait.name: trait.value for trait in info.traits}
    assert traits == {
        "scripted_decks": "refused",
        "shuffle_version": "sevenstud-fisher-yates-1",
        "callers": "taken at their word",
    }
