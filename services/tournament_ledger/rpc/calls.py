"""A mutating request as the application takes it: its key, and how its answer is serialised."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.application.decisions import Call
from shared.kernel.caller import Caller, Role
from shared.observability.logging import bind_call
from shared.rpc.call import current_caller
from shared.rpc.idempotency import digest_of
from shared.storage.requests import RequestKey

SERVICE_SCOPE = "request"
HOUSE_SCOPE = "house"
HAND_SCOPE = "hand"
_REFUSED_FOR_GOOD = frozenset(
    {
        "Deposit",
        "Withdraw",
        "PlaceHold",
        "PostHold",
        "VoidHold",
        "Register",
        "Unregister",
        "ChooseSeat",
        "Rebuy",
        "ReEnter",
        "BuyAddOn",
        "ReleaseSecondChance",
        "AcceptDeal",
        "CancelTournament",
    }
)
"""What moves money, chips or seats: nobody who was told no is surprised by a copy that was late on its way."""
_OF_SERVICES = frozenset({"BuyIn"})
"""Of our services only this, which a player asked for: their other steps may follow in another state."""
Response = TypeVar("Response", bound=Message)


def scope_of(caller: Caller) -> str:
    """Whose request ids they are: a player's own, the house's, or those of our services.

    The ids of our services follow from what they do, so that anybody can work them out: who used one first would
    otherwise keep a hand from being booked for ever. Back ends and operators share theirs: one of them may ask again
    for another.
    """
    if caller.role is Role.SERVICE:
        return SERVICE_SCOPE
    return f"player:{caller.id}" if caller.role is Role.PLAYER else HOUSE_SCOPE


def call_of(method: str, request: Any, answer: Callable[[Any], Message]) -> Call:
    """The call of an RPC; ``answer`` makes the response of what the use case answers."""
    bind_call(request_id=request.request_id)
    caller = current_caller()
    key = RequestKey(scope_of(caller), request.request_id, digest_of(method, cast("Message", request)))
    player_id = caller.id if caller.role is Role.PLAYER else ""
    for_good = method in (_OF_SERVICES if caller.role is Role.SERVICE else _REFUSED_FOR_GOOD)
    return Call(
        request.request_id,
        key,
        lambda value: answer(value).SerializeToString(),
        player_id=player_id,
        refused_for_good=for_good,
        from_outside=caller.role is not Role.SERVICE,
    )


def directed_call(method: str, request: Any, answer: Callable[[Any], Message]) -> Call:
    """The call of a director. Who directs is no part of its content: another one may ask for the same again."""
    content = type(request)()
    content.CopyFrom(request)
    content.ClearField("director_id")
    return replace(call_of(method, content, answer), director_id=request.director_id)


def hand_call(request: pb.RecordHandRequest, answer: Callable[[Any], Message]) -> Call:
    """The call of RecordHand: the hand's id is a second key, with the content but for the request id."""
    content = pb.RecordHandRequest()
    content.CopyFrom(request)
    content.ClearField("hand_for_hand_round")  # which round it counts for is what was booked first
    content.ClearField("deck_root")  # a hand that an older release booked without it may be told again with it
    call = call_of("RecordHand", content, answer)
    content.ClearField("request_id")
    hand_key = RequestKey(HAND_SCOPE, request.hand_id, digest_of("RecordHand", content))
    return Call(call.request_id, call.key, call.encode, hand_key)


def response_of(content: bytes, kind: type[Response]) -> Response:
    """The response that was remembered, or has just been made."""
    return kind.FromString(content)
