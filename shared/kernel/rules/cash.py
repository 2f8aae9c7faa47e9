"""Rules of money at cash tables."""

from dataclasses import dataclass

from shared.kernel.rules.cash_options import AnteToggle, BuyIn, CashAdd


@dataclass(frozen=True, slots=True, kw_only=True)
class RakeCap:
    """Most rake of a hand by the number of players dealt in (rule 196)."""

    players_min: int
    """The cap holds from this many players dealt in on."""
    cap_chips: int
    """Most rake, in chips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RakeRules:
    """What the house takes from cash pots (rule 196)."""

    basis_points: int
    """Share of the contested pots in ten-thousandths; 0 = no rake."""
    caps: tuple[RakeCap, ...]
    """Caps by players dealt in; none = no cap."""
    unit_chips: int
    """Rake is a multiple of this, rounded down."""
    no_fourth_street_no_rake: bool
    """Nothing is taken from a hand that ended on third street."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CashRules:
    """Money at a cash table."""

    ante_toggle: AnteToggle
    """Whether the automatic ante may be switched off (rule 19)."""
    buy_in: BuyIn
    """How a buy-in is sized (rule 193)."""
    buy_in_min_chips: int
    """Least buy-in, in chips; the only one where buy_in is FIXED."""
    buy_in_max_chips: int
    """Largest buy-in, in chips."""
    cash_add: CashAdd
    """When chips may be added (C46)."""
    cash_stake_cap_minor: int
    """Most that one player may bring in a session, in minor units; 0 = no limit (rule 195)."""
    rake: RakeRules
    """Rake (rule 196)."""
