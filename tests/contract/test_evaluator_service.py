"""The evaluator through its contract: a real server, real calls; once as a process of its own."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import grpc
import pytest
from sevenstud.common.v1.card_pb2 import Card as CardMessage
from sevenstud.common.v1.rule_options_pb2 import COMMON_CARD_OPENER_UP_CARDS_AND_COMMON
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.rpc.assembly import evaluator_assembly
from shared.kernel.caller import Caller, Role
from shared.kernel.cards import mask_of, parse_card, parse_cards
from shared.kernel.errors import Reason
from shared.rpc.client import RemoteError, unpack_error
from shared.rpc.drain import Drain
from shared.rpc.rules import preset_messages
from tests.support.evaluator_engines import EVERY, engines
from tests.support.servers import calling, running, serving

REGULATED = preset_messages()["regulated_tournament"].hand
CARD_ROOM = preset_messages()["card_room"].hand
PLAYER = Caller(Role.PLAYER, "p1")
BACKEND = Caller(Role.BACKEND, "lobby")
ROYAL = "Tc Jc Qc Kc Ac 2d 3d"


@pytest.fixture
async def address() -> AsyncIterator[str]:
    drain = Drain()
    batch = ValueBatch(PlainEngine(), Slots("batches_max", 2))
    equity = EstimateEquity(PlainEquity(), Slots("equity_streams_max", 2))
    async with serving(evaluator_assembly(batch, equity, drain), drain=drain) as server:
        yield server.address


@pytest.fixture
async def stub(address: str) -> AsyncIterator[EvaluatorServiceStub]:
    async with calling(address) as channel:
        yield EvaluatorServiceStub(channel)


def card(text: str) -> CardMessage.ValueType:
    return CardMessage.ValueType(parse_card(text))


def cards(text: str) -> list[CardMessage.ValueType]:
    return [CardMessage.ValueType(number) for number in parse_cards(text)]


def seat_hand(seat: int, text: str) -> pb.SeatHand:
    return pb.SeatHand(seat=seat, cards=cards(text), up_cards=cards(text)[2:6])


def boards(up_cards: dict[int, str]) -> Iterable[pb.SeatBoard]:
    return [pb.SeatBoard(seat=seat, up_cards=cards(text)) for seat, text in up_cards.items()]


async def refusal(call: Any) -> RemoteError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return unpack_error(failed.value)


# --- hands ------------------------------------------------------------------------------------


async def test_a_hand_is_valued_with_its_five_cards_and_its_name_in_both_languages(stub: EvaluatorServiceStub) -> None:
    answer = await stub.Evaluate(pb.EvaluateRequest(cards=cards("Tc Td Th 4s 4d Kc Kh")))
    assert answer.value.category == pb.HAND_CATEGORY_FULL_HOUSE
    assert answer.value.strength == 7 * 16**5 + 0x888BB
    assert list(answer.value.best_five) == cards("Th Td Tc Kh Kc")
    assert answer.value.description_en == "full house, tens full of kings"
    assert answer.value.description_it == "full di dieci ai re"


async def test_a_card_twice_and_a_card_face_down_are_refused(stub: EvaluatorServiceStub) -> None:
    for wrong in ([*cards("As Kd Qh Jc"), card("As")], [*cards("As Kd Qh Jc"), CardMessage.CARD_FACE_DOWN]):
        error = await refusal(stub.Evaluate(pb.EvaluateRequest(cards=wrong)))
        assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, Reason.CARDS_INVALID)
        assert error.metadata["expected"]


@pytest.mark.parametrize("text", ["As Kd Qh Jc", "As Kd Qh Jc Ts 9d 8h 7c"])
async def test_a_wrong_number_of_cards_is_refused_with_its_field(stub: EvaluatorServiceStub, text: str) -> None:
    error = await refusal(stub.Evaluate(pb.EvaluateRequest(cards=cards(text))))
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert [violation.field for violation in error.violations] == ["cards"]


async def test_a_batch_gives_the_same_strengths_as_single_hands(stub: EvaluatorServiceStub) -> None:
    hands = [ROYAL, "2c 3d 4h 5s 7c", "Ac Ad Kh Ks Qd Qc"]
    masks = struct.pack("<3Q", *(mask_of(parse_cards(text)) for text in hands))
    batch = await stub.EvaluateBatch(pb.EvaluateBatchRequest(masks=masks))
    singles = [(await stub.Evaluate(pb.EvaluateRequest(cards=cards(text)))).value.strength for text in hands]
    assert list(struct.unpack("<3I", batch.strengths)) == singles


async def test_a_batch_of_half_a_million_hands_fits_one_call(stub: EvaluatorServiceStub) -> None:
    masks = struct.pack("<Q", mask_of(parse_cards(ROYAL))) * 500_000
    batch = await stub.EvaluateBatch(pb.EvaluateBatchRequest(masks=masks))
    assert batch.strengths == struct.pack("<I", 10 * 16**5 + 0xCBA98) * 500_000


async def test_one_hand_more_is_refused(stub: EvaluatorServiceStub) -> None:
    error = await refusal(stub.EvaluateBatch(pb.EvaluateBatchRequest(masks=bytes(4_000_008))))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, Reason.REQUEST_INVALID)


async def test_a_bad_hand_in_a_batch_is_named_by_its_place(stub: EvaluatorServiceStub) -> None:
    masks = struct.pack("<2Q", mask_of(parse_cards(ROYAL)), 0b1111)
    error = await refusal(stub.EvaluateBatch(pb.EvaluateBatchRequest(masks=masks)))
    assert error.reason is Reason.CARDS_INVALID
    assert [violation.field for violation in error.violations] == ["masks[1]"]


# --- orders -----------------------------------------------------------------------------------


async def test_the_bring_in_goes_from_the_lowest_door_card_up(stub: EvaluatorServiceStub) -> None:
    doors = [
        pb.SeatDoorCard(seat=seat, card=card(text))
        for seat, text in {1: "3h", 2: "2s", 3: "2d", 4: "2h", 5: "Ac"}.items()
    ]
    answer = await stub.OrderBringIn(pb.OrderBringInRequest(door_cards=doors, rules=REGULATED))
    assert list(answer.seats) == [3, 4, 2, 1, 5]


async def test_boards_are_ordered_with_ties_and_open_pairs(stub: EvaluatorServiceStub) -> None:
    asked = pb.OrderBoardsRequest(boards=boards({1: "Qd 7c", 2: "Ac 9d", 3: "As 9s", 4: "2h 2d"}), rules=REGULATED)
    answer = await stub.OrderBoards(asked)
    assert list(answer.seats) == [4, 2, 3, 1]
    assert [list(group.seats) for group in answer.groups] == [[4], [2, 3], [1]]
    assert list(answer.open_pair_seats) == [4]


async def test_the_common_card_counts_for_the_opener_only_where_the_rules_say_so(stub: EvaluatorServiceStub) -> None:
    asked = pb.OrderBoardsRequest(
        boards=boards({1: "As Kd 9c 4h", 2: "Qc Jd 7s 5h"}), common_card=card("Qd"), rules=REGULATED
    )
    assert list((await stub.OrderBoards(asked)).seats) == [1, 2]
    asked.rules.common_card_opener = COMMON_CARD_OPENER_UP_CARDS_AND_COMMON
    assert list((await stub.OrderBoards(asked)).seats) == [2, 1]


async def test_a_showdown_names_winners_in_odd_chip_order_and_who_shows(stub: EvaluatorServiceStub) -> None:
    hands = [
        seat_hand(1, "9c 8s 7d 6h 5s As 2d"),
        seat_hand(2, "9d 8c 7h 6s 5d Kh 2c"),
        seat_hand(4, "Qc Qs 3d 4h Jc 2s 8d"),
    ]
    pots = [pb.PotToWin(pot_index=0, eligible_seats=[1, 2, 4]), pb.PotToWin(pot_index=1, eligible_seats=[1, 4])]
    asked = pb.RankShowdownRequest(hands=hands, pots=pots, rules=REGULATED, last_aggressor_seat=4, first_to_act_seat=1)
    answer = await stub.RankShowdown(asked)
    assert [list(pot.winner_seats) for pot in answer.winners] == [[2, 1], [1]]
    assert [(step.seat, step.must_show) for step in answer.show_order] == [(4, True), (1, True), (2, True)]
    assert [value.value.description_en for value in answer.values][2] == "pair of queens with jack, eight, four"
    asked.rules.CopyFrom(CARD_ROOM)
    assert [list(pot.winner_seats) for pot in (await stub.RankShowdown(asked)).winners] == [[1, 2], [1]]


async def test_a_showdown_through_the_common_card(stub: EvaluatorServiceStub) -> None:
    hands = [seat_hand(1, "Kh Qd Js Tc 4d 3s"), seat_hand(2, "Ks Qc Jd Td 5h 2h")]
    pots = [pb.PotToWin(pot_index=0, eligible_seats=[1, 2])]
    asked = pb.RankShowdownRequest(hands=hands, common_card=card("Ac"), pots=pots, rules=REGULATED)
    assert list((await stub.RankShowdown(asked)).winners[0].winner_seats) == [2, 1]
    asked.ClearField("common_card")
    assert (await refusal(stub.RankShowdown(asked))).reason is Reason.CARDS_INVALID


async def test_rules_with_a_field_not_set_are_refused_by_its_path(stub: EvaluatorServiceStub) -> None:
    asked = pb.OrderBringInRequest(door_cards=[pb.SeatDoorCard(seat=1, card=card("2c"))], rules=REGULATED)
    asked.rules.ClearField("bring_in_by")
    error = await refusal(stub.OrderBringIn(asked))
    assert error.reason is Reason.REQUEST_INVALID
    assert [violation.field for violation in error.violations] == ["rules.bring_in_by"]


# --- equity -----------------------------------------------------------------------------------


def equity_request(*hands: str, **more: int) -> pb.EstimateEquityRequest:
    request = pb.EstimateEquityRequest(hands=[pb.EquityHand(cards=cards(text)) for text in hands])
    for name, value in more.items():
        setattr(request, name, value)
    return request


async def test_equity_narrows_over_the_stream_and_its_last_word_is_marked(stub: EvaluatorServiceStub) -> None:
    request = equity_request("As Ad Ac", "2c 7d 9h", error_millionths=6_000, seed=3)
    estimates = [estimate async for estimate in stub.EstimateEquity(request)]
    assert [estimate.final for estimate in estimates[:-1]] == [False] * (len(estimates) - 1)
    assert estimates[-1].final
    assert not estimates[-1].exact
    assert estimates[-1].deals_count > estimates[0].deals_count
    assert all(equity.error_millionths < 6_000 for equity in estimates[-1].equities)
    assert estimates[-1].equities[0].share_millionths > estimates[-1].equities[1].share_millionths


async def test_equity_is_exact_where_few_cards_are_to_come(stub: EvaluatorServiceStub) -> None:
    request = equity_request("As Ad Ac 7c 8d 2c 3s", "Kh Qh 9h 3h 4c 5d")
    (only,) = [estimate async for estimate in stub.EstimateEquity(request)]
    assert only.exact
    assert only.final
    assert only.deals_count == 39
    assert [equity.win_millionths for equity in only.equities] == [769_231, 230_769]


async def test_every_engine_serves_the_same_strengths_and_the_same_estimates() -> None:
    masks = struct.pack("<2Q", mask_of(parse_cards(ROYAL)), mask_of(parse_cards("2c 3d 4h 5s 7c")))
    requests = [
        equity_request("As Kd Qh", "2c 2d", "", deals_max=3_500, seed=11),
        equity_request("As Ad Ac 7c 8d 2c", "Kh Qh 9h 3h 4c 5d"),
    ]
    answers: list[list[bytes]] = []
    for name in EVERY:
        _, batch, equity = engines(name)
        assembly = evaluator_assembly(
            ValueBatch(batch, Slots("batches_max", 2)), EstimateEquity(equity, Slots("equity_streams_max", 2)), Drain()
        )
        async with serving(assembly) as server, calling(server.address) as channel:
            own = EvaluatorServiceStub(channel)
            said = [(await own.EvaluateBatch(pb.EvaluateBatchRequest(masks=masks))).SerializeToString()]
            for request in requests:
                said += [estimate.SerializeToString() async for estimate in own.EstimateEquity(request)]
        answers.append(said)
    assert answers[0] == answers[1] == answers[2]
    assert len(answers[0]) == 1 + 3 + 1


async def test_a_caller_may_leave_an_equity_stream_and_ask_again(stub: EvaluatorServiceStub) -> None:
    long = equity_request("As Kd Qh", "", error_millionths=1, deals_max=10_000_000)
    for _ in range(4):  # more often than there are places
        call = stub.EstimateEquity(long)
        first = await call.read()
        assert isinstance(first, pb.EstimateEquityResponse)
        assert not first.final
        call.cancel()
    assert (await stub.Evaluate(pb.EvaluateRequest(cards=cards(ROYAL)))).value.category == pb.HAND_CATEGORY_ROYAL_FLUSH


async def test_short_questions_are_answered_while_equity_is_worked_on(stub: EvaluatorServiceStub) -> None:
    call = stub.EstimateEquity(equity_request("As Kd Qh", "", error_millionths=1, deals_max=10_000_000))
    await call.read()
    for _ in range(5):
        await stub.Evaluate(pb.EvaluateRequest(cards=cards(ROYAL)), timeout=1.0)
    assert not call.done()
    call.cancel()


async def test_a_caller_who_asks_for_long_work_without_end_leaves_room_for_others(address: str) -> None:
    long = equity_request("", "", "", "", "", "", "", "", error_millionths=1, deals_max=10_000_000)
    async with calling(address, BACKEND) as greedy, calling(address, Caller(Role.BACKEND, "modest")) as modest:
        calls = [EvaluatorServiceStub(greedy).EstimateEquity(long) for _ in range(4)]
        firsts = await asyncio.gather(*(call.read() for call in calls), return_exceptions=True)
        assert sum(isinstance(each, grpc.aio.AioRpcError) for each in firsts) == 3
        async for answer in EvaluatorServiceStub(modest).EstimateEquity(equity_request("As Kd Qh", "")):
            assert answer.deals_count == 1_000
            break
        for call in calls:
            call.cancel()


# --- who may ask, and who answers -------------------------------------------------------------


Ask = Callable[[EvaluatorServiceStub], Any]


@pytest.mark.parametrize(
    ("caller", "ask", "allowed"),
    [
        (PLAYER, lambda stub: stub.Evaluate(pb.EvaluateRequest(cards=cards(ROYAL))), False),
        (BACKEND, lambda stub: stub.Evaluate(pb.EvaluateRequest(cards=cards(ROYAL))), True),
        (
            BACKEND,
            lambda stub: stub.OrderBoards(pb.OrderBoardsRequest(boards=boards({1: "As"}), rules=REGULATED)),
            False,
        ),
        (PLAYER, lambda stub: stub.GetServiceInfo(pb.GetServiceInfoRequest()), True),
    ],
)
async def test_rights_follow_the_role(address: str, caller: Caller, ask: Ask, allowed: bool) -> None:
    async with calling(address, caller) as channel:
        if allowed:
            await ask(EvaluatorServiceStub(channel))
        else:
            assert (await refusal(ask(EvaluatorServiceStub(channel)))).reason is Reason.NOT_PERMITTED


async def test_the_service_says_who_it_is_and_what_it_allows(stub: EvaluatorServiceStub) -> None:
    info = (await stub.GetServiceInfo(pb.GetServiceInfoRequest())).info
    assert info.service == "evaluator"
    assert list(info.grpc_services) == ["sevenstud.evaluator.v1.EvaluatorService"]
    limits = {limit.name: limit.value for limit in info.limits}
    assert limits["batch_hands_max"] == 500_000
    assert limits["request_bytes_max"] == 4 * 1024 * 1024


@pytest.mark.process
async def test_as_a_process_it_serves_and_stops_cleanly(tmp_path: Path) -> None:
    async with running("evaluator", tmp_path) as process:
        async with calling(process.address) as channel:
            stub = EvaluatorServiceStub(channel)
            answer = await stub.Evaluate(pb.EvaluateRequest(cards=cards(ROYAL)))
            assert answer.value.description_it == "scala reale"
            limits = (await stub.GetServiceInfo(pb.GetServiceInfoRequest())).info.limits
            assert {limit.name for limit in limits} >= {"batches_max", "equity_streams_max"}
        assert process.stop() == 0
        log = process.log.read_text()
    assert "listening" in log
    assert "rpc_failed" not in log


@pytest.mark.process
async def test_a_process_with_faulty_settings_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="exit code 2") as refused:
        async with running("evaluator", tmp_path, {"BATCHES_MAX": "none", "COLOUR": "red"}):
            pass
    assert "BATCHES_MAX" in str(refused.value)
    assert "COLOUR" in str(refused.value)
