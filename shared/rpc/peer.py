"""Who is at the other end of a connection, by its certificate: a service of ours where its name says so."""

import time
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtensionOID

from shared.rpc.certificates import thumbprint_of
from shared.rpc.context import Context
from shared.rpc.identity import ID

_PEERS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Peer:
    """The holder of a certificate that the handshake accepted."""

    thumbprint: str
    serial: int
    service: str | None
    """Name of the service of ours that it is; None for a caller."""
    until: float
    """When the certificate expires, in seconds since 1970; a connection may outlive it."""
    certificate: bytes
    """In PEM."""


class Peers:
    """Reads the certificates of connections and remembers the ones read."""

    def __init__(self, trust_domain: str) -> None:
        """Services of ours are named in this trust domain."""
        self._prefix = service_uri(trust_domain, "")
        self._known: dict[bytes, Peer] = {}

    def of(self, context: Context) -> Peer | None:
        """The peer of a call; None where it gave no certificate."""
        pem = next(iter(context.auth_context().get("x509_pem_cert", ())), None)
        if pem is None:
            return None
        peer = self._known.get(pem)
        if peer is None:
            if len(self._known) >= _PEERS_MAX:
                now = time.time()
                self._known = {pem: peer for pem, peer in self._known.items() if peer.until > now}
            if len(self._known) >= _PEERS_MAX:
                del self._known[next(iter(self._known))]
            peer = self._known[pem] = self._read(pem)
        return peer

    def _read(self, pem: bytes) -> Peer:
        certificate = x509.load_pem_x509_certificate(pem)
        return Peer(
            thumbprint=thumbprint_of(certificate.public_bytes(Encoding.DER)),
            serial=certificate.serial_number,
            service=self._service(certificate),
            until=certificate.not_valid_after_utc.timestamp(),
            certificate=pem,
        )

    def _service(self, certificate: x509.Certificate) -> str | None:
        """By its one SPIFFE id; several, or another trust domain's, say nothing. The subject is never looked at."""
        try:
            names = certificate.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
        except (x509.ExtensionNotFound, ValueError):
            return None
        if not isinstance(names, x509.SubjectAlternativeName):
            return None
        uris = names.get_values_for_type(x509.UniformResourceIdentifier)
        name = uris[0].removeprefix(self._prefix) if len(uris) == 1 and uris[0].startswith(self._prefix) else ""
        return name if ID.fullmatch(name) else None


def service_uri(trust_domain: str, service: str) -> str:
    """The name of a service of ours in its certificate: a SPIFFE id, as a URI among the alternative names."""
    return f"spiffe://{trust_domain}/service/{service}"


def service_host(trust_domain: str, service: str) -> str:
    """The host name that a service's certificate has for other services, wherever it runs."""
    return f"{service.replace('_', '-')}.{trust_domain}"
