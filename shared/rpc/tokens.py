"""Signed tokens: JSON Web Tokens (RFC 7519) that say who calls, bound to the caller's certificate (RFC 8705).

A token holds iss, aud, iat, exp, sub (the caller's id), role, cnf with x5t#S256, perhaps jti (its own id, by which it
can be revoked), for a back end perhaps players (the prefix of its players' ids); its header names the key (kid). The
key fixes the algorithm, whatever the header says.
"""

import base64
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from shared.kernel.caller import Caller, Role
from shared.rpc.identity import ID

PublicKey = Ed25519PublicKey | EllipticCurvePublicKey | RSAPublicKey
TOKEN_LENGTH_MAX = 4096
CLOCK_SECONDS = 30.0
"""How far the issuer's clock may be ahead; a token's end is not stretched by it."""
RSA_BITS_LEAST = 2048
_CLAIMS = ["iss", "aud", "iat", "exp", "sub", "role", "cnf"]
TOKEN_ROLES = frozenset(Role) - {Role.SERVICE}
"""Whom a token may name; a service of ours is known by its certificate."""
_KINDS = {"OKP": "EdDSA", "EC": "ES256", "RSA": "RS256"}
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)")
_UNREADABLE = "the token cannot be read, or its signature is not right"
_WHY: Mapping[type[Exception], str] = {
    jwt.ExpiredSignatureError: "the token has expired",
    jwt.ImmatureSignatureError: "the token is not valid yet",
    jwt.InvalidAudienceError: "the token is for another audience",
    jwt.InvalidIssuerError: "the token is from another issuer",
}
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class TokenRefused(Exception):  # noqa: N818  # what happens to it
    """Why a token is not believed; never with the token in it."""


