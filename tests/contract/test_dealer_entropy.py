"""Entropy of the seats: added after the seed was committed to, bound into the deck, provable, and never lost."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.console.domain.fair_check import check
from services.console.domain.fair_record import DealerRecord, Evidence
from services.dealer.domain.commitment import fix_deck
from services.dealer.domain.hand import SeatEntropy
from shared.kernel.errors import Reason
from shared.rpc.mirror import from_proto
from tests.fairness import verifier
from tests.fairness.records import as_json
from tests.support.dealer_calls import PlayedHand, Table, dealer, fresh, refused
from tests.support.dealer_hands import a_command, seed_of
from tests.support.servers import calling, start_service

SEATS = (1, 2, 3)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with dealer(tmp_path) as server, calling(server.address) as channel:
        yield Table(DealerServiceStub(channel))


async def add(hand: PlayedHand, seat: int, entropy: bytes, request_id: str = "") -> pb.Commitment:
    """A seat's entropy; the commitment after it."""
    request = pb.ContributeEntropyRequest(
        request_id=request_id or fresh(), hand_id=hand.hand_id, seat=seat, entropy=entropy
    )
    return (await hand.stub.ContributeEntropy(request)).commitment


async def fix(hand: PlayedHand) -> pb.Commitment:
    """The deck fixed with what came."""
    return (await hand.stub.FixDeck(pb.FixDeckRequest(request_id=fresh(), hand_id=hand.hand_id))).commitment


async def proved(hand: PlayedHand, table: Table) -> pb.GetProofResponse:
    """The hand dealt to its end and proved by both verifiers; its public record."""
    await hand.deal_all(3, 3, 3, 3)
    await hand.close()
    proof = await hand.proof()
    verifier.verify(as_json(proof), as_json(table.rules))
    check(Evidence(record=from_proto(proof, DealerRecord)))
    return proof


async def test_the_seed_is_committed_to_before_any_entropy_and_stays_the_same(table: Table) -> None:
    hand = await table.open(SEATS, entropy_seats=SEATS)
    for seat in SEATS:
        bound = await add(hand, seat, b"entropy")
        assert bound.seed_commitment == hand.commitment.seed_commitment
        assert (len(bound.deck_root) == 32) == (seat == SEATS[-1])
    proof = await proved(hand, table)
    assert [step.step for step in proof.steps[:4]] == ["open_hand", *["contribute_entropy"] * 3]


async def test_nothing_is_dealt_shown_or_closed_while_the_deck_waits_for_entropy(table: Table) -> None:
    hand = await table.open(SEATS, entropy_seats=(2,))
    for call in (hand.deal(3), hand.show(1), hand.reveal(1), hand.close()):
        error = await refused(call)
        assert error.reason is Reason.OUT_OF_STEP
        assert "contribute_entropy or fix_deck" in error.metadata["expected"]
    own = await hand.stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=1))
    assert (list(own.openings), own.commitment.deck_root) == ([], b"")
    await add(hand, 2, b"x")
    await proved(hand, table)


async def test_entropy_of_all_seats_at_once_goes_in_whatever_the_order(table: Table) -> None:
    hand = await table.open(SEATS, entropy_seats=SEATS)
    bounds = await asyncio.gather(*(add(hand, seat, bytes([seat]) * 64) for seat in SEATS))
    assert sum(len(bound.deck_root) == 32 for bound in bounds) == 1
    proof = await proved(hand, table)
    assert {each.seat: each.entropy for each in proof.entropy} == {seat: bytes([seat]) * 64 for seat in SEATS}


async def test_the_deck_is_fixed_with_what_came_and_what_comes_late_is_refused(table: Table) -> None:
    hand = await table.open(SEATS, entropy_seats=SEATS)
    await add(hand, 2, b"came")
    bound = await fix(hand)
    assert await fix(hand) == bound
    late = await refused(add(hand, 1, b"late"))
    assert (late.reason, late.metadata["expected"]) == (Reason.OUT_OF_STEP, "deal_street: the deck is fixed")
    proof = await proved(hand, table)
    assert [(each.seat, each.entropy) for each in proof.entropy] == [(2, b"came")]
    assert proof.commitment.deck_root == bound.deck_root


async def test_of_entropy_and_fixing_at_the_same_moment_the_record_says_what_counts(table: Table) -> None:
    for _ in range(10):
        hand = await table.open(SEATS, entropy_seats=(1, 2))
        outcomes = await asyncio.gather(add(hand, 1, b"racing"), fix(hand), return_exceptions=True)
        counted = not isinstance(outcomes[0], BaseException)
        assert [each.seat for each in (await proved(hand, table)).entropy] == ([1] if counted else [])


