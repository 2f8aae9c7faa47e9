"""A service as a process, its settings, and how outages and reasons are told."""

import asyncio
import re
import resource
import socket
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.kernel.errors import DomainError, Reason
from shared.rpc.client import refusal_from
from shared.rpc.errors import code_of
from shared.rpc.main import DESCRIPTORS
from tests.support.servers import calling, running

FEW_DESCRIPTORS = 128
EQUITY = pb.EstimateEquityRequest(hands=[pb.EquityHand(), pb.EquityHand()])


async def test_a_service_process_stops_with_exit_code_zero_and_refuses_a_twin(tmp_path: Path) -> None:
    module = "tests.support.evaluator_double"
    async with running("evaluator", tmp_path, module=module) as first:
        async with calling(first.address) as channel:
            stub = EvaluatorServiceStub(channel)
            stream = aiter(stub.EstimateEquity(EQUITY))
            await anext(stream)
            with pytest.raises(AssertionError, match="is another instance running") as twin:
                async with running("evaluator", tmp_path, {"LISTEN": first.address}, module=module):
                    pass
            assert "exit code 1" in str(twin.value)
            code = asyncio.create_task(asyncio.to_thread(first.stop))
            assert (await anext(stream)).final
        assert await code == 0


async def test_a_process_takes_more_connections_than_it_was_begun_with_where_it_may(
    tmp_path: Path,
) -> None:
    """Containers and systemd give 1024 descriptors to begin with, and allow many times as many."""
    few = ("sh", "-c", f'ulimit -S -n {FEW_DESCRIPTORS}; exec "$0" "$@"')
    async with running("evaluator", tmp_path, module="tests.support.evaluator_double", before=few) as process:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
        assert resource.prlimit(process.process.pid, resource.RLIMIT_NOFILE)[0] == most
        host, _, port = process.address.rpartition(":")
        with ExitStack() as silent:
            for _ in range(2 * FEW_DESCRIPTORS):
                silent.enter_context(socket.create_connection((host, int(port)), 30.0))
            async with calling(process.address) as channel:
                info = await EvaluatorServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest())
    assert info.info.service == "evaluator"


async def test_faulty_settings_are_all_named_and_end_with_their_own_exit_code(tmp_path: Path) -> None:
    faulty = {"LISTEN": "0.0.0.0:7103", "LOG_LEVEL": "loud", "LISTN": "x", "DRAIN_SECONDS": "-1"}
    with pytest.raises(AssertionError) as failed:
        async with running("evaluator", tmp_path, faulty, module="tests.support.evaluator_double"):
            pass
    text = str(failed.value)
    assert "exit code 2" in text
    for name in faulty:
        assert f"settings: SEVENSTUD_EVALUATOR_{name} " in text


async def test_an_outage_of_a_service_we_need_is_named() -> None:
    async with calling("127.0.0.1:1") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await EvaluatorServiceStub(channel).Evaluate(pb.EvaluateRequest(), timeout=0.3)
    error = refusal_from(failed.value, "evaluator")
    assert isinstance(error, DomainError)
    assert (error.reason, error.metadata) == (Reason.DEPENDENCY_UNAVAILABLE, {"service": "evaluator"})


def test_every_reason_has_the_status_code_that_its_comment_in_the_contract_states() -> None:
    path = Path(__file__).parents[2] / "protos/sevenstud/common/v1/error_reason.proto"
    text = path.read_text(encoding="utf-8").partition("UNSPECIFIED = 0;")[2]
    stated = re.findall(r"// ([A-Z_]+)\. [^=]*?ERROR_REASON_([A-Z_]+) = ", text)
    codes = {name: code for code, name in stated}
    assert set(codes) == {reason.name for reason in Reason}
    assert {reason.name: code_of(reason).name for reason in Reason} == codes
