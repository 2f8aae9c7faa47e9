"""One trace from a player's Act through orchestrator and betting to the append, and on to dealer and ledger."""

import asyncio
import json
import os
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as otlp
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as collecting
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client import CollectorRegistry
from sevenstud.betting.v1.betting_service_pb2 import GetServiceInfoRequest
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.common.v1.betting_pb2 import (
    ACTION_KIND_BRING_IN,
    ACTION_KIND_CALL,
    ACTION_KIND_CHECK,
    ActionKind,
)
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.betting.settings import Settings
from services.console.adapters.suite import Suite
from services.console.domain.suite_plan import SERVICES
from shared.config.env import SettingsFault
from shared.observability.tracing import current_tracer
from shared.rpc.channel import CallingChannel
from shared.rpc.client import open_channel
from shared.storage.metered import MeteredStore
from shared.storage.opening import watched
from shared.storage.sqlite import open_store
from tests.support.servers import SERVICE, running, start_service
from tests.support.table_suite import BACKEND, OPERATOR, PlayedTable, card_room, open_table

pytestmark = pytest.mark.process
CALLER = "00f067aa0ba902b7"
"""The span of the one who acts, in a trace of his own."""
STAYING = (ACTION_KIND_CHECK, ACTION_KIND_CALL, ACTION_KIND_BRING_IN)
ACT = "sevenstud.betting.v1.BettingService/Act"
DEAL = "sevenstud.dealer.v1.DealerService/DealStreet"
ORDER = "sevenstud.evaluator.v1.EvaluatorService/OrderBoards"
BOOK = "sevenstud.tournament_ledger.v1.TournamentLedgerService/RecordHand"
ACTED = {
    ("orchestrator", "sevenstud.orchestrator.v1.TableService/Act"),
    ("orchestrator", ACT),
    ("betting", ACT),
    ("orchestrator", "store append"),
}
DEALT = {("orchestrator", "DealStreet"), ("dealer", DEAL), ("evaluator", ORDER), ("dealer", "store write")}
BOOKED = {("orchestrator", "BookHand"), ("orchestrator", BOOK), ("tournament-ledger", BOOK)}
KEYS = {"rpc.system.name", "rpc.method", "rpc.response.status_code", "statements", "table_id"}


@dataclass
class Collector(collecting.TraceServiceServicer):
    """Takes spans by OTLP, as a collector does."""

    spans: dict[str, list[tuple[str, Span]]] = field(default_factory=lambda: defaultdict(list))
    address: str = ""

    async def Export(self, request: otlp.ExportTraceServiceRequest, context: object) -> otlp.ExportTraceServiceResponse:
        for each in request.resource_spans:
            names = {pair.key: pair.value.string_value for pair in each.resource.attributes}
            for span in each.scope_spans[0].spans:
                self.spans[span.trace_id.hex()].append((names["service.name"].removeprefix("sevenstud-"), span))
        return otlp.ExportTraceServiceResponse()

    def is_whole(self, trace_id: str) -> None:
        """Every span hangs on another one of the trace, the first on the caller's."""
        known = {CALLER, *(span.span_id.hex() for _, span in self.spans[trace_id])}
        assert all(span.parent_span_id.hex() in known for _, span in self.spans[trace_id])

    def seen(self, trace_id: str) -> set[tuple[str, str]]:
        """Services of a trace, and what each did."""
        return {(service, span.name) for service, span in self.spans[trace_id]}


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    server, found = grpc.aio.server(), Collector()
    collecting.add_TraceServiceServicer_to_server(found, server)  # type: ignore[no-untyped-call]  # generated without types
    found.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    yield found
    await server.stop(0)


