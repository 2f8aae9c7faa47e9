"""Tokens that nobody may believe, each wrong in one way only."""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from services.console.adapters.authority import Issued
from services.console.adapters.token_signing import DEV_ISSUER, TokenSigner
from tests.support.secured_suite import bearer, thumbprint


@dataclass(frozen=True, slots=True)
class Forger:
    """Has a caller's own pair, and has even stolen the signing key: only the wrong part is wrong."""

    signer: TokenSigner
    pair: Issued
    other: Issued

    def claims(self, **changes: object) -> dict[str, object]:
        """Of a good token of an operator, but for the changes; None leaves a claim out."""
        now = int(time.time())
        good: dict[str, object] = {
            "iss": DEV_ISSUER,
            "aud": "sevenstud",
            "iat": now,
            "exp": now + 600,
            "sub": "house",
            "role": "operator",
            "cnf": {"x5t#S256": thumbprint(self.pair)},
        }
        return {name: value for name, value in (good | changes).items() if value is not None}

    def signed(self, key: Any = None, headers: dict[str, Any] | None = None, **changes: object) -> str:
        """A token with these changes, signed with the stolen key or another one."""
        names: dict[str, Any] = {"kid": self.signer.key_id} | (headers or {})
        head = {"alg": "EdDSA", "typ": "JWT"} | {name: value for name, value in names.items() if value is not None}
        signing = (key or self.signer._key).sign
        return self.assembled(head, self.claims(**changes), signing)

    def assembled(self, head: dict[str, Any], claims: dict[str, object], signing: Callable[[bytes], bytes]) -> str:
        """The three parts, whatever they say."""
        body = f"{_part(json.dumps(head).encode())}.{_part(json.dumps(claims).encode())}"
        return f"{body}.{_part(signing(body.encode()))}"

    def with_secret(self, secret: bytes) -> str:
        """HS256 with something that everybody knows as the secret."""

        def signing(body: bytes) -> bytes:
            digest = HMAC(secret, SHA256())
            digest.update(body)
            return digest.finalize()

        return self.assembled({"alg": "HS256", "kid": self.signer.key_id}, self.claims(), signing)

    def public(self, form: str) -> bytes:
        """The public key that verifies, in one of the forms that a careless verifier takes for a secret."""
        public = self.signer._key.public_key()
        return {
            "pem": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            "raw": public.public_bytes(Encoding.Raw, PublicFormat.Raw),
            "jwk": json.dumps(self.signer.public_key()).encode(),
        }[form]

    def changed(self, part: int) -> str:
        """A good token with the last character of a part changed."""
        parts = self.signed().split(".")
        parts[part] = parts[part][:-2] + ("A" if parts[part][-2] != "A" else "B") + parts[part][-1]
        return ".".join(parts)

    def moment(self, seconds: int) -> int:
        """Seconds from now."""
        return int(time.time()) + seconds


def _part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _nothing(body: bytes) -> bytes:
    del body
    return b""


def _foreign() -> dict[str, Any]:
    """A key of the forger's own, offered in the header."""
    key = Ed25519PrivateKey.generate()
    return {"key": key, "headers": {"jwk": TokenSigner(key).public_key(), "x5u": "https://forger.example"}}