@dataclass(frozen=True, slots=True)
class TokenKey:
    """A key that tokens are signed with; its public half."""

    algorithm: str
    public: PublicKey


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What a token must say."""

    issuer: str
    audience: str
    seconds_max: float
    """The longest life of a token."""


@dataclass(frozen=True, slots=True)
class Believed:
    """What a token says, once it is believed."""

    caller: Caller
    thumbprint: str
    """Of the one certificate that may come with it."""
    until: float
    issued_at: float
    token_id: str
    """Its jti; empty where it has none."""
    key: TokenKey
    """That it is signed with."""


def read_key_set(text: str | bytes) -> Mapping[str, TokenKey]:
    """The keys of a JSON Web Key Set (RFC 7517) by key id; ValueError says what is wrong, and repeats no key."""
    try:
        entries = json.loads(text)["keys"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError('is no JSON Web Key Set: {"keys": [...]}') from None
    if not isinstance(entries, list) or not entries:
        raise ValueError("has no keys")
    keys: dict[str, TokenKey] = {}
    for number, entry in enumerate(entries, start=1):
        key_id = entry.get("kid") if isinstance(entry, dict) else None
        if not isinstance(key_id, str) or not key_id:
            raise ValueError(f"has a key without a kid, the one at place {number}")
        if key_id in keys:
            raise ValueError(f"has the kid {key_id} twice")
        keys[key_id] = _key(cast("dict[str, Any]", entry), f"the key {key_id}")
    return keys


def _key(entry: dict[str, Any], name: str) -> TokenKey:
    if _PRIVATE & entry.keys():
        raise ValueError(f"holds the secret part of {name}: give public keys only")
    kind, curve = entry.get("kty"), entry.get("crv")
    algorithm = _KINDS.get(kind) if isinstance(kind, str) else None
    if algorithm is None or (kind, curve) not in {("OKP", "Ed25519"), ("EC", "P-256"), ("RSA", None)}:
        raise ValueError(f"{name} is of a kind not taken: Ed25519, P-256 and RSA are")
    if kind == "RSA" and entry.get("alg") == "PS256":
        algorithm = "PS256"
    if entry.get("alg", algorithm) != algorithm or entry.get("use", "sig") != "sig":
        raise ValueError(f"{name} is not for {algorithm} signatures")
    try:
        public = jwt.PyJWK(entry, algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        raise ValueError(f"{name} cannot be read") from None
    return TokenKey(algorithm, _checked(public, name))


def _checked(public: object, name: str) -> PublicKey:
    if isinstance(public, RSAPublicKey) and public.key_size < RSA_BITS_LEAST:
        raise ValueError(f"{name} is too short: {RSA_BITS_LEAST} bits at least")
    if isinstance(public, EllipticCurvePublicKey) and not isinstance(public.curve, SECP256R1):
        raise ValueError(f"{name} is not of the curve P-256")  # noqa: TRY004  # the file is wrong, not the program
    if not isinstance(public, PublicKey):
        raise ValueError(f"{name} is no public key")  # noqa: TRY004  # the file is wrong, not the program
    return public


def believe(token: str, keys: Mapping[str, TokenKey], rules: TokenRules) -> Believed:
    """What a token says, or TokenRefused."""
    if len(token) > TOKEN_LENGTH_MAX:
        raise TokenRefused(f"the token is longer than {TOKEN_LENGTH_MAX} characters")
    if not _is_compact(token):
        raise TokenRefused(_UNREADABLE)
    try:
        key = _key_of(token, keys)
        return _believed(_claims(token, key, rules), key, rules)
    except TokenRefused:
        raise
    except jwt.MissingRequiredClaimError as fault:
        raise TokenRefused(f"the token does not say {fault.claim}") from None
    except Exception as fault:  # noqa: BLE001  # whatever somebody sends instead of a token, it is refused
        raise TokenRefused(_WHY.get(type(fault), _UNREADABLE)) from None


def _is_compact(token: str) -> bool:
    """Three parts in base64url, and the signature written in the one way there is: a token has no second spelling."""
    found = _COMPACT.fullmatch(token)
    if found is None or len(found[1]) % 4 == 1:
        return False
    signature = base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
    return base64.urlsafe_b64encode(signature).rstrip(b"=").decode() == found[1]


def _key_of(token: str, keys: Mapping[str, TokenKey]) -> TokenKey:
    key = keys.get(jwt.get_unverified_header(token).get("kid", ""))
    if key is None:
        raise TokenRefused("the token is signed with a key that is not known here")
    return key


def _claims(token: str, key: TokenKey, rules: TokenRules) -> Mapping[str, Any]:
    return jwt.decode(
        token,
        key.public,
        algorithms=[key.algorithm],
        audience=rules.audience,
        issuer=rules.issuer,
        leeway=CLOCK_SECONDS,
        options={"require": _CLAIMS},
    )


def _believed(claims: Mapping[str, Any], key: TokenKey, rules: TokenRules) -> Believed:
    begins, ends = claims["iat"], claims["exp"]
    if not _is_moment(begins) or not _is_moment(ends):
        raise TokenRefused("the token's iat and exp are whole seconds since 1970")
    if ends <= time.time():
        raise TokenRefused("the token has expired")
    if ends - begins > rules.seconds_max:
        raise TokenRefused(f"the token lives longer than {rules.seconds_max:g} seconds")
    confirmed = claims["cnf"]
    thumbprint = confirmed.get("x5t#S256") if isinstance(confirmed, dict) else None
    if not isinstance(thumbprint, str):
        raise TokenRefused("the token is bound to no certificate: its cnf has no x5t#S256")
    return Believed(_caller(claims), thumbprint, float(ends), float(begins), _token_id(claims), key)


def _token_id(claims: Mapping[str, Any]) -> str:
    token_id = claims.get("jti", "")
    if not isinstance(token_id, str):
        raise TokenRefused("the token's jti is a text")
    return token_id


def _is_moment(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _caller(claims: Mapping[str, Any]) -> Caller:
    role, name, prefix = claims["role"], claims["sub"], claims.get("players", "")
    if role not in TOKEN_ROLES:
        raise TokenRefused(f"the token's role is none of {', '.join(sorted(TOKEN_ROLES))}")
    if not isinstance(name, str) or not ID.fullmatch(name):
        raise TokenRefused("the token's sub is no id: 1 to 64 of A-Z a-z 0-9 . _ : @ -")
    if not isinstance(prefix, str) or (prefix and role != Role.BACKEND):
        raise TokenRefused("the token's players is a text, and for back ends only")
    if role == Role.BACKEND and "players" in claims and not prefix:
        raise TokenRefused("the token's players is empty: name their prefix, or leave it out where all are its players")
    return Caller(Role(role), name, prefix)
