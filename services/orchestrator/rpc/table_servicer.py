"""The TableService of the contract, put together from its groups of RPCs."""

from collections.abc import Mapping
from dataclasses import dataclass

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import add_TableServiceServicer_to_server

from services.orchestrator.application.history import History
from services.orchestrator.application.house_commands import HouseCommands
from services.orchestrator.application.money_commands import MoneyCommands
from services.orchestrator.application.play_commands import PlayCommands
from services.orchestrator.application.tables import Tables
from services.orchestrator.application.watching import Watching
from services.orchestrator.rpc.table_answers import TableAnswers
from services.orchestrator.rpc.table_house import HouseRpcs
from services.orchestrator.rpc.table_players import PlayerRpcs
from services.orchestrator.rpc.table_readers import ReaderRpcs
from services.orchestrator.rpc.table_streams import EventMessages, StreamRpcs
from services.orchestrator.rpc.tournament_servicer import DESCRIPTOR as TOURNAMENTS
from shared.kernel.rules.presets import PRESETS
from shared.rpc.info import service_info
from shared.rpc.server import REQUEST_BYTES_MAX, Servable

DESCRIPTOR = pb.DESCRIPTOR.services_by_name["TableService"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableUseCases:
    """What the servicer serves."""

    tables: Tables
    history: History
    watching: Watching


class TableServicer(HouseRpcs, PlayerRpcs, ReaderRpcs, StreamRpcs):
    """Tables in play."""

    def __init__(self, use_cases: TableUseCases, info: pb.GetServiceInfoResponse) -> None:
        """Serve these."""
        tables = use_cases.tables
        self.house = HouseCommands(tables)
        self.play = PlayCommands(tables)
        self.money = MoneyCommands(tables)
        self.answers = TableAnswers(tables)
        self.history = use_cases.history
        self.watching = use_cases.watching
        self.messages = EventMessages()
        self.log = tables.world.log
        self.info = info


def table_servable(use_cases: TableUseCases, info: pb.GetServiceInfoResponse) -> Servable:
    """The service as the server takes it."""
    servicer = TableServicer(use_cases, info)
    return Servable(DESCRIPTOR, lambda server: add_TableServiceServicer_to_server(servicer, server))


def orchestrator_info(own_limits: Mapping[str, int], *, scripted_tables: bool) -> pb.GetServiceInfoResponse:
    """What the orchestrator says about itself, made once."""
    limits = {"request_bytes_max": REQUEST_BYTES_MAX, **own_limits}
    traits = {"scripted_tables": "allowed" if scripted_tables else "refused"}
    info = service_info("orchestrator", (DESCRIPTOR, TOURNAMENTS), limits, PRESETS, traits)
    return pb.GetServiceInfoResponse(info=info)
