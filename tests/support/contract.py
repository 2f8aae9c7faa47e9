"""The whole contract, from its descriptors: every service, every RPC, every message of a request."""

from collections.abc import Iterator
from typing import Any, cast

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from sevenstud.betting.v1 import betting_service_pb2
from sevenstud.dealer.v1 import dealer_service_pb2
from sevenstud.evaluator.v1 import evaluator_service_pb2
from sevenstud.orchestrator.v1 import table_service_pb2, tournament_service_pb2
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2

_FILES = (
    dealer_service_pb2,
    betting_service_pb2,
    evaluator_service_pb2,
    tournament_ledger_service_pb2,
    table_service_pb2,
    tournament_service_pb2,
)


def services() -> Iterator[ServiceDescriptor]:
    """Every service of the suite."""
    for module in _FILES:
        yield from cast("dict[str, ServiceDescriptor]", cast("Any", module).DESCRIPTOR.services_by_name).values()


def methods() -> Iterator[MethodDescriptor]:
    """Every RPC of the suite."""
    for service in services():
        yield from service.methods


def path_of(method: MethodDescriptor) -> str:
    """As on the wire: /sevenstud.betting.v1.BettingService/Act."""
    return f"/{method.containing_service.full_name}/{method.name}"


def message_class(full_name: str) -> type[Message]:
    """The generated class of a message."""
    return message_factory.GetMessageClass(cast("Any", descriptor_pool).Default().FindMessageTypeByName(full_name))