class Lobby:
    """A caller whose own traces go on in ours."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        enter = self._stack.enter_async_context
        tables, ledger = self._suite.address("orchestrator"), self._suite.address("tournament_ledger")
        self.tables = TableServiceStub(await enter(open_channel(tables, BACKEND)))
        self.house = TableServiceStub(await enter(open_channel(tables, OPERATOR)))
        self.ledger = TournamentLedgerServiceStub(await enter(open_channel(ledger, BACKEND)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def act(self, table: PlayedTable, turn: table_pb2.Turn, number: int) -> str:
        """Stay in as cheaply as can be; the id of the trace."""
        trace_id = f"{number:032x}"
        kind = next(each for each in STAYING if any(legal.kind == each for legal in turn.legal.actions))
        request = table.action(turn, ActionKind.Name(kind).removeprefix("ACTION_KIND_"))
        await self.tables.Act(request, metadata=(("traceparent", f"00-{trace_id}-{CALLER}-01"),))
        return trace_id


async def _hand_of_two(lobby: Lobby) -> list[str]:
    """To the showdown; the traces of the actions."""
    table = await open_table(lobby, card_room(), hands_max=1)
    await table.sit("ann", "bob")
    await table.resume()
    traces, turn_id = [""], 0
    while traces:
        view = await table.until(partial(_over_or_asked, after=turn_id))
        if not view.HasField("turn"):
            break
        turn_id = view.turn.turn_id
        traces.append(await lobby.act(table, view.turn, len(traces)))
    await table.hand(1)
    return traces[1:]


def _over_or_asked(view: table_pb2.TableView, after: int) -> bool:
    return view.turn.turn_id > after or view.state == table_pb2.TABLE_STATE_PAUSED


async def test_an_act_is_one_trace_through_every_service_that_it_reaches(collector: Collector, tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    environ |= {f"SEVENSTUD_{each.upper()}_TRACES_TO": collector.address for each in SERVICES}
    async with Suite(tmp_path, environ) as suite, Lobby(suite) as lobby:
        traces = await _hand_of_two(lobby)
        logs = {each: suite.log(each) for each in SERVICES}
    lines = {each: log.read_text(encoding="utf-8") for each, log in logs.items()}  # a service that ends hands over all
    for trace_id in traces:
        assert collector.seen(trace_id) >= ACTED
        collector.is_whole(trace_id)
        for service in ("orchestrator", "betting"):
            assert f'"trace_id": "{trace_id}"' in lines[service], service
    assert any(collector.seen(trace_id) >= DEALT for trace_id in traces)
    assert collector.seen(traces[-1]) >= BOOKED
    spans = [span for trace in collector.spans.values() for _, span in trace]
    assert {pair.key for span in spans for pair in span.attributes} <= KEYS
    assert not any(span.events or span.status.message for span in spans)


async def test_traces_go_to_a_file_as_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "spans"
    async with (
        running("betting", tmp_path, {"TRACES_TO": f"file:{path}"}) as service,
        open_channel(service.address, SERVICE) as channel,
    ):
        await BettingServiceStub(channel).GetServiceInfo(GetServiceInfoRequest())
    (span,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert span["name"] == "sevenstud.betting.v1.BettingService/GetServiceInfo"
    assert span["attributes"]["rpc.response.status_code"] == "OK"


async def test_a_collector_that_is_away_holds_nobody_up(tmp_path: Path) -> None:
    service = await asyncio.to_thread(start_service, "betting", tmp_path, {"TRACES_TO": "http://127.0.0.1:1"})
    async with open_channel(service.address, SERVICE) as channel:
        await BettingServiceStub(channel).GetServiceInfo(GetServiceInfoRequest())
    assert await asyncio.to_thread(service.stop, 30.0) == 0


async def test_where_traces_are_off_nothing_is_in_the_way_and_opentelemetry_is_not_imported(tmp_path: Path) -> None:
    look = "import sys\n" + "".join(f"import services.{each}.__main__\n" for each in SERVICES)
    look += "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    assert await (await asyncio.create_subprocess_exec(sys.executable, "-c", look)).wait() == 0
    assert current_tracer() is None
    store = await open_store(str(tmp_path / "some.sqlite"), "test")
    assert type(watched(store, CollectorRegistry())) is MeteredStore
    await store.close()
    async with open_channel("127.0.0.1:1", SERVICE) as channel:
        assert type(channel) is CallingChannel


@pytest.mark.parametrize(
    "place", ["collector:4317", "http://", "http://host/v1/traces", "http://me:word@host", "file:"]
)
def test_a_place_for_traces_that_is_none_is_refused_with_the_forms_that_are(place: str) -> None:
    with pytest.raises(SettingsFault, match=r"TRACES_TO names no place for traces: http://host:4317") as refused:
        Settings.from_env({"SEVENSTUD_BETTING_TRACES_TO": place})
    assert "word" not in str(refused.value)
