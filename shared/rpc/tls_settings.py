"""Settings of TLS and tokens: all of a server's, checked together with the files that they name."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shared.config.env import Env
from shared.rpc.certificates import CertificateFault, CertificatePaths, load_certificates
from shared.rpc.revocations import read_revoked
from shared.rpc.tokens import TokenRules, read_key_set

TRUST_DOMAIN = "sevenstud.internal"
AUDIENCE = "sevenstud"
_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_PATHS = {"certificate": "CERTIFICATE", "private_key": "PRIVATE_KEY", "authorities": "CLIENT_CA"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsSettings:
    """Set together or not at all; the names of the variables stand in brackets."""

    certificate: Path
    """Certificate of the service in PEM, with those in between (CERTIFICATE); also shown to services it asks."""
    private_key: Path
    """Its private key in PEM (PRIVATE_KEY)."""
    client_ca: Path
    """Certificates of the authorities that callers' certificates come from, in PEM (CLIENT_CA)."""
    server_ca: Path
    """The same for the services that this one asks (SERVER_CA); CLIENT_CA where it is not set."""
    trust_domain: str
    """Services of ours are named spiffe://<trust domain>/service/<name> in their certificates (TRUST_DOMAIN)."""
    token_keys: Path | None
    """JSON Web Key Set with the public keys that tokens are signed with (TOKEN_KEYS); without it none is taken."""
    token_rules: TokenRules
    """What a token must say (TOKEN_ISSUER, TOKEN_AUDIENCE), how long it may live (TOKEN_SECONDS_MAX)."""
    revoked: Path | None = None
    """Certificates and tokens that are no longer believed, see revocations.py (REVOKED); None: all are."""

    def as_server(self) -> CertificatePaths:
        """For the calls that come in."""
        return CertificatePaths(certificate=self.certificate, private_key=self.private_key, authorities=self.client_ca)

    def as_client(self) -> CertificatePaths:
        """For the calls that go out."""
        return CertificatePaths(certificate=self.certificate, private_key=self.private_key, authorities=self.server_ca)

    @classmethod
    def from_env(cls, env: Env) -> "TlsSettings | None":
        """Read them, and look into the files; None where TLS is off."""
        paths = {name: env.optional_path(name) for name in (*_PATHS.values(), "SERVER_CA", "TOKEN_KEYS", "REVOKED")}
        issuer = env.text("TOKEN_ISSUER", "")
        settings = cls(
            certificate=paths["CERTIFICATE"] or Path(),
            private_key=paths["PRIVATE_KEY"] or Path(),
            client_ca=paths["CLIENT_CA"] or Path(),
            server_ca=paths["SERVER_CA"] or paths["CLIENT_CA"] or Path(),
            trust_domain=_domain(env),
            token_keys=paths["TOKEN_KEYS"],
            token_rules=TokenRules(
                issuer,
                env.text("TOKEN_AUDIENCE", AUDIENCE),
                env.seconds("TOKEN_SECONDS_MAX", 900.0, 1.0, 86_400.0),
            ),
            revoked=paths["REVOKED"],
        )
        given = [name for name in _PATHS.values() if paths[name] is not None]
        for name in _missing(given, paths):
            env.fault(name, "is required: TLS needs CERTIFICATE, PRIVATE_KEY and CLIENT_CA, tokens need TLS")
        if paths["TOKEN_KEYS"] is not None and not issuer:
            env.fault("TOKEN_ISSUER", "is required with TOKEN_KEYS: the iss of every token")
        if len(given) < len(_PATHS):
            return None
        _check_files(env, settings)
        return settings


def _missing(given: list[str], paths: dict[str, Path | None]) -> list[str]:
    if not given and not any(paths[name] for name in ("TOKEN_KEYS", "SERVER_CA", "REVOKED")):
        return []
    return [name for name in _PATHS.values() if name not in given]


def _domain(env: Env) -> str:
    value = env.text("TRUST_DOMAIN", TRUST_DOMAIN)
    if not _DOMAIN.fullmatch(value):
        env.fault("TRUST_DOMAIN", f"is {value!r}: a host name in small letters, as in {TRUST_DOMAIN}")
        return TRUST_DOMAIN
    return value


def _check_files(env: Env, settings: TlsSettings) -> None:
    faults: dict[tuple[str, str], None] = {}
    for paths, authorities in ((settings.as_server(), "CLIENT_CA"), (settings.as_client(), "SERVER_CA")):
        if authorities == "SERVER_CA" and settings.server_ca == settings.client_ca:
            continue
        try:
            load_certificates(paths)
        except CertificateFault as fault:
            names = {**_PATHS, "authorities": authorities}
            faults |= dict.fromkeys((names[name], problem) for name, problem in fault.faults)
    for name, problem in faults:
        env.fault(name, problem)
    _check_file(env, "TOKEN_KEYS", settings.token_keys, read_key_set)
    _check_file(env, "REVOKED", settings.revoked, read_revoked)


def _check_file(env: Env, name: str, path: Path | None, read: Callable[[bytes], object]) -> None:
    if path is None:
        return
    try:
        read(path.read_bytes())
    except OSError as fault:
        env.fault(name, f"is {path}, which cannot be read: {fault.strerror}")
    except ValueError as fault:
        env.fault(name, str(fault))
