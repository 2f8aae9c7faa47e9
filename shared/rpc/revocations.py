"""Certificates and tokens that are no longer believed, though they have not expired: a file that may be replaced.

    {
      "certificates": ["sha256:<fingerprint>", "serial:<number in hex>"],
      "tokens": ["<jti>"],
      "issued_before": {"player:ann": 1764547200}
    }

Each part may be left out. ``issued_before`` takes all tokens of a caller, role and id, that are older than this second
since 1970: whoever gets a new one goes on. Numbers are as openssl prints them, with colons or without.
Who looks at the file is ``standing.py``.
"""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.rpc.identity import ID, Proof
from shared.rpc.tokens import TOKEN_ROLES

_NUMBER = re.compile(r"(sha256|serial):([0-9a-f]{1,64})")
_PARTS = frozenset({"certificates", "tokens", "issued_before"})
_FINGERPRINT_DIGITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """What the file says."""

    thumbprints: frozenset[str] = frozenset()
    serials: frozenset[int] = frozenset()
    token_ids: frozenset[str] = frozenset()
    issued_before: Mapping[str, float] = field(default_factory=dict[str, float])
    """By subject, as in ``player:ann``: seconds since 1970."""

    def why(self, proof: Proof) -> str:
        """Why a caller is not believed any more; empty where it is."""
        if proof.thumbprint in self.thumbprints or proof.serial in self.serials:
            return "the certificate of the connection is revoked"
        if proof.token_id and proof.token_id in self.token_ids:
            return "the token is revoked"
        if proof.issued_at < self.issued_before.get(proof.subject, 0.0):
            return "the token is revoked with all that this caller got before: ask for a new one"
        return ""


def read_revoked(content: bytes) -> Revoked:
    """The file's content; ValueError says what is wrong with it."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON") from None
    if not isinstance(told, dict) or told.keys() - _PARTS:
        raise ValueError(f"is an object with {', '.join(sorted(_PARTS))}, and nothing else")
    named = [_number(each) for each in _texts(told, "certificates")]
    moments = told.get("issued_before", {})
    if not isinstance(moments, dict) or not all(type(each) is int for each in moments.values()):
        raise ValueError('has an issued_before that is not of the form {"player:ann": 1764547200}')
    for subject in moments:
        if subject.partition(":")[0] not in TOKEN_ROLES or not ID.fullmatch(subject.partition(":")[2]):
            raise ValueError(f"names the caller {subject!r} in issued_before: give role and id, as in player:ann")
    return Revoked(
        thumbprints=frozenset(_thumbprint(digits) for kind, digits in named if kind == "sha256"),
        serials=frozenset(int(digits, 16) for kind, digits in named if kind == "serial"),
        token_ids=frozenset(_texts(told, "tokens")),
        issued_before=moments,
    )


def _texts(told: Mapping[str, object], part: str) -> list[str]:
    found = told.get(part, [])
    if not isinstance(found, list) or not all(isinstance(each, str) and each for each in found):
        raise ValueError(f"has {part} that are no list of texts")
    return found


def _number(text: str) -> tuple[str, str]:
    kind, _, digits = text.lower().partition(":")
    found = _NUMBER.fullmatch(f"{kind}:{digits.replace(':', '')}")
    if found is None or (kind == "sha256" and len(found[2]) != _FINGERPRINT_DIGITS):
        raise ValueError(f"names the certificate {text!r}: give sha256:<64 digits> or serial:<digits>, in hex")
    return found[1], found[2]


def _thumbprint(digits: str) -> str:
    """As tokens name a certificate (x5t#S256)."""
    return base64.urlsafe_b64encode(bytes.fromhex(digits)).rstrip(b"=").decode()
