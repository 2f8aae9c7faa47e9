"""What the failure of a call to another service means to the game."""

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from services.orchestrator.adapters.remote import refusal
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.rpc.errors import refusal_of


def failed(reason: Reason) -> AioRpcError:
    """As the dealer refuses, over the wire."""
    said = refusal_of(DomainError(reason, "not now, or not ever", {"limit": "unary_calls_max"}), "dealer")
    return AioRpcError(said.code, Metadata(), Metadata(*said.trailer), said.message)


@pytest.mark.parametrize(
    "reason", [Reason.LIMIT_REACHED, Reason.DRAINING, Reason.DEADLINE_PASSED, Reason.DEPENDENCY_UNAVAILABLE]
)
def test_a_service_that_cannot_work_on_a_call_now_is_waited_for_and_voids_no_hand(reason: Reason) -> None:
    meant = refusal(failed(reason), "dealer")
    assert isinstance(meant, ServiceAway)
    assert meant.service == "dealer"


@pytest.mark.parametrize("reason", [Reason.CALLER_UNKNOWN, Reason.NOT_PERMITTED])
def test_so_is_one_that_does_not_let_us_in(reason: Reason) -> None:
    """A certificate that has expired, or was revoked by mistake, says nothing about a hand."""
    meant = refusal(failed(reason), "betting")
    assert isinstance(meant, ServiceAway)
    assert meant.service == "betting"


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN])
def test_so_is_one_whose_answer_did_not_come_whole(code: grpc.StatusCode) -> None:
    meant = refusal(AioRpcError(code, Metadata(), Metadata(), "Stream removed"), "betting")
    assert isinstance(meant, ServiceAway)


@pytest.mark.parametrize("reason", [Reason.NOT_SEATED, Reason.OUT_OF_STEP, Reason.REQUEST_ID_REUSED])
def test_a_refusal_by_the_rules_stays_one(reason: Reason) -> None:
    meant = refusal(failed(reason), "tournament_ledger")
    assert isinstance(meant, DomainError)
    assert not isinstance(meant, ServiceAway)
    assert meant.reason is reason
