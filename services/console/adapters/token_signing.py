"""Signing tokens, for development and tests: in production an identity provider of the house does it."""

import json
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from jwt.algorithms import OKPAlgorithm

from services.console.adapters.authority import write_whole
from shared.kernel.caller import Caller, Role
from shared.rpc.link import Token
from shared.rpc.tls_settings import AUDIENCE

DEV_ISSUER = "sevenstud-dev"
TOKEN_SECONDS = 600


class TokenSigner:
    """Holds one signing key."""

    def __init__(self, key: Ed25519PrivateKey, issuer: str = DEV_ISSUER) -> None:
        """Sign with this key, as this issuer."""
        self._key = key
        self._issuer = issuer
        raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        digest = Hash(SHA256())
        digest.update(raw)
        self.key_id = f"dev-{digest.finalize().hex()[:16]}"

    @classmethod
    def fresh(cls) -> "TokenSigner":
        """With a key that nobody knows yet."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: Path) -> "TokenSigner":
        """With the key in a file; OSError or ValueError where there is none."""
        key = load_pem_private_key(path.read_bytes(), None)
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError(f"{path} is no Ed25519 key")  # noqa: TRY004  # the file is wrong
        return cls(key)

    def write(self, path: Path) -> None:
        """Keep the key in a file, for its owner alone."""
        write_whole(path, self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)

    def public_key(self) -> dict[str, str]:
        """The public half as a JSON Web Key."""
        entry: dict[str, str] = json.loads(OKPAlgorithm.to_jwk(self._key.public_key()))
        entry.pop("key_ops", None)
        return {**entry, "kid": self.key_id, "alg": "EdDSA", "use": "sig"}

    def sign(self, caller: Caller, thumbprint: str, seconds: int = TOKEN_SECONDS) -> Token:
        """A token for a caller, bound to the certificate with this thumbprint."""
        now = int(time.time())
        claims: dict[str, object] = {
            "iss": self._issuer,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + seconds,
            "jti": uuid.uuid4().hex,
            "sub": caller.id,
            "role": caller.role.value,
            "cnf": {"x5t#S256": thumbprint},
        }
        if caller.role is Role.BACKEND and caller.player_prefix:
            claims["players"] = caller.player_prefix
        text = jwt.encode(claims, self._key, algorithm="EdDSA", headers={"kid": self.key_id})
        return Token(text, float(now + seconds))


def key_set(keys: Sequence[dict[str, str]]) -> bytes:
    """Public keys as a JSON Web Key Set."""
    return (json.dumps({"keys": list(keys)}, indent=2) + "\n").encode()


@dataclass(frozen=True, slots=True)
class SignedHere:
    """Tokens for one caller, signed by ourselves."""

    signer: TokenSigner
    caller: Caller

    def __call__(self, thumbprint: str) -> Token:
        """One that is bound to this certificate."""
        return self.signer.sign(self.caller, thumbprint)


@dataclass(frozen=True, slots=True)
class FromFile:
    """A token that somebody else signed, read anew every few seconds: whoever renews it replaces the file."""

    path: Path
    READ_SECONDS = 65.0

    def __call__(self, thumbprint: str) -> Token:
        """What the file holds, whatever certificate it is bound to."""
        del thumbprint
        return Token(self.path.read_text(encoding="ascii").strip(), time.time() + self.READ_SECONDS)
