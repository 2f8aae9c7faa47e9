"""Which role may call which RPC: a table a service, default deny, complete or the service does not start."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.identity import unknown_caller

Rights = Mapping[str, frozenset[Role]]
"""Name of an RPC, as in ``Act`` (or ``TableService/Act`` where a process serves two of that name), to its roles."""
OPEN_RPCS = frozenset({"GetServiceInfo"})
"""RPCs that need no caller, of every service; health and reflection are open as well."""


@dataclass(frozen=True, slots=True)
class Method:
    """One RPC of a served service."""

    path: str
    """As on the wire: /sevenstud.betting.v1.BettingService/Act."""
    service: str
    name: str
    kind: str
    """unary or server_stream."""
    descriptor: MethodDescriptor
    allowed: frozenset[Role] | None
    """None: open to everybody."""

    def authorize(self, caller: Caller | None) -> None:
        """Refuse a caller whose role may not call this RPC."""
        if self.allowed is None:
            return
        if caller is None:
            raise unknown_caller(f"{self.name} needs a caller")
        if caller.role not in self.allowed:
            allowed = ", ".join(sorted(self.allowed))
            message = f"the role {caller.role} may not call {self.name}: it is for {allowed}"
            raise DomainError(Reason.NOT_PERMITTED, message, {"role": caller.role.value, "allowed": allowed})


def methods_of(services: Iterable[ServiceDescriptor], rights: Rights) -> dict[str, Method]:
    """Every RPC with its rights, by path; ValueError for an RPC without a rule and for a rule without an RPC."""
    found: dict[str, Method] = {}
    used: set[str] = set()
    for service in services:
        for descriptor in service.methods:
            key = _key(rights, service.name, descriptor.name)
            used.add(key)
            method = _method(service, descriptor, rights.get(key))
            found[method.path] = method
    idle = sorted(set(rights) - used)
    if idle:
        raise ValueError(f"rights name RPCs that are not served: {', '.join(idle)}")
    return found


def _key(rights: Rights, service: str, name: str) -> str:
    qualified = f"{service}/{name}"
    return qualified if qualified in rights else name


def _method(service: ServiceDescriptor, descriptor: MethodDescriptor, allowed: frozenset[Role] | None) -> Method:
    name = descriptor.name
    if descriptor.client_streaming:
        raise ValueError(f"{service.full_name}/{name}: client streams have no limit and are not served")
    if name in OPEN_RPCS:
        allowed = None
    elif allowed is None:
        raise ValueError(f"{service.full_name}/{name} has no rule in the table of rights")
    kind = "server_stream" if descriptor.server_streaming else "unary"
    return Method(f"/{service.full_name}/{name}", service.full_name, name, kind, descriptor, allowed)
