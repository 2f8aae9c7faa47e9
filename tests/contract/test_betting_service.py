"""Betting through its contract: a real server on a free port, real calls, state in and state out."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.betting.v1 import betting_state_pb2 as state_pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.common.v1 import betting_pb2, game_pb2, rules_pb2

from services.betting.domain.facts import ActionTaken, AntePosted, SeatFrozen, StreetClosed, UncalledBetReturned
from services.betting.domain.outcome import BettingOutcome
from services.betting.domain.settlement import PotAward, PotShare
from services.betting.domain.state import BettingState, SeatBetting
from services.betting.rpc.assembly import betting_assembly
from shared.kernel.caller import Caller, Role
from shared.rpc.client import RemoteError, unpack_error
from shared.rpc.mirror import unmirrored
from shared.rpc.rules import preset_messages
from tests.support.servers import calling, running, serving

ACT = state_pb.NEXT_STEP_ACT
DEAL = state_pb.NEXT_STEP_DEAL_STREET
STREETS = (
    game_pb2.STREET_THIRD,
    game_pb2.STREET_FOURTH,
    game_pb2.STREET_FIFTH,
    game_pb2.STREET_SIXTH,
    game_pb2.STREET_SEVENTH,
)


@pytest.fixture
async def address() -> AsyncIterator[str]:
    async with serving(betting_assembly()) as server:
        yield server.address


@pytest.fixture
async def stub(address: str) -> AsyncIterator[BettingServiceStub]:
    async with calling(address) as channel:
        yield BettingServiceStub(channel)


def hand_rules(preset: str) -> rules_pb2.HandRules:
    rules = rules_pb2.HandRules()
    rules.CopyFrom(preset_messages()[preset].hand)
    return rules


def opening(preset: str = "card_room", **stacks: int) -> pb.OpenHandRequest:
    amounts = rules_pb2.Stakes(ante_chips=1, bring_in_chips=3, lower_limit_chips=10, upper_limit_chips=20)
    seats = [pb.SeatStack(seat=int(name[4:]), stack_chips=chips) for name, chips in stacks.items()]
    if not seats:
        seats = [pb.SeatStack(seat=seat, stack_chips=100) for seat in (1, 2, 3)]
    return pb.OpenHandRequest(rules=hand_rules(preset), stakes=amounts, seats=seats)


async def third_street(stub: BettingServiceStub, preset: str = "card_room") -> state_pb.BettingOutcome:
    """Seat 2 owes the bring-in, then 3 and 1."""
    opened = (await stub.OpenHand(opening(preset))).outcome
    request = pb.OpenStreetRequest(state=opened.state, street=game_pb2.STREET_THIRD, opening_order=[2, 3, 1])
    return (await stub.OpenStreet(request)).outcome


async def act(
    stub: BettingServiceStub,
    outcome: state_pb.BettingOutcome,
    kind: betting_pb2.ActionKind.ValueType,
    to_chips: int = 0,
    seat: int = 0,
) -> state_pb.BettingOutcome:
    seat = seat or outcome.turn.seat
    request = pb.ActRequest(state=outcome.state, seat=seat, kind=kind, to_chips=to_chips)
    return (await stub.Act(request)).outcome


async def refusal(call: Awaitable[Any]) -> RemoteError:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return unpack_error(refused.value)


def fact_names(outcome: state_pb.BettingOutcome) -> list[str | None]:
    return [fact.WhichOneof("fact") for fact in outcome.facts]


async def test_a_whole_hand_from_the_antes_to_the_last_chip(stub: BettingServiceStub) -> None:
    outcome = (await stub.OpenHand(opening())).outcome
    assert fact_names(outcome) == ["ante_posted"] * 3
    assert (outcome.next, outcome.pot_total_chips) == (DEAL, 3)
    for street in STREETS:
        live = [seat.seat for seat in outcome.state.seats if seat.status != state_pb.SEAT_STATUS_FOLDED]
        request = pb.OpenStreetRequest(state=outcome.state, street=street, opening_order=live)
        outcome = (await stub.OpenStreet(request)).outcome
        while outcome.next == ACT:
            offered = {action.kind for action in outcome.turn.actions}
            calm = (betting_pb2.ACTION_KIND_CHECK, betting_pb2.ACTION_KIND_BRING_IN, betting_pb2.ACTION_KIND_CALL)
            outcome = await act(stub, outcome, next(kind for kind in calm if kind in offered))
        assert fact_names(outcome)[-1] == "street_closed"
    assert outcome.next == state_pb.NEXT_STEP_SHOWDOWN
    assert [(pot.chips, list(pot.eligible_seats)) for pot in outcome.pots] == [(12, [1, 2, 3])]
    result = pb.PotResult(pot_index=0, winner_seats=[3, 1])
    paid = await stub.Settle(pb.SettleRequest(state=outcome.state, results=[result]))
    assert paid.outcome.next == state_pb.NEXT_STEP_END
    assert [(seat.seat, seat.stack_chips) for seat in paid.outcome.state.seats] == [(1, 102), (2, 96), (3, 102)]
    assert [(share.seat, share.chips) for share in paid.awards[0].shares] == [(3, 6), (1, 6)]


async def test_every_turn_carries_all_that_is_legal_with_exact_amounts(stub: BettingServiceStub) -> None:
    outcome = await third_street(stub)
    assert outcome.turn == betting_pb2.LegalActions(
        seat=2,
        actions=[
            betting_pb2.LegalAction(kind=betting_pb2.ACTION_KIND_BRING_IN, pay_chips=3),
            betting_pb2.LegalAction(kind=betting_pb2.ACTION_KIND_COMPLETE, to_chips_choices=[10]),
        ],
    )
    outcome = await act(stub, outcome, betting_pb2.ACTION_KIND_COMPLETE, 10)
    assert outcome.facts[0].action_taken == state_pb.ActionTaken(
        seat=2,
        kind=betting_pb2.ACTION_KIND_COMPLETE,
        paid_chips=10,
        to_chips=10,
        cause=betting_pb2.ACTION_CAUSE_PLAYER,
    )
    assert [action.pay_chips for action in outcome.turn.actions] == [0, 10, 0]


async def test_big_bet_games_offer_a_range(stub: BettingServiceStub) -> None:
    request = opening("regulated_tournament")
    request.rules.structure = game_pb2.STRUCTURE_POT_LIMIT
    opened = (await stub.OpenHand(request)).outcome
    order = pb.OpenStreetRequest(state=opened.state, street=game_pb2.STREET_THIRD, opening_order=[2, 3, 1])
    outcome = await act(stub, (await stub.OpenStreet(order)).outcome, betting_pb2.ACTION_KIND_BRING_IN)
    wager = outcome.turn.actions[-1]
    assert (wager.kind, wager.to_chips_min, wager.to_chips_max) == (betting_pb2.ACTION_KIND_COMPLETE, 20, 20)


async def test_the_same_question_has_the_same_answer(stub: BettingServiceStub) -> None:
    outcome = await third_street(stub)
    first = await act(stub, outcome, betting_pb2.ACTION_KIND_BRING_IN)
    assert await act(stub, outcome, betting_pb2.ACTION_KIND_BRING_IN) == first


async def test_the_last_one_left_wins_unshown(stub: BettingServiceStub) -> None:
    outcome = await act(stub, await third_street(stub), betting_pb2.ACTION_KIND_BRING_IN)
    outcome = await act(stub, outcome, betting_pb2.ACTION_KIND_FOLD)
    outcome = await act(stub, outcome, betting_pb2.ACTION_KIND_FOLD)
    assert fact_names(outcome) == ["action_taken", "uncalled_bet_returned", "street_closed"]
    assert outcome.next == state_pb.NEXT_STEP_UNCONTESTED
    paid = await stub.Settle(pb.SettleRequest(state=outcome.state))
    assert paid.awards[0].uncontested
    assert paid.outcome.state.seats[1].stack_chips == 102


async def test_the_clock_freezes_and_says_what_follows(stub: BettingServiceStub) -> None:
    clock = preset_messages()["card_room"].clock
    outcome = await act(stub, await third_street(stub), betting_pb2.ACTION_KIND_BRING_IN)
    outcome = await act(stub, outcome, betting_pb2.ACTION_KIND_COMPLETE, 10)
    outcome = await act(stub, outcome, betting_pb2.ACTION_KIND_CALL)
    request = pb.ExpireRequest(
        state=outcome.state, seat=2, cause=betting_pb2.ACTION_CAUSE_CLOCK, clock_rules=clock, protections_used=0
    )
    expired = await stub.Expire(request)
    assert (expired.protected, expired.sits_out) == (True, True)
    assert fact_names(expired.outcome) == ["seat_frozen", "street_closed"]
    assert expired.outcome.state.seats[1].status == state_pb.SEAT_STATUS_FROZEN


async def test_the_house_takes_rake_when_it_is_asked_to(stub: BettingServiceStub) -> None:
    outcome = await act(stub, await third_street(stub), betting_pb2.ACTION_KIND_COMPLETE, 10)
    for kind in (betting_pb2.ACTION_KIND_CALL, betting_pb2.ACTION_KIND_FOLD):
        outcome = await act(stub, outcome, kind)
    request = pb.OpenStreetRequest(state=outcome.state, street=game_pb2.STREET_FOURTH, opening_order=[2, 3])
    outcome = await act(stub, (await stub.OpenStreet(request)).outcome, betting_pb2.ACTION_KIND_FOLD)
    rake = rules_pb2.RakeRules(basis_points=1000, unit_chips=1, no_fourth_street_no_rake=True)
    paid = await stub.Settle(pb.SettleRequest(state=outcome.state, rake=rake))
    assert (paid.rake_chips, paid.outcome.state.seats[2].stack_chips) == (2, 89 + 21)


Change = Callable[[pb.ActRequest], None]


def set_kind(kind: int) -> Change:
    def change(request: pb.ActRequest) -> None:
        request.kind = kind  # type: ignore[assignment]  # an unknown number may come from a newer caller

    return change


def set_amount(kind: betting_pb2.ActionKind.ValueType, to_chips: int) -> Change:
    def change(request: pb.ActRequest) -> None:
        request.kind = kind
        request.to_chips = to_chips

    return change


def set_seat(seat: int) -> Change:
    def change(request: pb.ActRequest) -> None:
        request.seat = seat

    return change


@pytest.mark.parametrize(
    ("change", "code", "reason", "metadata"),
    [
        (set_kind(0), grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_INVALID", {"field": "kind"}),
        (set_kind(99), grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_INVALID", {"field": "kind"}),
        (
            set_kind(betting_pb2.ACTION_KIND_COMPLETE),
            grpc.StatusCode.INVALID_ARGUMENT,
            "REQUEST_INVALID",
            {"field": "to_chips"},
        ),
        (
            set_amount(betting_pb2.ACTION_KIND_COMPLETE, -5),
            grpc.StatusCode.INVALID_ARGUMENT,
            "REQUEST_INVALID",
            {"field": "to_chips"},
        ),
        (
            set_amount(betting_pb2.ACTION_KIND_BRING_IN, 3),
            grpc.StatusCode.INVALID_ARGUMENT,
            "REQUEST_INVALID",
            {"field": "to_chips"},
        ),
        (
            set_amount(betting_pb2.ACTION_KIND_COMPLETE, 11),
            grpc.StatusCode.FAILED_PRECONDITION,
            "AMOUNT_NOT_LEGAL",
            {"amount_chips": "11", "allowed": "10"},
        ),
        (
            set_kind(betting_pb2.ACTION_KIND_FOLD),
            grpc.StatusCode.FAILED_PRECONDITION,
            "ACTION_NOT_LEGAL",
            {"action": "FOLD", "legal": "BRING_IN (pays 3), COMPLETE (to 10)"},
        ),
        (set_seat(1), grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN", {"seat": "1", "turn_seat": "2"}),
        (set_seat(9), grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_INVALID", {"field": "seat"}),
    ],
)
async def test_an_action_that_is_not_legal_is_refused_with_what_is(
    stub: BettingServiceStub, change: Change, code: grpc.StatusCode, reason: str, metadata: dict[str, str]
) -> None:
    outcome = await third_street(stub)
    request = pb.ActRequest(state=outcome.state, seat=2, kind=betting_pb2.ACTION_KIND_BRING_IN)
    change(request)
    error = await refusal(stub.Act(request))
    assert (error.code, error.reason, dict(error.metadata)) == (code, reason, metadata)


async def test_a_state_that_gained_chips_is_refused(stub: BettingServiceStub) -> None:
    outcome = await third_street(stub)
    outcome.state.seats[0].stack_chips += 5
    error = await refusal(act(stub, outcome, betting_pb2.ACTION_KIND_BRING_IN))
    assert (error.code, error.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CHIPS_NOT_CONSERVED")
    assert dict(error.metadata) == {"before_chips": "300", "after_chips": "305"}


async def test_a_request_without_a_state_is_refused(stub: BettingServiceStub) -> None:
    error = await refusal(stub.Act(pb.ActRequest(seat=1, kind=betting_pb2.ACTION_KIND_FOLD)))
    assert (error.reason, dict(error.metadata)) == ("REQUEST_INVALID", {"field": "state"})


async def test_a_street_out_of_its_order_is_refused(stub: BettingServiceStub) -> None:
    opened = (await stub.OpenHand(opening())).outcome
    request = pb.OpenStreetRequest(state=opened.state, street=game_pb2.STREET_FIFTH, opening_order=[1, 2, 3])
    error = await refusal(stub.OpenStreet(request))
    assert (error.code, error.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "OUT_OF_STEP")


async def test_rules_that_make_no_sense_together_are_refused_by_field(stub: BettingServiceStub) -> None:
    request = opening()
    request.stakes.upper_limit_chips = 30
    request.stakes.bring_in_chips = 9
    error = await refusal(stub.OpenHand(request))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "RULES_INVALID")
    fields = [violation.field for violation in error.violations]
    assert fields == ["stakes.upper_limit_chips", "stakes.bring_in_chips"]


async def test_a_rule_that_is_not_set_is_refused_and_not_guessed(stub: BettingServiceStub) -> None:
    request = opening()
    request.rules.ClearField("raise_cap")
    error = await refusal(stub.OpenHand(request))
    assert (error.reason, dict(error.metadata)) == ("REQUEST_INVALID", {"field": "rules.raise_cap"})


@pytest.mark.parametrize("role", [Role.PLAYER, Role.OBSERVER, Role.BACKEND, Role.AUDITOR, Role.OPERATOR])
async def test_only_our_own_services_may_ask(address: str, role: Role) -> None:
    async with calling(address, Caller(role, "somebody")) as channel:
        error = await refusal(BettingServiceStub(channel).OpenHand(opening()))
    assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_PERMITTED")


async def test_it_says_who_it_is_to_anybody(address: str) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        info = (await BettingServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest(), timeout=5)).info
    assert (info.service, list(info.grpc_services)) == ("betting", ["sevenstud.betting.v1.BettingService"])
    assert {limit.name for limit in info.limits} == {"request_bytes_max", "seats_max", "schema_version"}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (BettingState, state_pb.BettingState),
        (SeatBetting, state_pb.SeatBetting),
        (BettingOutcome, state_pb.BettingOutcome),
        (AntePosted, state_pb.AntePosted),
        (ActionTaken, state_pb.ActionTaken),
        (SeatFrozen, state_pb.SeatFrozen),
        (UncalledBetReturned, state_pb.UncalledBetReturned),
        (StreetClosed, state_pb.StreetClosed),
        (PotAward, betting_pb2.PotAward),
        (PotShare, betting_pb2.PotShare),
    ],
)
def test_nothing_of_the_contract_is_left_unfilled(ours: type, theirs: type) -> None:
    assert unmirrored(ours, theirs) == frozenset()


@pytest.mark.process
async def test_it_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    async with running("betting", tmp_path) as service:
        async with calling(service.address) as channel:
            outcome = await third_street(BettingServiceStub(channel), "classic")
            assert outcome.turn.seat == 2
        assert service.stop() == 0
