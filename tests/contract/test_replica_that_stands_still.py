"""A replica that stands still (SIGSTOP) holds a caller up for seconds, not for as long as it stands still (S5)."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub

from tests.support.servers import calling, running

pytestmark = pytest.mark.process
DEADLINE_SECONDS = 30.0
"""Far less than it took the callers to notice while they asked every half minute whether anybody is there."""


async def test_calls_go_to_the_other_replica_within_seconds(tmp_path: Path) -> None:
    async with (
        running("betting", tmp_path) as one,
        running("betting", tmp_path) as other,
        calling(f"{one.address},{other.address}", unary_seconds=DEADLINE_SECONDS) as channel,
    ):
        betting = BettingServiceStub(channel)
        for _ in range(10):  # until both are connected to
            await betting.GetServiceInfo(pb.GetServiceInfoRequest())
        os.kill(one.process.pid, signal.SIGSTOP)
        try:
            calls = [betting.GetServiceInfo(pb.GetServiceInfoRequest()) for _ in range(8)]
            assert len(await asyncio.gather(*calls)) == 8
        finally:
            os.kill(one.process.pid, signal.SIGCONT)