async def test_entropy_that_cannot_be_is_refused_and_changes_nothing(table: Table) -> None:
    hand = await table.open(SEATS, entropy_seats=(1, 3))
    for seat, entropy in ((2, b"not asked"), (4, b"not dealt in"), (9, b"no seat"), (1, b""), (1, b"x" * 65)):
        assert (await refused(add(hand, seat, entropy))).reason is Reason.REQUEST_INVALID
    id_ = fresh()
    first = await add(hand, 1, b"mine", id_)
    assert await add(hand, 1, b"mine", id_) == await add(hand, 1, b"mine") == first
    assert (await refused(add(hand, 1, b"other", id_))).reason is Reason.REQUEST_ID_REUSED
    assert (await refused(add(hand, 1, b"other"))).reason is Reason.OUT_OF_STEP
    assert [each.entropy for each in (await hand.proof()).entropy] == [b"mine"]
    for seats in ((1, 1), (4,)):
        request = table.request(SEATS, entropy_seats=seats)
        assert (await refused(table.stub.OpenHand(request))).reason is Reason.REQUEST_INVALID


async def test_a_hand_that_waits_for_entropy_can_be_voided_and_its_number_is_used_up(table: Table) -> None:
    hand = await table.open(SEATS, entropy_seats=SEATS)
    await add(hand, 1, b"x")
    await hand.void("nobody added entropy")
    assert (await refused(add(hand, 2, b"y"))).reason is Reason.OUT_OF_STEP
    assert (await refused(fix(hand))).reason is Reason.OUT_OF_STEP
    assert (await table.open(SEATS)).opened.hand_number == 2


@pytest.mark.process
async def test_a_dealer_killed_between_two_seats_keeps_the_entropy_that_came(tmp_path: Path) -> None:
    settings = {"DATABASE": str(tmp_path / "dealer.sqlite"), "DRAIN_NOTICE_SECONDS": "0"}
    first = start_service("dealer", tmp_path, settings)
    async with calling(first.address) as channel:
        table = Table(DealerServiceStub(channel))
        hand = await table.open(SEATS, entropy_seats=(1, 2))
        await add(hand, 1, b"before the crash")
        first.kill()
    second = start_service("dealer", tmp_path, settings)
    try:
        async with calling(second.address) as channel:
            hand.stub = DealerServiceStub(channel)
            assert len((await add(hand, 2, b"after it")).deck_root) == 32
            proof = await proved(hand, table)
            assert [each.entropy for each in proof.entropy] == [b"before the crash", b"after it"]
    finally:
        second.kill()


# --- what entropy does to a deck ----------------------------------------------------------------


def test_every_bit_of_a_seats_entropy_gives_another_deck() -> None:
    terms = replace(a_command(3), entropy_seats=SEATS).terms()
    whole = bytes(range(16))
    decks = {fix_deck(terms, seed_of(1), (SeatEntropy(seat=1, entropy=whole),)).cards}
    for bit in range(8 * len(whole)):
        changed = (int.from_bytes(whole, "big") ^ 1 << bit).to_bytes(len(whole), "big")
        decks.add(fix_deck(terms, seed_of(1), (SeatEntropy(seat=1, entropy=changed),)).cards)
    assert len(decks) == 1 + 128


def test_the_order_in_which_entropy_came_does_not_matter_but_whose_it_is_does() -> None:
    terms = replace(a_command(3), entropy_seats=SEATS).terms()
    added = [SeatEntropy(seat=seat, entropy=bytes([seat])) for seat in SEATS]
    decks = {fix_deck(terms, seed_of(1), order).cards for order in permutations(added)}
    assert len(decks) == 1
    exchanged = [SeatEntropy(seat=seat, entropy=bytes([4 - seat])) for seat in SEATS]
    assert fix_deck(terms, seed_of(1), exchanged).cards not in decks


def test_bytes_cannot_be_moved_from_one_seat_to_the_next() -> None:
    terms = replace(a_command(3), entropy_seats=SEATS).terms()
    one = (SeatEntropy(seat=1, entropy=b"ab"), SeatEntropy(seat=2, entropy=b"c"))
    other = (SeatEntropy(seat=1, entropy=b"a"), SeatEntropy(seat=2, entropy=b"bc"))
    assert fix_deck(terms, seed_of(1), one).cards != fix_deck(terms, seed_of(1), other).cards
