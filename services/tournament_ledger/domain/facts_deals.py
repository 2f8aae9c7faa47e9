"""Facts of agreed splits (rule 203)."""

from dataclasses import dataclass

from shared.kernel.rules import DealKind


@dataclass(frozen=True, slots=True)
class DealShare:
    """One player's part of an agreed split."""

    player_id: str
    amount_minor: int


@dataclass(frozen=True, slots=True)
class Deal:
    """An agreed split that waits until everybody who is left has accepted it."""

    number: int
    kind: DealKind
    shares: tuple[DealShare, ...]
    rest_minor: int
    """What is left for the winner; 0 = the event ends with the deal."""
    accepted_player_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DealProposed:
    """A split was proposed by a player, who accepts it by that."""

    deal: Deal


@dataclass(frozen=True, slots=True)
class DealAccepted:
    """A player accepted the split."""

    number: int
    player_id: str


@dataclass(frozen=True, slots=True)
class DealAgreed:
    """Everybody accepted: the shares are paid, the winner gets the rest."""

    number: int


@dataclass(frozen=True, slots=True)
class DealLapsed:
    """The next hand began, or another split was proposed."""

    number: int
