"""Sealed cards that a bought orchestrator reads and passes on sealed anew: the record of the dealer tells of it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_records import HandRecords, read_records
from services.console.domain.fair_check import check
from services.console.domain.fair_record import Mismatch
from services.dealer.domain.seat_seal import Place, sealed_cards
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.domain.dealing import Commitment, HandToDeal, SeatKey, StreetDeal
from shared.kernel.cards import Card
from shared.kernel.game import Street
from tests.contract.test_sealed_seats import quietly, sealed_for, unsealed
from tests.contract.test_verify_command import verify
from tests.fairness import verifier
from tests.support.seat_keys import SeatHolder
from tests.support.servers import calling
from tests.support.table_suite import PlayedTable, TableSuite

ANN, BOB, READER = SeatHolder(), SeatHolder(), SeatHolder()
KEYS = {"a key of its own": (SeatKey(seat=1, public_key=READER.public_key),), "no key": ()}


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


def read_by_the_table(monkeypatch: pytest.MonkeyPatch, keys: tuple[SeatKey, ...]) -> dict[Street, tuple[Card, ...]]:
    """What a bought orchestrator reads of seat 1, which is ann's: it hands other keys over, and seals to hers anew."""
    read: dict[Street, tuple[Card, ...]] = {}
    honest = DealerClient.open_hand, DealerClient.deal_street

    async def open_hand(dealer: DealerClient, hand: HandToDeal) -> Commitment:
        return await honest[0](dealer, replace(hand, seat_keys=keys))

    async def deal_street(dealer: DealerClient, hand_id: str, street: Street, live: Sequence[int]) -> StreetDeal:
        deal = await honest[1](dealer, hand_id, street, live)
        first, *others = deal.dealt
        if first.down_count:
            sealed = first.sealed_down_cards
            read[street] = tuple(READER.unsealed(sealed, hand_id, 1, street)) if sealed else first.down_cards
            place = Place(hand_id=hand_id, seat=1, street=street)
            anew = sealed_cards(read[street], ANN.public_key, bytes(32), place)
            first = replace(first, down_cards=(), sealed_down_cards=anew)
        return replace(deal, dealt=(first, *others))

    monkeypatch.setattr(DealerClient, "open_hand", open_hand)
    monkeypatch.setattr(DealerClient, "deal_street", deal_street)
    return read


async def records_of(suite: TableSuite, table: PlayedTable) -> HandRecords:
    """What ann has of the hand, and the dealer's record of it."""
    await table.hand(1)
    asked = pb.GetHandRequest(hand_id=f"{table.table_id}.1", player_id="ann", own_openings=True)
    hand = await suite.tables.GetHand(asked)
    async with calling(suite.dealer_address) as channel:
        proof = await DealerServiceStub(channel).GetProof(dealer_pb.GetProofRequest(hand_id=hand.hand_id))
    return HandRecords(proof=proof, hand=hand, player_id="ann")


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
async def test_cards_that_were_read_on_their_way_and_sealed_anew_are_told_from_those_that_were_not(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keys: tuple[SeatKey, ...]
) -> None:
    """The player opens them as ever: anybody can seal to a public key."""
    read = read_by_the_table(monkeypatch, keys)
    table = await sealed_for(suite, {"ann": ANN}, script=False)
    await table.turn()
    assert unsealed(ANN, await table.view("ann"), 1) == list(read[Street.THIRD])
    while await quietly(table):
        pass
    records = replace(await records_of(suite, table), seat_key=ANN.public_key)
    with pytest.raises(Mismatch, match="somebody read them"):
        check(records.evidence())
    file = tmp_path / "hand.json"
    records.write(file)
    if keys:  # whose key it is knows the player alone
        assert f"if the key {READER.public_key.hex()} is not" in " ".join(check(read_records(file).evidence()).limits)
    else:
        assert verifier.main(str(file)) == 1
        with pytest.raises(Mismatch, match="the dealer gave them in clear"):
            check(read_records(file).evidence())


async def test_cards_that_only_their_player_could_read_are_said_to_be_so(suite: TableSuite, tmp_path: Path) -> None:
    table = await sealed_for(suite, {"ann": ANN}, script=False)
    while await quietly(table):
        pass
    records, file = replace(await records_of(suite, table), seat_key=ANN.public_key), tmp_path / "hand.json"
    records.write(file)
    assert verifier.main(str(file)) == 0
    said = "the down cards of seat 1 left the dealer sealed to the player's own key"
    assert said in check(records.evidence()).lines
    ended = await verify(str(file), "--seat-key", ANN.public_key.hex())
    assert (ended.code, said in ended.out) == (0, True)
    assert (await verify(str(file), "--seat-key", BOB.public_key.hex())).code == 1
    assert (await verify(str(file), "--seat-key", "no key")).code == 2


async def test_a_record_of_an_earlier_release_accuses_nobody(suite: TableSuite, tmp_path: Path) -> None:
    """It does not say to which keys the dealer sealed: nothing is proved of it, and all else is."""
    table = await sealed_for(suite, {"ann": ANN}, script=False)
    while await quietly(table):
        pass
    records, file = await records_of(suite, table), tmp_path / "hand.json"
    assert records.proof is not None
    records.proof.ClearField("sealed_seats")
    records.write(file)
    assert verifier.main(str(file)) == 0
    assert "to whose key" in " ".join(check(records.evidence()).limits)
