"""How the console proves who it is: which certificate it shows, and where its tokens come from."""

from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from services.console.adapters.dev_pki import CONSOLE, Pki
from services.console.adapters.token_signing import FromFile, SignedHere, TokenSigner
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.certificates import CertificatePaths
from shared.rpc.link import Secured, TokenSource


@dataclass(frozen=True, slots=True)
class Credentials:
    """A certificate, and a key to sign tokens with or a file with a token."""

    paths: CertificatePaths
    signer: TokenSigner | None
    token_file: Path | None

    def tokens(self, caller: Caller) -> TokenSource:
        """Tokens of a caller; a token from a file says itself who calls."""
        if self.signer is not None:
            return SignedHere(self.signer, caller)
        if self.token_file is not None:
            return FromFile(self.token_file)
        raise DomainError(Reason.CALLER_UNKNOWN, "no token: set SEVENSTUD_CONSOLE_TOKEN_FILE")


_IN_USE: ContextVar[Credentials | None] = ContextVar("credentials", default=None)


def use(credentials: Credentials | None) -> None:
    """From now on; None: plain text, and taken at one's word."""
    _IN_USE.set(credentials)


def use_pki(pki: Pki) -> None:
    """From now on those of a development authority."""
    use(Credentials(pki.caller(CONSOLE), TokenSigner.read(pki.signing_key), None))


def secured_as(caller: Caller) -> Secured | None:
    """What a line to a service needs; None without TLS."""
    credentials = _IN_USE.get()
    if credentials is None:
        return None
    if caller.role is Role.SERVICE:
        message = "where TLS is on only a service's own certificate makes a service: the console cannot be one"
        raise DomainError(Reason.NOT_PERMITTED, message, {"role": caller.role.value, "allowed": "services"})
    return Secured(paths=credentials.paths, tokens=credentials.tokens(caller))
