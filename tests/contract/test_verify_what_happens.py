"""Hands that do not go as planned are proved all the same, by both programs, and nobody is accused who was honest."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.common.v1.card_pb2 import Card
from sevenstud.common.v1.rule_options_pb2 import ALL_IN_EXPOSURE_IMMEDIATE
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_records import HandRecords, read_records
from services.console.domain import fair_moments
from services.console.domain.fair_check import Proven, check
from services.console.domain.fair_record import Mismatch
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.adapters.evaluator_client import EvaluatorClient
from services.orchestrator.domain.dealing import OpenedCards, Opening, StreetDeal
from services.orchestrator.domain.ranking import BoardOrder
from services.orchestrator.ports import ServiceAway
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from tests.fairness import verifier
from tests.support.ledger_house import fresh, refused
from tests.support.seat_keys import SeatHolder
from tests.support.servers import calling
from tests.support.table_suite import PlayedTable, TableSuite, card_room, heads_up, kinds, open_table

Json = dict[str, Any]
AUDITOR = Caller(Role.AUDITOR, "commission")
QUIET = ("BRING_IN", "CHECK", "CALL")
LOUD = ("RAISE", "BET", "COMPLETE", "CALL", "CHECK", "BRING_IN")
APART_SECONDS = 0.2


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def played(table: PlayedTable, wishes: Sequence[str]) -> pb.GetHandResponse:
    """The first hand, everybody doing the first of these that is legal, as much as may be."""
    while not (await table.suite.tables.ListHands(pb.ListHandsRequest(table_id=table.table_id))).hands:
        view = await table.view()
        if not view.HasField("turn"):
            await asyncio.sleep(0.01)
            continue
        legal = {ActionKind.Name(each.kind).removeprefix("ACTION_KIND_"): each for each in view.turn.legal.actions}
        kind = next(each for each in wishes if each in legal)
        most = max((legal[kind].to_chips_max, *legal[kind].to_chips_choices))
        await table.suite.tables.Act(table.action(view.turn, kind, most))
    return await table.hand(1)


def in_json(message: Message) -> Json:
    found: Json = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return found


async def proved(suite: TableSuite, hand: pb.GetHandResponse, folder: Path) -> Proven:
    """What ours says of a hand that the other program proves too."""
    async with calling(suite.dealer_address, AUDITOR) as channel:
        proof = await DealerServiceStub(channel).GetProof(dealer_pb.GetProofRequest(hand_id=hand.hand_id))
    file = folder / "hand.json"
    file.write_text(json.dumps({"hand": in_json(hand), "proof": in_json(proof)}))
    assert verifier.main(str(file)) == 0
    check(HandRecords(hand=hand).evidence())
    return check(HandRecords(proof=proof, hand=hand).evidence())


def refused_by_both(file: Path) -> bool:
    """Neither program takes it for proved."""
    try:
        check(read_records(file).evidence())
    except Mismatch:
        return verifier.main(str(file)) == 1
    return False


async def test_a_street_that_was_dealt_while_another_service_was_away_came_not_too_soon(
    suite: TableSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dealer dealt it, nobody could order the boards: it is told when somebody can, and no player acted between."""
    monkeypatch.setattr(fair_moments, "CLOCKS_APART_SECONDS", APART_SECONDS)
    honest, began = EvaluatorClient.order_boards, list[float]()

    async def order_boards(evaluator: EvaluatorClient, *asked: Any) -> BoardOrder:
        began.append(time.monotonic())
        if began[-1] - began[0] < 3 * APART_SECONDS:
            raise ServiceAway("evaluator")
        return await honest(evaluator, *asked)

    monkeypatch.setattr(EvaluatorClient, "order_boards", order_boards)
    table = await heads_up(suite, scripted_hands=[])
    hand = await played(table, QUIET)
    assert {"table_stalled", "table_resumed"} <= set(kinds(hand.events))
    assert "no street was dealt before the table had come to it" in " ".join(
        (await proved(suite, hand, tmp_path)).lines
    )


