"""Who calls where TLS is on: a service of ours by its certificate, everybody else by certificate and signed token.

A token is bound to one certificate: it is worth nothing without that certificate's private key, so that a token that
was seen or stolen cannot be replayed. Its holder may use it for many calls until it expires.
"""

import time
from collections.abc import Mapping
from pathlib import Path

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.observability.logging import get_log
from shared.rpc.certificates import file_state
from shared.rpc.context import Context
from shared.rpc.identity import Identity, Metadata, authorization_of, unknown_caller
from shared.rpc.peer import Peer, Peers
from shared.rpc.tokens import Believed, TokenKey, TokenRefused, TokenRules, believe, read_key_set

CALLING_SERVICES = frozenset({"orchestrator"})
"""The only service that asks others; the certificate of another one opens nothing."""
LOOK_SECONDS = 1.0
"""How often a file is looked at for changes."""
_SCHEME = "Bearer "
_HOW = "send authorization: Bearer <token>, signed and bound to the certificate of the connection"
_BELIEVED_MAX = 10_000


class KeySet:
    """The keys that tokens are signed with, from a file that may be replaced at any time."""

    def __init__(self, path: Path) -> None:
        """Read it; OSError or ValueError where it makes no sense now."""
        self._path = path
        self._seen = file_state(path)
        self._look_at = time.monotonic() + LOOK_SECONDS
        self.keys: Mapping[str, TokenKey] = read_key_set(path.read_bytes())

    def renew(self) -> bool:
        """Look, once in a while, whether the file has changed; True where the keys are others now."""
        now = time.monotonic()
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return self.look()

    def look(self) -> bool:
        """Look at once."""
        state = file_state(self._path)
        if state == self._seen:
            return False
        try:
            self.keys = read_key_set(self._path.read_bytes())
        except (OSError, ValueError) as fault:
            self._seen = state
            get_log().error("token_keys_not_taken_up", problem=str(fault), meaning="the former ones stay in use")
            return False
        self._seen = state
        get_log().info("token_keys_renewed", ids=sorted(self.keys))
        return True


class ProvenIdentities:
    """Believes certificates and tokens, and remembers the tokens believed until they expire."""

    how = _HOW
    kind = "proven by certificates and tokens"

    def __init__(self, trust_domain: str, keys: KeySet | None, rules: TokenRules) -> None:
        """Without keys no token is believed, and services alone can call."""
        self._peers = Peers(trust_domain)
        self._keys = keys
        self._rules = rules
        self._believed: dict[str, tuple[Identity, str]] = {}

    def identify(self, metadata: Metadata, context: Context) -> Identity | None:
        """Who makes the call; None for a certificate without a token that is no service's."""
        peer, now = self._peers.of(context), time.time()
        if peer is None:
            raise unknown_caller("the connection has no certificate", _HOW)
        if peer.until <= now:
            raise unknown_caller("the certificate of the connection has expired: connect with the new one", _HOW)
        token = authorization_of(metadata, _HOW)
        if token is None:
            return None if peer.service is None else self._service(peer.service, peer)
        if self._keys is not None and self._keys.renew():
            self._believed.clear()  # a key that is gone takes its tokens with it
        identity, thumbprint = self._believed.get(token) or self._believe(token, now)
        if thumbprint != peer.thumbprint:
            raise unknown_caller("the token is bound to another certificate than the connection's", _HOW)
        if identity.until <= now:
            raise unknown_caller("the token has expired", _HOW)
        return identity if identity.until <= peer.until else Identity(identity.caller, peer.until)

    def _service(self, name: str, peer: Peer) -> Identity:
        if name not in CALLING_SERVICES:
            allowed = ", ".join(sorted(CALLING_SERVICES))
            message = f"the service {name} asks no other service: of our services only {allowed} may"
            raise DomainError(Reason.NOT_PERMITTED, message, {"role": Role.SERVICE.value, "allowed": allowed})
        return Identity(Caller(Role.SERVICE, name), peer.until)

    def _believe(self, token: str, now: float) -> tuple[Identity, str]:
        if self._keys is None:
            raise unknown_caller("no token is taken here: TOKEN_KEYS is not set", _HOW)
        if not token.startswith(_SCHEME):
            raise unknown_caller("the authorization metadata is no bearer token", _HOW)
        try:
            said = self._read(token[len(_SCHEME) :], self._keys)
        except TokenRefused as refused:
            raise unknown_caller(str(refused), _HOW) from None
        self._make_room(now)
        known = self._believed[token] = (Identity(said.caller, said.until), said.thumbprint)
        return known

    def _read(self, token: str, keys: KeySet) -> Believed:
        """With the keys known, or with those that have just come."""
        try:
            return believe(token, keys.keys, self._rules)
        except TokenRefused:
            if not keys.look():
                raise
            self._believed.clear()
            return believe(token, keys.keys, self._rules)

    def _make_room(self, now: float) -> None:
        """The expired go first, then the oldest."""
        if len(self._believed) >= _BELIEVED_MAX:
            self._believed = {token: known for token, known in self._believed.items() if known[0].until > now}
        if len(self._believed) >= _BELIEVED_MAX:
            del self._believed[next(iter(self._believed))]
