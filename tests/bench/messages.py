"""Real messages of one action at a table of six, for floors that answer without thinking."""

from dataclasses import replace
from pathlib import Path

from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb

from services.betting.application import hands
from services.betting.application.commands import Act, Answer, OpenHand, OpenStreet, SeatStack
from services.betting.domain.actions import ActionKind
from services.betting.domain.state import BettingState
from shared.kernel.game import Street
from shared.kernel.rules import Stakes
from shared.kernel.rules.presets import PRESETS
from shared.rpc.mirror import to_proto

STAKES = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
PLAYERS = 6
EVENTS_BYTES = 260
"""Two facts, the answer kept for a repeated request and the table's line, as the product writes them."""


def raised_state(raises: int = 3) -> BettingState:
    """Third street of six, completed and raised so often."""
    rules = replace(PRESETS["card_room"].hand, raise_cap=0)
    seats = tuple(SeatStack(seat=number, stack_chips=10**9) for number in range(1, PLAYERS + 1))
    state = hands.open_hand(OpenHand(rules=rules, stakes=STAKES, seats=seats, last_two_of_event=False)).outcome.state
    order = tuple(range(1, PLAYERS + 1))
    street = OpenStreet(state=state, street=Street.THIRD, opening_order=order, open_pair_seats=())
    state = hands.open_street(street).outcome.state
    state = _acted(state, ActionKind.BRING_IN, 0)
    state = _acted(state, ActionKind.COMPLETE, STAKES.lower_limit_chips)
    for _ in range(raises):
        state = _acted(state, ActionKind.RAISE, state.price_chips + STAKES.lower_limit_chips)
    return state


def next_raise(state: BettingState) -> Act:
    """The raise of the seat to act."""
    to_chips = state.price_chips + STAKES.lower_limit_chips
    return Act(state=state, seat=state.turn_seat, kind=ActionKind.RAISE, to_chips=to_chips)


def _acted(state: BettingState, kind: ActionKind, to_chips: int) -> BettingState:
    return hands.act(Act(state=state, seat=state.turn_seat, kind=kind, to_chips=to_chips)).outcome.state


def messages() -> tuple[pb.ActRequest, pb.ActResponse]:
    """A call to betting and its answer."""
    command = next_raise(raised_state())
    answer: Answer = hands.act(command)
    return to_proto(command, pb.ActRequest), to_proto(answer, pb.ActResponse)


def write_messages(folder: Path) -> None:
    """What the processes of the floor answer with."""
    request, response = messages()
    (folder / "betting_request").write_bytes(request.SerializeToString())
    (folder / "betting_response").write_bytes(response.SerializeToString())
    answer = table_pb.ActResponse(version=1000, paid_chips=25, stack_chips=10**9)
    (folder / "act_response").write_bytes(answer.SerializeToString())
    state_bytes = len(response.outcome.state.SerializeToString())
    (folder / "row_bytes").write_text(str(state_bytes + EVENTS_BYTES))