async def test_a_hand_that_was_called_off_before_it_was_dealt_accuses_nobody(suite: TableSuite, tmp_path: Path) -> None:
    table = await open_table(suite, card_room(), hands_max=2)
    await suite.prepare_deck(table.table_id, 1, seats=(1, 2, 3))
    await table.sit("ann", "bob")
    await table.resume()
    proven = await proved(suite, await table.hand(1), tmp_path)
    assert (proven.cards, proven.lines) == ({}, [])
    assert "called off before it was dealt" in " ".join(proven.limits)
    file = tmp_path / "hand.json"
    whole, card = file.read_text(), {"position": 0, "card": "CARD_ACE_OF_SPADES", "seat": 1}
    for told in (("proof", "openings"), ("hand", "own_openings")):  # cards that nobody looked at were counted as proved
        content = json.loads(whole)
        content[told[0]][told[1]] = [card]
        file.write_text(json.dumps(content))
        assert refused_by_both(file)


async def voided_when_hands_lie_open(suite: TableSuite, monkeypatch: pytest.MonkeyPatch) -> pb.GetHandResponse:
    """All are all-in on third street and have shown what they have; then the dealer cannot deal on."""
    honest = DealerClient.deal_street

    async def deal_street(dealer: DealerClient, hand_id: str, street: Street, live: Sequence[int]) -> StreetDeal:
        if street is Street.FIFTH:
            raise DomainError(Reason.NOT_FOUND, "the record of the hand is lost")
        return await honest(dealer, hand_id, street, live)

    def exposed(rules: RuleSet) -> None:
        rules.hand.all_in_exposure = ALL_IN_EXPOSURE_IMMEDIATE
        rules.hand.raise_cap = 0

    monkeypatch.setattr(DealerClient, "deal_street", deal_street)
    table = await heads_up(suite, card_room(exposed=exposed), scripted_hands=[])
    hand = await played(table, LOUD)
    assert {"hand_shown", "hand_voided"} <= set(kinds(hand.events))
    return hand


def shown_in(content: Json) -> Json:
    """The first hand that was shown."""
    shown: Json = next(event["hand_shown"] for event in content["hand"]["events"] if "hand_shown" in event)
    return shown


