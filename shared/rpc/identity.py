"""Who calls. Without TLS, on loopback only, callers are taken at their word: ``Bearer dev:<role>:<id>``.

This development identity proves nothing; the settings see to it that nothing beyond loopback accepts it. Where TLS is
on, ``proven.py`` says who calls.
"""

import math
import re
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.context import Context

AUTHORIZATION_HEADER = "authorization"
ID = re.compile(r"[A-Za-z0-9._:@-]{1,64}")
Metadata = Iterable[tuple[str, str | bytes]]
_SCHEME = "Bearer dev:"
_HOW = "send authorization: Bearer dev:<role>:<id>"
_CACHE_MAX = 10_000
_ROLES = frozenset(role.value for role in Role)


@dataclass(frozen=True, slots=True)
class Proof:
    """By what a caller is known, as it would be revoked."""

    thumbprint: str
    """Of the certificate, as tokens name it."""
    serial: int
    """Of the certificate."""
    token_id: str = ""
    """The jti of the token; empty for a service, and for a token without one."""
    subject: str = ""
    """Role and id that the token names, as in player:ann."""
    issued_at: float = 0.0
    """Of the token, in seconds since 1970."""
    key: object = None
    """That the token is signed with; None for a service."""
    certificate: bytes = b""
    """Of the connection, in PEM."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller, and until when it is known to be this one."""

    caller: Caller
    until: float = math.inf
    """Seconds since 1970, by the clock on the wall."""
    proof: Proof | None = None
    """None where the caller is taken at its word."""


class Identities(Protocol):
    """Says who makes a call."""

    @property
    def how(self) -> str:
        """What a caller that nobody knows has to do."""
        ...

    @property
    def kind(self) -> str:
        """What GetServiceInfo says of it."""
        ...

    def identify(self, metadata: Metadata, context: Context) -> Identity | None:
        """Who makes the call, None where nobody is named; CALLER_UNKNOWN for what cannot be believed."""
        ...

    def staying(self, identity: Identity | None) -> AbstractAsyncContextManager[None]:
        """What goes on only while the caller is known: CALLER_UNKNOWN ends it when it is known no longer."""
        ...


class DevIdentities:
    """Takes callers at their word, and remembers the words read."""

    how = _HOW
    kind = "taken at their word"

    def __init__(self) -> None:
        """Start with none."""
        self._known: dict[str, Identity] = {}

    def identify(self, metadata: Metadata, context: Context) -> Identity | None:
        """The caller named in the metadata of a call."""
        del context
        token = authorization_of(metadata, _HOW)
        if token is None:
            return None
        known = self._known.get(token)
        if known is None:
            known = Identity(parse_token(token))
            if len(self._known) >= _CACHE_MAX:
                self._known.clear()
            self._known[token] = known
        return known

    def staying(self, identity: Identity | None) -> AbstractAsyncContextManager[None]:
        """For ever."""
        del identity
        return nullcontext()


def authorization_of(metadata: Metadata, how: str) -> str | None:
    """The one authorization of a call."""
    tokens = [value for key, value in metadata if key == AUTHORIZATION_HEADER]
    if not tokens:
        return None
    token = tokens[0]
    if len(tokens) > 1 or not isinstance(token, str):
        raise unknown_caller("the authorization metadata is given twice", how)
    return token


def parse_token(token: str) -> Caller:
    """The caller that a development token names."""
    role, _, name = token.removeprefix(_SCHEME).partition(":")
    if not token.startswith(_SCHEME) or role not in _ROLES or not ID.fullmatch(name):
        raise unknown_caller(f"the authorization metadata cannot be read; roles are {', '.join(Role)}", _HOW)
    return Caller(Role(role), name)


def token_of(caller: Caller) -> str:
    """The development token of a caller, for clients."""
    return f"{_SCHEME}{caller.role}:{caller.id}"


def unknown_caller(problem: str, how: str) -> DomainError:
    """Nobody, or nobody we can believe; never with the token in it."""
    return DomainError(Reason.CALLER_UNKNOWN, f"{problem}: {how}")
