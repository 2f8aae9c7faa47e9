"""What a service says about itself, for its GetServiceInfo RPC."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor
from sevenstud.common.v1.service_info_pb2 import Limit, ServiceInfo, Trait

from shared.rpc.context import Context

DISTRIBUTION = "sevenstud"
CALLERS = "callers"
"""The trait that says how callers are known."""
Unary = Callable[[Any, Context], Awaitable[Any]]


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
        version=_version(),
        grpc_services=[descriptor.full_name for descriptor in descriptors],
        presets=presets,
        limits=[Limit(name=name, value=value) for name, value in limits.items()],
        traits=[Trait(name=name, value=value) for name, value in (traits or {}).items()],
    )


@lru_cache(maxsize=1)
def _version() -> str:
    """The version as installed."""
    return version(DISTRIBUTION)


def telling_of_callers(behaviour: Unary, kind: str) -> Unary:
    """GetServiceInfo with one trait more: how callers are known, which the server alone knows."""

    async def tell(request: Any, context: Context) -> Any:
        said = await behaviour(request, context)
        answer = type(said)()
        answer.CopyFrom(said)
        answer.info.traits.add(name=CALLERS, value=kind)
        return answer

    return tell
