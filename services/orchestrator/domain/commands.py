"""What may be asked of a table, mirrored from the requests of the contract."""

from dataclasses import dataclass

from services.orchestrator.domain.booking import Money
from services.orchestrator.domain.dealing import Script
from services.orchestrator.domain.wagering import ActionKind
from shared.kernel.rules import Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """Open a cash table. The rules come beside it: a preset with overrides is no matter of the domain."""

    table_id: str
    """Empty: one is made."""
    name: str
    stakes: Stakes
    chip_value: Money
    start_paused: bool
    hands_max: int
    scripted_hands: tuple[Script, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseTable:
    """Stop a table."""

    table_id: str
    expected_version: int
    clocks_too: bool
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeTable:
    """Let a table go on."""

    table_id: str
    expected_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTable:
    """Close a table."""

    table_id: str
    expected_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sit:
    """Take a seat and buy chips."""

    table_id: str
    player_id: str
    seat: int
    """0 = any."""
    buy_in_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddChips:
    """Buy more chips between hands."""

    table_id: str
    player_id: str
    chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCommand:
    """Leave, sit out, come back: a player and a table."""

    table_id: str
    player_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetConnection:
    """Say whether a player is connected."""

    table_id: str
    player_id: str
    connected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAutoAnte:
    """Switch the automatic ante."""

    table_id: str
    player_id: str
    auto_ante: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterSeatKey:
    """Have the own down cards sealed to a key, or no longer."""

    table_id: str
    player_id: str
    public_key: bytes
    """Empty: no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEntropy:
    """Add entropy to the deck of the next hand."""

    table_id: str
    player_id: str
    hand_id: str
    entropy: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Act in a turn."""

    table_id: str
    player_id: str
    turn_id: int
    kind: ActionKind
    to_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UseTimeBank:
    """Start the time bank of a turn."""

    table_id: str
    player_id: str
    turn_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOrMuck:
    """Show or hide a hand."""

    table_id: str
    player_id: str
    hand_id: str
    show: bool
