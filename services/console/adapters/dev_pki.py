"""The folder of a development certificate authority: everything that mTLS and tokens need on one machine.

ca.pem ca.key                  the authority
services/<service>.pem .key    one pair a service
callers/<name>.pem .key        one pair a caller
token.key token-keys.json      what tokens are signed with, and its public half for the services
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from services.console.adapters.authority import Authority, Subject, write_whole
from services.console.adapters.token_signing import DEV_ISSUER, TokenSigner, key_set
from services.console.domain.suite_plan import SERVICES
from shared.rpc.certificates import CertificatePaths
from shared.rpc.peer import service_host, service_uri
from shared.rpc.tls_settings import TRUST_DOMAIN

CONSOLE = "console"
"""The caller that the console itself is."""
KEYS_KEPT = 3
"""How many public keys stay in the set, the newest first: tokens of former ones are believed while they last."""


class PkiFault(Exception):  # noqa: N818  # what is wrong with the folder
    """The folder cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Pki:
    """A folder of this kind; see make_pki."""

    folder: Path

    @property
    def authority(self) -> Path:
        """The authority's certificate: what both sides trust."""
        return self.folder / "ca.pem"

    @property
    def signing_key(self) -> Path:
        """What tokens are signed with."""
        return self.folder / "token.key"

    @property
    def token_keys(self) -> Path:
        """Its public half and those of former ones: what services believe."""
        return self.folder / "token-keys.json"

    def service(self, service: str) -> CertificatePaths:
        """The pair of a service."""
        return self._pair("services", service)

    def caller(self, name: str) -> CertificatePaths:
        """The pair of a caller."""
        return self._pair("callers", name)

    def _pair(self, kind: str, name: str) -> CertificatePaths:
        return CertificatePaths(
            certificate=self.folder / kind / f"{name}.pem",
            private_key=self.folder / kind / f"{name}.key",
            authorities=self.authority,
        )

    def settings(self, service: str) -> dict[str, str]:
        """The settings of a service, without the prefix."""
        pair = self.service(service)
        return {
            "CERTIFICATE": str(pair.certificate),
            "PRIVATE_KEY": str(pair.private_key),
            "CLIENT_CA": str(pair.authorities),
            "TOKEN_KEYS": str(self.token_keys),
            "TOKEN_ISSUER": DEV_ISSUER,
        }

    def console_settings(self) -> dict[str, str]:
        """The settings of a console that signs its own tokens."""
        pair = self.caller(CONSOLE)
        return {
            "SEVENSTUD_CONSOLE_CERTIFICATE": str(pair.certificate),
            "SEVENSTUD_CONSOLE_PRIVATE_KEY": str(pair.private_key),
            "SEVENSTUD_CONSOLE_SERVER_CA": str(pair.authorities),
            "SEVENSTUD_CONSOLE_TOKEN_SIGNING_KEY": str(self.signing_key),
        }


def make_pki(folder: Path, callers: Iterable[str] = (), *, days: int = 30, new_token_key: bool = False) -> Pki:
    """Make the folder, or renew every pair in it: the authority stays, and running services take the new ones up.

    A console's pair is always made. PkiFault where the folder holds something else, or an authority that ends soon.
    """
    pki, lasts = Pki(folder), timedelta(days=days)
    authority = _authority(folder, lasts)
    for service in SERVICES:
        pair = pki.service(service)
        authority.issue(_service(service, lasts)).write(pair.certificate, pair.private_key)
    former = (path.stem for path in (folder / "callers").glob("*.pem"))
    for name in {CONSOLE, *callers, *former}:
        pair = pki.caller(name)
        authority.issue(_caller(name, lasts)).write(pair.certificate, pair.private_key)
    _token_key(pki, new=new_token_key)
    return pki


def _authority(folder: Path, lasts: timedelta) -> Authority:
    certificate, key = folder / "ca.pem", folder / "ca.key"
    if not certificate.exists() and not key.exists():
        authority = Authority.fresh("sevenstud development")
        authority.write(certificate, key)
        return authority
    try:
        authority = Authority.read(certificate, key)
    except (OSError, ValueError) as fault:
        raise PkiFault(f"{folder} holds no authority of ours ({fault}): give another folder") from None
    if authority.until < datetime.now(UTC) + lasts:
        raise PkiFault(
            f"the authority in {folder} ends on {authority.until:%Y-%m-%d}: give another folder, or less days"
        )
    return authority


def _service(service: str, lasts: timedelta) -> Subject:
    return Subject(
        name=service,
        uri=service_uri(TRUST_DOMAIN, service),
        hosts=(service_host(TRUST_DOMAIN, service), "localhost"),
        addresses=("127.0.0.1", "::1"),
        serves=True,
        lasts=lasts,
    )


def _caller(name: str, lasts: timedelta) -> Subject:
    return Subject(name=name, uri=f"spiffe://{TRUST_DOMAIN}/caller/{name}", lasts=lasts)


def _token_key(pki: Pki, *, new: bool) -> None:
    """The signing key and the public keys; the services know a new one before anything is signed with it."""
    known: list[dict[str, str]] = json.loads(pki.token_keys.read_bytes())["keys"] if pki.token_keys.exists() else []
    if pki.signing_key.exists() and not new:
        return
    signer = TokenSigner.fresh()
    write_whole(pki.token_keys, key_set([signer.public_key(), *known][:KEYS_KEPT]), 0o644)
    signer.write(pki.signing_key)
