"""What a service says about itself, for its GetServiceInfo RPC."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version

from google.protobuf.descriptor import ServiceDescriptor
from sevenstud.common.v1.service_info_pb2 import Limit, ServiceInfo, Trait

DISTRIBUTION = "sevenstud"


def service_info(
    service: str,
    descriptors: Iterable[ServiceDescriptor],
    limits: Mapping[str, int],
    presets: Iterable[str] = (),
    traits: Mapping[str, str] | None = None,
) -> ServiceInfo:
    """The answer, made once at the start: limits have their unit in the name, as in request_bytes_max."""
    return ServiceInfo(
        service=service,
        version=version(DISTRIBUTION),
        grpc_services=[descriptor.full_name for descriptor in descriptors],
        presets=presets,
        limits=[Limit(name=name, value=value) for name, value in limits.items()],
        traits=[Trait(name=name, value=value) for name, value in (traits or {}).items()],
    )
