"""Whether who was believed still is: authorities, token keys and the list of the revoked, as their files are now.

A file may be replaced at any time. Whoever is believed by it no more is heard no more, and told no more on the streams
that are open.
"""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shared.rpc.authorities import Authorities
from shared.rpc.identity import Proof
from shared.rpc.renewed_file import LOOK_SECONDS, RenewedFile
from shared.rpc.revocations import Revoked, read_revoked
from shared.rpc.tokens import TokenKey, read_key_set

KeySet = Mapping[str, TokenKey]
"""The keys that tokens are signed with, by key id."""
_NOBODY: Final = Revoked()


class Standing:
    """The three files, and the streams that are open meanwhile."""

    def __init__(
        self, *, authorities: Path | None = None, token_keys: Path | None = None, revoked: Path | None = None
    ) -> None:
        """Read them; OSError or ValueError where one makes no sense now. None: nothing is looked at."""
        self._authorities = None if authorities is None else Authorities(authorities)
        self._keys = None if token_keys is None else RenewedFile(token_keys, "token_keys", read_key_set)
        self._revoked = None if revoked is None else RenewedFile(revoked, "revocations", read_revoked)
        self._open: dict[asyncio.Timeout, Proof] = {}
        self._looking: asyncio.TimerHandle | None = None
        self.changed: Callable[[], None] = lambda: None
        """Told when one of them says something else: what was found by it before is forgotten."""

    @property
    def keys(self) -> KeySet | None:
        """What tokens may be signed with; None where no token is taken."""
        return None if self._keys is None else self._keys.current

    def renew(self) -> None:
        """Look, once in a while."""
        files = (self._authorities, self._keys, self._revoked)
        renewed = [each.renew() for each in files if each is not None]
        if any(renewed):
            self._say()

    def look_at_keys(self) -> bool:
        """At once; True where there are others now."""
        if self._keys is None or not self._keys.look():
            return False
        self._say()
        return True

    def why(self, proof: Proof) -> str:
        """Why a caller is not believed any more; empty where it is."""
        if proof.key is not None and (self._keys is None or proof.key not in self._keys.current.values()):
            return "the key that the token is signed with is trusted no more"
        of_authority = "" if self._authorities is None else self._authorities.why(proof.certificate)
        return of_authority or (_NOBODY if self._revoked is None else self._revoked.current).why(proof)

    @contextmanager
    def heeded(self, proof: Proof, bound: asyncio.Timeout) -> Generator[None]:
        """A stream of this caller is open; its time is over when the caller is believed no more."""
        self._open[bound] = proof
        if self._looking is None:
            self._look_later()
        try:
            yield
        finally:
            del self._open[bound]

    def _look_later(self) -> None:
        self._looking = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = None
        self.renew()
        if self._open:
            self._look_later()

    def _say(self) -> None:
        self.changed()
        now = asyncio.get_running_loop().time()
        for bound, proof in self._open.items():
            if self.why(proof):
                bound.reschedule(now)
