"""A certificate, its private key and the authorities to trust, from files that may be replaced at any time.

Whoever renews them replaces the files, one after the other; what is found is taken up only when certificate and key
belong together, so that a change seen half-way does no harm.
"""

import base64
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from shared.observability.logging import get_log

_FORM = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificatePaths:
    """Where they are, all in PEM."""

    certificate: Path
    """The certificate, followed by those of authorities in between, if any."""
    private_key: Path
    """Its private key, not encrypted."""
    authorities: Path
    """Certificates of the authorities that the other side's certificate must come from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """What the files hold: certificate and key belong together."""

    chain: bytes
    private_key: bytes = field(repr=False)
    authorities: bytes
    thumbprint: str
    """SHA-256 of the certificate as tokens name it (x5t#S256)."""


class CertificateFault(ValueError):  # noqa: N818  # one or many faults of the files
    """What is wrong with which file: pairs of the file's name in CertificatePaths and a sentence."""

    def __init__(self, faults: tuple[tuple[str, str], ...]) -> None:
        """Keep them all."""
        super().__init__("; ".join(f"{name} {problem}" for name, problem in faults))
        self.faults = faults


def thumbprint_of(certificate: bytes) -> str:
    """SHA-256 of a certificate in DER, in base64url without padding: RFC 8705, x5t#S256."""
    return base64.urlsafe_b64encode(hashlib.sha256(certificate).digest()).rstrip(b"=").decode()


def load_certificates(paths: CertificatePaths) -> Certificates:
    """Read the files; CertificateFault names everything that is wrong with them."""
    found: dict[str, bytes] = {}
    faults: list[tuple[str, str]] = []
    for name in ("certificate", "private_key", "authorities"):
        path: Path = getattr(paths, name)
        try:
            found[name] = path.read_bytes()
        except OSError as fault:
            faults.append((name, f"is {path}, which cannot be read: {fault.strerror}"))
    faults += _faults(found)
    if faults:
        raise CertificateFault(tuple(faults))
    leaf = x509.load_pem_x509_certificates(found["certificate"])[0]
    return Certificates(
        chain=found["certificate"],
        private_key=found["private_key"],
        authorities=found["authorities"],
        thumbprint=thumbprint_of(leaf.public_bytes(Encoding.DER)),
    )


def _faults(found: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    leaf = _leaf(found["certificate"]) if "certificate" in found else None
    own = _public(found["private_key"]) if "private_key" in found else None
    if "certificate" in found and leaf is None:
        yield "certificate", "holds no certificate in PEM"
    if leaf is not None and leaf.not_valid_after_utc <= datetime.now(UTC):
        yield "certificate", f"has expired on {leaf.not_valid_after_utc:%Y-%m-%d %H:%M} UTC: renew it"
    if "private_key" in found and own is None:
        yield "private_key", "holds no private key in PEM without a password"
    if leaf is not None and own not in {None, leaf.public_key().public_bytes(*_FORM)}:
        yield "private_key", "does not belong to the certificate"
    if "authorities" in found and _leaf(found["authorities"]) is None:
        yield "authorities", "holds no certificate in PEM"


def _leaf(content: bytes) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificates(content)[0]
    except ValueError:
        return None


def _public(content: bytes) -> bytes | None:
    """The public half of a private key."""
    try:
        return load_pem_private_key(content, None).public_key().public_bytes(*_FORM)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


class CertificateFiles:
    """What the files held when they last made sense."""

    def __init__(self, paths: CertificatePaths) -> None:
        """Read them; CertificateFault where they make no sense now."""
        self._paths = paths
        self._seen = self._told = self._state()
        self.current = load_certificates(paths)

    def renew(self) -> bool:
        """Look whether the files have changed; True where current is another one now.

        What makes no sense is looked at again the next time: half of a change may be all that was there.
        """
        state = self._state()
        if state == self._seen:
            return False
        try:
            fresh = load_certificates(self._paths)
        except CertificateFault as fault:
            if state != self._told:
                get_log().warning(
                    "certificates_not_taken_up", problem=str(fault), meaning="the former ones stay in use"
                )
            self._told = state
            return False
        self._seen = state
        if fresh == self.current:
            return False
        self.current = fresh
        get_log().info("certificates_renewed", certificate=str(self._paths.certificate))
        return True

    def _state(self) -> tuple[tuple[int, int, int] | None, ...]:
        paths = self._paths
        return tuple(file_state(path) for path in (paths.certificate, paths.private_key, paths.authorities))


def file_state(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is replaced or written; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  # asked often
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
