"""Who calls: a role and an opaque id. Rights follow from the role, and from the id where something is one's own."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a caller is to the suite."""

    PLAYER = "player"  # Sits at tables, for itself only.
    OPERATOR = "operator"  # Runs the house: opens, pauses, closes.
    OBSERVER = "observer"  # Watches what spectators see.
    AUDITOR = "auditor"  # Reads everything, changes nothing.
    BACKEND = "backend"  # A customer's server: acts for its players.
    SERVICE = "service"  # One of our own services.


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call."""

    role: Role
    id: str
    """Player id, or the name of the operator, back end or service."""
    player_prefix: str = ""
    """A back end's players are those whose ids begin with this; empty: all players are."""
