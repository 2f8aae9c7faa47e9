"""Who calls, read from the authorization metadata: ``Bearer dev:<role>:<id>``.

Development tokens prove nothing; they are accepted on loopback only, which the server assembly sees to.
"""

import re
from collections.abc import Iterable

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason

AUTHORIZATION_HEADER = "authorization"
ID = re.compile(r"[A-Za-z0-9._:@-]{1,64}")
_SCHEME = "Bearer dev:"
_HOW = "send authorization: Bearer dev:<role>:<id>"
_CACHE_MAX = 10_000
_ROLES = frozenset(role.value for role in Role)


class Identities:
    """Reads tokens and remembers the ones read."""

    def __init__(self) -> None:
        """Start with none."""
        self._known: dict[str, Caller] = {}

    def identify(self, metadata: Iterable[tuple[str, str | bytes]]) -> Caller | None:
        """The caller named in the metadata of a call, None where nobody is named; CALLER_UNKNOWN for nonsense."""
        tokens = [value for key, value in metadata if key == AUTHORIZATION_HEADER]
        if not tokens:
            return None
        token = tokens[0]
        if len(tokens) > 1 or not isinstance(token, str):
            raise unknown_caller("the authorization metadata is given twice")
        caller = self._known.get(token)
        if caller is None:
            caller = parse_token(token)
            if len(self._known) >= _CACHE_MAX:
                self._known.clear()
            self._known[token] = caller
        return caller


def parse_token(token: str) -> Caller:
    """The caller that a development token names."""
    role, _, name = token.removeprefix(_SCHEME).partition(":")
    if not token.startswith(_SCHEME) or role not in _ROLES or not ID.fullmatch(name):
        raise unknown_caller(f"the authorization metadata cannot be read; roles are {', '.join(Role)}")
    return Caller(Role(role), name)


def token_of(caller: Caller) -> str:
    """The development token of a caller, for clients."""
    return f"{_SCHEME}{caller.role}:{caller.id}"


def unknown_caller(problem: str) -> DomainError:
    """Nobody, or nobody we can read."""
    return DomainError(Reason.CALLER_UNKNOWN, f"{problem}: {_HOW}")
