"""What a failed call of the transport means to the game: somebody does not answer, nothing was decided."""

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from shared.kernel.errors import DomainError, Reason
from shared.rpc.client import RemoteError, refusal_from

GARBLED = "Missing :authority header"
"""What gRPC answers to every call over a connection whose headers went out of step; no service of ours said it."""


def failure(code: grpc.StatusCode, details: str) -> AioRpcError:
    return AioRpcError(code, Metadata(), Metadata(), details)


@pytest.mark.parametrize("code", ["UNKNOWN", "RESOURCE_EXHAUSTED", "UNAVAILABLE", "DEADLINE_EXCEEDED"])
def test_a_call_that_the_transport_lost_is_an_outage_and_voids_no_hand(code: str) -> None:
    found = refusal_from(failure(grpc.StatusCode[code], GARBLED), "dealer")
    assert isinstance(found, DomainError)
    assert found.reason is Reason.DEPENDENCY_UNAVAILABLE


def test_a_fault_of_a_service_stays_a_fault() -> None:
    assert isinstance(refusal_from(failure(grpc.StatusCode.INTERNAL, "oh"), "dealer"), RemoteError)
