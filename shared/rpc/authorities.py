"""The authorities that callers' certificates come from; one that is taken out of the file takes what it signed with it.

A handshake looks by itself (``tls.py``); this is for the connections that were open before.
"""

from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

from shared.rpc.renewed_file import RenewedFile

_KNOWN_MAX: Final = 10_000


class Authorities:
    """Those of the file, and those that were in it since the start."""

    def __init__(self, path: Path) -> None:
        """Read it; OSError or ValueError where it makes no sense now."""
        self._file = RenewedFile(path, "authorities", x509.load_pem_x509_certificates)
        self._left: list[x509.Certificate] = []
        self._known: dict[bytes, str] = {}

    def renew(self) -> bool:
        """Look, once in a while; True where others are in the file now."""
        before = self._file.current
        if not self._file.renew():
            return False
        self._left = [each for each in (*self._left, *before) if each not in self._file.current]
        self._known.clear()
        return True

    def why(self, certificate: bytes) -> str:
        """Why a certificate in PEM is good no more; empty where it is.

        Of one that an authority in between has signed nothing is known: a server is not told the whole chain.
        """
        if not self._left:
            return ""
        if certificate not in self._known:
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            self._known[certificate] = self._looked_at(x509.load_pem_x509_certificate(certificate))
        return self._known[certificate]

    def _looked_at(self, leaf: x509.Certificate) -> str:
        if not _signed_by(leaf, self._left) or _signed_by(leaf, self._file.current):
            return ""
        return "the certificate of the connection is of an authority that is trusted no more"


def _signed_by(leaf: x509.Certificate, authorities: list[x509.Certificate]) -> bool:
    """Whether one of them has."""
    return any(_is_signed(leaf, each) for each in authorities)


def _is_signed(leaf: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        leaf.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True
