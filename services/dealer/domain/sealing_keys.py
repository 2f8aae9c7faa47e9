"""The keys that hands are sealed under at rest, as an operator writes them: ``id:hex,id:hex``, the current first."""

import re
from dataclasses import dataclass, field

KEY_SIZE = 32
_KEY = re.compile(r"([A-Za-z0-9._-]{1,32}):([0-9a-fA-F]{64})")
HOW = "write id:hex, id:hex with 64 hexadecimal digits each and ids of their own, the current key first"


@dataclass(frozen=True, slots=True)
class SealingKeys:
    """The key ring: new hands are sealed under the first key, old ones are opened under the key they name."""

    keys: dict[str, bytes] = field(repr=False)
    """By id, the current one first."""

    @property
    def current_id(self) -> str:
        """The id of the key that seals now."""
        return next(iter(self.keys))


def parse_keys(text: str) -> SealingKeys:
    """The key ring; ValueError says how it is written, and never shows a key."""
    found: dict[str, bytes] = {}
    for part in text.replace("\n", ",").split(","):
        if not part.strip():
            continue
        match = _KEY.fullmatch(part.strip())
        if match is None or match[1] in found:
            raise ValueError(HOW)
        found[match[1]] = bytes.fromhex(match[2])
    if not found:
        raise ValueError(HOW)
    return SealingKeys(found)
