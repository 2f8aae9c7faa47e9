"""Who calls where TLS is on: a service of ours by its certificate, everybody else by certificate and signed token.

A token is bound to one certificate: it is worth nothing without that certificate's private key, so that a token that
was seen or stolen cannot be replayed. Its holder may use it for many calls until it expires.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.context import Context
from shared.rpc.identity import Identity, Metadata, Proof, authorization_of, unknown_caller
from shared.rpc.peer import Peer, Peers
from shared.rpc.standing import KeySet, Standing
from shared.rpc.tokens import Believed, TokenRefused, TokenRules, believe

CALLING_SERVICES = frozenset({"orchestrator"})
"""The only service that asks others; the certificate of another one opens nothing."""
_SCHEME = "Bearer "
_HOW = "send authorization: Bearer <token>, signed and bound to the certificate of the connection"
_BELIEVED_MAX = 10_000


class ProvenIdentities:
    """Believes certificates and tokens, and remembers the tokens believed until they expire."""

    how = _HOW
    kind = "proven by certificates and tokens"

    def __init__(self, trust_domain: str, rules: TokenRules, standing: Standing) -> None:
        """Without keys no token is believed, and services alone can call."""
        self._peers = Peers(trust_domain)
        self._rules = rules
        self._standing = standing
        self._believed: dict[str, Believed] = {}
        standing.changed = self._believed.clear  # a key that is gone takes its tokens with it

    def identify(self, metadata: Metadata, context: Context) -> Identity | None:
        """Who makes the call; None for a certificate without a token that is no service's."""
        peer, now = self._peers.of(context), time.time()
        if peer is None:
            raise unknown_caller("the connection has no certificate", _HOW)
        if peer.until <= now:
            raise unknown_caller("the certificate of the connection has expired: connect with the new one", _HOW)
        self._standing.renew()
        token = authorization_of(metadata, _HOW)
        if token is None:
            return self._service(peer)
        said = self._believed.get(token) or self._believe(token, now)
        if said.thumbprint != peer.thumbprint:
            raise unknown_caller("the token is bound to another certificate than the connection's", _HOW)
        if said.until <= now:
            raise unknown_caller("the token has expired", _HOW)
        return Identity(said.caller, min(said.until, peer.until), self._proven(peer, said))

    @asynccontextmanager
    async def staying(self, identity: Identity | None) -> AsyncGenerator[None, None]:
        """Until the token or the certificate expires, or is believed no more."""
        if identity is None or identity.proof is None:
            yield
            return
        bound = asyncio.timeout(identity.until - time.time())
        try:
            async with bound:
                with self._standing.heeded(identity.proof, bound):
                    yield
        except TimeoutError:
            if not bound.expired():
                raise
            why = self._standing.why(identity.proof) or "the token or certificate has expired"
            raise unknown_caller(f"{why}, while the stream was open", _HOW) from None

    def _service(self, peer: Peer) -> Identity | None:
        proof, name = self._proven(peer, None), peer.service
        if name is None:
            return None
        if name not in CALLING_SERVICES:
            allowed = ", ".join(sorted(CALLING_SERVICES))
            message = f"the service {name} asks no other service: of our services only {allowed} may"
            raise DomainError(Reason.NOT_PERMITTED, message, {"role": Role.SERVICE.value, "allowed": allowed})
        return Identity(Caller(Role.SERVICE, name), peer.until, proof)

    def _proven(self, peer: Peer, said: Believed | None) -> Proof:
        """What the caller is known by, unless it is believed no more."""
        proof = Proof(peer.thumbprint, peer.serial, certificate=peer.certificate)
        if said is not None:
            subject = f"{said.caller.role}:{said.caller.id}"
            own = (said.token_id, subject, said.issued_at, said.key)
            proof = Proof(peer.thumbprint, peer.serial, *own, peer.certificate)
        why = self._standing.why(proof)
        if why:
            raise unknown_caller(why, _HOW)
        return proof

    def _believe(self, token: str, now: float) -> Believed:
        keys = self._standing.keys
        if keys is None:
            raise unknown_caller("no token is taken here: TOKEN_KEYS is not set", _HOW)
        if not token.startswith(_SCHEME):
            raise unknown_caller("the authorization metadata is no bearer token", _HOW)
        try:
            said = self._read(token[len(_SCHEME) :], keys)
        except TokenRefused as refused:
            raise unknown_caller(str(refused), _HOW) from None
        self._make_room(now)
        self._believed[token] = said
        return said

    def _read(self, token: str, keys: KeySet) -> Believed:
        """With the keys known, or with those that have just come."""
        try:
            return believe(token, keys, self._rules)
        except TokenRefused:
            if not self._standing.look_at_keys():
                raise
            return believe(token, self._standing.keys or {}, self._rules)

    def _make_room(self, now: float) -> None:
        """The expired go first, then the oldest."""
        if len(self._believed) >= _BELIEVED_MAX:
            self._believed = {token: known for token, known in self._believed.items() if known.until > now}
        if len(self._believed) >= _BELIEVED_MAX:
            del self._believed[next(iter(self._believed))]