async def test_a_hand_that_was_voided_when_hands_lay_open_is_proved_as_far_as_it_went(
    suite: TableSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = await voided_when_hands_lie_open(suite, monkeypatch)
    proven = await proved(suite, hand, tmp_path)
    assert len(proven.cards) == 4
    file = tmp_path / "hand.json"
    whole = file.read_text()
    for another in ("CARD_ACE_OF_SPADES", shown_in(json.loads(whole))["cards"][0]):
        content = json.loads(whole)
        shown_in(content)["cards"].append(another)
        file.write_text(json.dumps(content))
        assert verifier.main(str(file)) == 1
        with pytest.raises(Mismatch):
            check(read_records(file).evidence())


@pytest.mark.parametrize("lost", ["open_cards", "close_hand"])
async def test_a_hand_shown_after_the_dealer_closed_it_is_proved_though_the_dealers_answer_was_lost(
    suite: TableSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """The winner shows while the table does not know yet that the dealer has closed the hand."""
    honest, asked, shown = getattr(DealerClient, lost), asyncio.Event(), asyncio.Event()

    async def answer_lost(dealer: DealerClient, *what: Any) -> Any:
        answer = await honest(dealer, *what)
        asked.set()
        if not shown.is_set():
            raise ServiceAway("dealer")
        return answer

    monkeypatch.setattr(DealerClient, lost, answer_lost)
    table = await heads_up(suite, scripted_hands=[])
    first = await table.turn()
    await suite.tables.Act(table.action(first, "BRING_IN"))
    await table.act(3 - first.seat, "FOLD")
    show = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id=first.player_id, hand_id=f"{table.table_id}.1", show=True
    )
    if lost == "close_hand":
        await asyncio.wait_for(asked.wait(), 20)
    await suite.tables.ShowOrMuck(show)
    if lost == "open_cards":
        await asyncio.wait_for(asked.wait(), 20)
    shown.set()
    proven = await proved(suite, await table.hand(1), tmp_path)
    assert len(proven.cards) == 4


async def test_a_sealed_hand_that_the_dealer_opened_for_its_winner_is_shown_though_the_table_never_heard_of_it(
    suite: TableSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The winner is told that it could not be done, and does not ask again; the dealer's record has it for ever."""
    honest, shown = (DealerClient.open_cards, DealerClient.close_hand), asyncio.Event()

    async def answer_lost(dealer: DealerClient, *what: Any) -> OpenedCards:
        opened = await honest[0](dealer, *what)
        if not shown.is_set():
            raise ServiceAway("dealer")
        return opened

    async def close_hand(dealer: DealerClient, hand_id: str) -> tuple[Opening, ...]:
        if not shown.is_set():
            raise ServiceAway("dealer")
        return await honest[1](dealer, hand_id)

    monkeypatch.setattr(DealerClient, "open_cards", answer_lost)
    monkeypatch.setattr(DealerClient, "close_hand", close_hand)
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit("ann", "bob")
    for player_id in ("ann", "bob"):
        await suite.tables.RegisterSeatKey(
            pb.RegisterSeatKeyRequest(
                request_id=fresh(),
                table_id=table.table_id,
                player_id=player_id,
                public_key=SeatHolder().public_key,
            )
        )
    await table.resume()
    first = await table.turn()
    await suite.tables.Act(table.action(first, "BRING_IN"))
    await table.act(3 - first.seat, "FOLD")
    show = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id=first.player_id, hand_id=f"{table.table_id}.1", show=True
    )
    await refused(suite.tables.ShowOrMuck(show), Reason.DEPENDENCY_UNAVAILABLE)
    shown.set()
    hand = await table.hand(1)
    proven = await proved(suite, hand, tmp_path)
    assert len(proven.cards) == 4
    assert [event.hand_shown.seat for event in hand.events if event.HasField("hand_shown")] == [first.seat]


async def test_down_cards_that_were_given_are_those_that_were_shown_later(suite: TableSuite, tmp_path: Path) -> None:
    """A table that was bought lets a player act on other cards than were dealt, and gives no proofs of the own ones."""
    table = await heads_up(suite, scripted_hands=[])
    hand = await played(table, QUIET)
    seat = next(event.hand_shown.seat for event in hand.events if event.HasField("hand_shown"))
    asked = pb.GetHandRequest(hand_id=hand.hand_id, player_id=table.players[seat])
    await proved(suite, await suite.tables.GetHand(asked), tmp_path)
    file = tmp_path / "hand.json"
    whole = file.read_text()
    ours = [card for event in hand.events if event.HasField("hand_shown") for card in event.hand_shown.cards]
    theirs = next(
        card
        for event in hand.events
        for each in event.street_dealt.seats
        if each.seat != seat
        for card in each.up_cards
    )
    for card in (next(card for card in Card.values()[1:] if card not in ours), theirs, ours[1]):
        content = json.loads(whole)
        dealt = next(event["street_dealt"] for event in content["hand"]["events"] if "street_dealt" in event)
        next(each for each in dealt["seats"] if each["seat"] == seat)["down_cards"][0] = Card.Name(card)
        file.write_text(json.dumps(content))
        assert refused_by_both(file)


async def test_the_proofs_of_another_seats_cards_are_no_proof_of_the_players_own(
    suite: TableSuite, tmp_path: Path
) -> None:
    """A table that was bought gives a player other cards than were dealt, and right proofs of a neighbour's."""
    table = await heads_up(suite, scripted_hands=[])
    hand = await played(table, QUIET)
    seat = next(event.hand_shown.seat for event in hand.events if event.HasField("hand_shown"))
    mine, others = [
        await suite.tables.GetHand(pb.GetHandRequest(hand_id=hand.hand_id, player_id=player_id, own_openings=True))
        for player_id in (table.players[seat], table.players[3 - seat])
    ]
    await proved(suite, mine, tmp_path)
    del mine.own_openings[:]
    mine.own_openings.extend(others.own_openings)
    file = tmp_path / "hand.json"
    file.write_text(json.dumps({"hand": in_json(mine), "proof": json.loads(file.read_text())["proof"]}))
    assert verifier.main(str(file)) == 1
    as_player = HandRecords(hand=mine, player_id=table.players[seat])
    for records in (HandRecords(hand=mine), as_player):
        with pytest.raises(Mismatch, match=f"are of seat {3 - seat}"):
            check(records.evidence())
    del mine.own_openings[:]
    with pytest.raises(Mismatch, match=f"no proofs of the own cards of seat {seat}"):
        check(as_player.evidence())
