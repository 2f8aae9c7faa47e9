"""A certificate authority for development and tests: one key, certificates for services and callers."""

import ipaddress
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS: Final = 365
_BEFORE: Final = timedelta(minutes=5)
"""Certificates begin a little earlier: clocks differ."""
_SIGNS = {"digital_signature": True}
_CERTIFIES = {"key_cert_sign": True, "crl_sign": True}
_USES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Whom a certificate is for."""

    name: str
    uri: str | None = None
    hosts: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    serves: bool = False
    """It may be shown by a server; every certificate may be shown by a client."""
    begins: datetime | None = None
    """Now, where it is None."""
    lasts: timedelta = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its key, in PEM."""

    certificate: bytes
    private_key: bytes = field(repr=False)

    def write(self, certificate: Path, private_key: Path) -> None:
        """Replace both files, each at once; the key is for its owner alone."""
        write_whole(private_key, self.private_key, 0o600)
        write_whole(certificate, self.certificate, 0o644)


class Authority:
    """Signs certificates."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        """With this key."""
        self._certificate = certificate
        self._key = key

    @classmethod
    def fresh(cls, name: str) -> "Authority":
        """One that nobody knows yet."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject, now = _named(name), datetime.now(UTC)
        builder = (
            _begun(subject, subject, key, now - _BEFORE, now + timedelta(days=AUTHORITY_DAYS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(_CERTIFIES), critical=True)
        )
        return cls(builder.sign(key, hashes.SHA256()), key)

    @classmethod
    def read(cls, certificate: Path, private_key: Path) -> "Authority":
        """The one in these files; OSError or ValueError where there is none."""
        key = load_pem_private_key(private_key.read_bytes(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError(f"{private_key} is no key of ours")  # noqa: TRY004  # the file is wrong
        return cls(x509.load_pem_x509_certificate(certificate.read_bytes()), key)

    @property
    def certificate(self) -> bytes:
        """Its own certificate in PEM."""
        return self._certificate.public_bytes(Encoding.PEM)

    @property
    def until(self) -> datetime:
        """When it ends, and everything that it signed with it."""
        return self._certificate.not_valid_after_utc

    def write(self, certificate: Path, private_key: Path) -> None:
        """Keep it in two files."""
        Issued(self.certificate, _pem(self._key)).write(certificate, private_key)

    def issue(self, subject: Subject) -> Issued:
        """A certificate with a key of its own."""
        key = ec.generate_private_key(ec.SECP256R1())
        begins = subject.begins or datetime.now(UTC) - _BEFORE
        uses = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if subject.serves else [])]
        builder = (
            _begun(_named(subject.name), self._certificate.subject, key, begins, begins + subject.lasts)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(_SIGNS), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        names = _alternative_names(subject)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return Issued(builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM), _pem(key))


def write_whole(path: Path, content: bytes, mode: int) -> None:
    """Replace a file at once, never to be seen half-written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(content)
    fresh.replace(path)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begins: datetime, ends: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(wanted: dict[str, bool]) -> x509.KeyUsage:
    return x509.KeyUsage(**(dict.fromkeys(_USES, False) | wanted))


def _alternative_names(subject: Subject) -> list[x509.GeneralName]:
    return [
        *(x509.DNSName(host) for host in subject.hosts),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in subject.addresses),
        *([x509.UniformResourceIdentifier(subject.uri)] if subject.uri else []),
    ]


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