Forgery = Callable[[Forger], str]
_TOKENS: dict[str, Forgery] = {
    "noise": lambda _: "a.b.c",
    "nothing": lambda _: "",
    "of development": lambda _: "dev:operator:me",
    "a head that nests deeply": lambda _: f"{_part(b'[' * 2500)}.e30.AA",
    "a head that is a list": lambda _: f"{_part(b'[]')}.e30.AA",
    "too long": lambda it: it.signed(more="x" * 4096),
    "expired": lambda it: it.signed(iat=it.moment(-600), exp=it.moment(-1)),
    "expired long ago": lambda it: it.signed(iat=it.moment(-90_000), exp=it.moment(-89_400)),
    "begins tomorrow": lambda it: it.signed(iat=it.moment(86_400), exp=it.moment(87_000)),
    "not before tomorrow": lambda it: it.signed(nbf=it.moment(86_400)),
    "lives for an hour": lambda it: it.signed(exp=it.moment(3600)),
    "lives for ever": lambda it: it.signed(exp=10**15),
    "ends at infinity": lambda it: it.signed(exp=float("inf")),
    "ends at a text": lambda it: it.signed(exp=str(it.moment(600))),
    "ends at true": lambda it: it.signed(exp=True),
    "of another issuer": lambda it: it.signed(iss="elsewhere"),
    "for another audience": lambda it: it.signed(aud="another-house"),
    "for a list of other audiences": lambda it: it.signed(aud=["another-house", "sevenstud2"]),
    "with the role service": lambda it: it.signed(role="service"),
    "with the role king": lambda it: it.signed(role="king"),
    "with a list of roles": lambda it: it.signed(role=["operator"]),
    "with an id of blanks": lambda it: it.signed(sub="a b"),
    "with a number for an id": lambda it: it.signed(sub=7),
    "with players for a player": lambda it: it.signed(role="player", players="lobby-"),
    "with a list of players": lambda it: it.signed(role="backend", players=["lobby-"]),
    "with players that are none": lambda it: it.signed(role="backend", players=""),
    "bound to another certificate": lambda it: it.signed(cnf={"x5t#S256": thumbprint(it.other)}),
    "bound to nothing": lambda it: it.signed(cnf={}),
    "bound to a text": lambda it: it.signed(cnf=thumbprint(it.pair)),
    "bound to a key": lambda it: it.signed(cnf={"jkt": thumbprint(it.pair)}),
    "without a key id": lambda it: it.signed(headers={"kid": None}),
    "of an unknown key": lambda it: it.signed(headers={"kid": "other"}),
    "with a number for a key id": lambda it: it.signed(headers={"kid": 1}),
    "of another key under the name of ours": lambda it: it.signed(Ed25519PrivateKey.generate()),
    "with its own key in the head": lambda it: it.signed(**_foreign()),
    "with a critical head": lambda it: it.signed(headers={"crit": ["exp"], "exp": 1}),
    "unsigned": lambda it: it.assembled({"alg": "none", "kid": it.signer.key_id}, it.claims(), _nothing),
    "unsigned, in capitals": lambda it: it.assembled({"alg": "NONE", "kid": it.signer.key_id}, it.claims(), _nothing),
    "without a signature": lambda it: it.assembled({"alg": "EdDSA", "kid": it.signer.key_id}, it.claims(), _nothing),
    "without an algorithm": lambda it: it.assembled({"kid": it.signer.key_id}, it.claims(), it.signer._key.sign),
    "of another algorithm": lambda it: it.signed(headers={"alg": "RS256"}),
    "HS256 with the public key in PEM": lambda it: it.with_secret(it.public("pem")),
    "HS256 with the public key in raw": lambda it: it.with_secret(it.public("raw")),
    "HS256 with the public key as JWK": lambda it: it.with_secret(it.public("jwk")),
    "HS256 with nothing": lambda it: it.with_secret(b""),
    "with a changed head": lambda it: it.changed(0),
    "with changed claims": lambda it: it.changed(1),
    "with a changed signature": lambda it: it.changed(2),
}
_CLAIMS = ("iss", "aud", "iat", "exp", "sub", "role", "cnf")


def _without(name: str) -> Forgery:
    return lambda it: it.signed(**{name: None})


_AUTHORIZATIONS: dict[str, Forgery] = {
    "a good token of another scheme": lambda it: f"Basic {it.signed()}",
    "a good token without a scheme": lambda it: it.signed(),
    "a good token in small letters": lambda it: bearer(it.signed()).lower(),
}


def forged(forger: Forger) -> dict[str, str]:
    """Authorization metadata that must open nothing, each by what is wrong with it."""
    tokens = _TOKENS | {f"without {name}": _without(name) for name in _CLAIMS}
    return {name: bearer(make(forger)) for name, make in tokens.items()} | {
        name: make(forger) for name, make in _AUTHORIZATIONS.items()
    }
