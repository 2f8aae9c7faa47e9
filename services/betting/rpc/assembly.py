"""Betting as one servable piece: servicer, rights, limits."""

from sevenstud.betting.v1.betting_service_pb2 import DESCRIPTOR
from sevenstud.betting.v1.betting_service_pb2_grpc import add_BettingServiceServicer_to_server

from services.betting.domain.checks import SEATS_MOST
from services.betting.domain.state import SCHEMA_VERSION
from services.betting.rpc.rights import RIGHTS
from services.betting.rpc.servicer import BettingServicer
from shared.rpc.info import service_info
from shared.rpc.server import REQUEST_BYTES_MAX, Assembly, Servable

SERVICE = "betting"
_DESCRIPTOR = DESCRIPTOR.services_by_name["BettingService"]


def betting_assembly() -> Assembly:
    """Everything that a server needs to serve betting."""
    limits = {"request_bytes_max": REQUEST_BYTES_MAX, "seats_max": SEATS_MOST, "schema_version": SCHEMA_VERSION}
    servicer = BettingServicer(service_info(SERVICE, (_DESCRIPTOR,), limits))
    return Assembly(
        service=SERVICE,
        servables=(Servable(_DESCRIPTOR, lambda server: add_BettingServiceServicer_to_server(servicer, server)),),
        rights=RIGHTS,
    )
