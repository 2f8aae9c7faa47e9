"""Public keys that players seal their down cards to: which ones no seal can rest on."""

PUBLIC_KEY_BYTES = 32
_PRIME = 2**255 - 19
_ORDER_EIGHT = (
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
)
SMALL_ORDER = frozenset((0, 1, _PRIME - 1, *_ORDER_EIGHT))
"""Points of X25519 with which every exchange gives zero: a seal to one of them is open to everybody (RFC 7748, 6.1)."""


def key_fault(public_key: bytes) -> str:
    """Why nothing can be sealed to these bytes as an X25519 public key; empty where it can."""
    if len(public_key) != PUBLIC_KEY_BYTES:
        return f"an X25519 public key has {PUBLIC_KEY_BYTES} bytes"
    point = int.from_bytes(public_key, "little") % 2**255 % _PRIME
    if point in SMALL_ORDER:
        return "this point gives everybody the same secret: make a new key pair"
    return ""
