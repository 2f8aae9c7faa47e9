"""Which role may call which RPC, and about whom: a table a service, default deny, complete or nothing starts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.identity import unknown_caller


class About(StrEnum):
    """Whom a call may be about: the player that the request's player_id names."""

    ANYBODY = "anybody"  # Whoever is named; the only one where a request names nobody.
    ITSELF = "itself"  # A player, for itself alone.
    OWN_EYES = "own eyes"  # A player who looks: names itself, or nobody.
    ITS_PLAYERS = "its players"  # A back end: one of its players, or nobody.
    SPECTATOR = "spectator"  # Looks as a spectator: names nobody.


Rule = Mapping[Role, About]
"""The roles that may call an RPC, each with whom it may be about."""
Rights = Mapping[str, Rule]
"""Name of an RPC, as in ``Act`` (or ``TableService/Act`` where a process serves two of that name), to its rule."""
OPEN_RPCS = frozenset({"GetServiceInfo"})
"""RPCs that need no caller, of every service; health and reflection are open as well."""
SUBJECT = "player_id"
"""The field of a request that names the player whom it is about."""
_OF_PLAYERS = frozenset({About.ITSELF, About.OWN_EYES})
_INSTEAD = {
    About.ITSELF: "yourself only: give your own player_id",
    About.OWN_EYES: "yourself only: leave player_id empty or give your own",
    About.ITS_PLAYERS: "your own players only: their ids begin with your prefix",
    About.SPECTATOR: "nobody in particular: leave player_id empty",
}


def anybody(*roles: Role) -> Rule:
    """These roles, about anybody, or where a request names nobody."""
    return dict.fromkeys(roles, About.ANYBODY)


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
    rule: Rule | None
    """None: open to everybody."""

    def authorize(self, caller: Caller | None, request: Any, how: str) -> None:
        """Refuse a caller whose role may not call this RPC, or not about this player; ``how`` to say who calls."""
        if self.rule is None:
            return
        if caller is None:
            raise unknown_caller(f"{self.name} needs a caller", how)
        about = self.rule.get(caller.role)
        if about is None:
            allowed = ", ".join(sorted(self.rule))
            message = f"the role {caller.role} may not call {self.name}: it is for {allowed}"
            raise DomainError(Reason.NOT_PERMITTED, message, {"role": caller.role.value, "allowed": allowed})
        if about is not About.ANYBODY and not _permits(about, caller, request.player_id):
            message = f"the {caller.role} {caller.id} may call {self.name} about {_INSTEAD[about]}"
            raise DomainError(Reason.NOT_PERMITTED, message, {"role": caller.role.value, "allowed": about.value})


def _permits(about: About, caller: Caller, player_id: str) -> bool:
    if about is About.ITSELF:
        return player_id == caller.id
    if not player_id:
        return True
    if about is About.OWN_EYES:
        return player_id == caller.id
    return about is About.ITS_PLAYERS and player_id.startswith(caller.player_prefix)


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


def _method(service: ServiceDescriptor, descriptor: MethodDescriptor, rule: Rule | None) -> Method:
    name = descriptor.name
    where = f"{service.full_name}/{name}"
    if descriptor.client_streaming:
        raise ValueError(f"{where}: client streams have no limit and are not served")
    if name in OPEN_RPCS:
        rule = None
    elif rule is None:
        raise ValueError(f"{where} has no rule in the table of rights")
    else:
        _check_rule(where, rule, descriptor.input_type)
    kind = "server_stream" if descriptor.server_streaming else "unary"
    return Method(f"/{service.full_name}/{name}", service.full_name, name, kind, descriptor, rule)


def _check_rule(where: str, rule: Rule, request: Descriptor) -> None:
    """A rule fits its request: players and back ends are held to whom the request names, if it names anybody."""
    for role, about in rule.items():
        if SUBJECT not in request.fields_by_name:
            fits = about is About.ANYBODY
        elif role is Role.PLAYER:
            fits = about in _OF_PLAYERS
        elif role is Role.BACKEND:
            fits = about is About.ITS_PLAYERS
        else:
            fits = about in {About.ANYBODY, About.SPECTATOR}
        if not fits:
            raise ValueError(f"{where}: the rule of {role} says {about}, which does not fit the request {request.name}")
