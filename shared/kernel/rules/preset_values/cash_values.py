"""Money at the cash tables of each house."""

from dataclasses import replace
from typing import Final

from shared.kernel.rules import cash_options as option
from shared.kernel.rules.cash import CashRules, RakeRules

BASE: Final = CashRules(
    ante_toggle=option.AnteToggle.OFF,
    buy_in=option.BuyIn.FIXED,
    buy_in_min_chips=1_000,
    buy_in_max_chips=1_000,
    cash_add=option.CashAdd.WHEN_BUSTED,
    cash_stake_cap_minor=0,
    rake=RakeRules(basis_points=0, caps=(), unit_chips=1, no_fourth_street_no_rake=True),
)

REGULATED_TOURNAMENT: Final = BASE

CARD_ROOM: Final = replace(BASE, ante_toggle=option.AnteToggle.PER_PLAYER, cash_stake_cap_minor=100_000)

CLASSIC: Final = replace(
    BASE,
    buy_in=option.BuyIn.RANGE,
    buy_in_min_chips=200,
    buy_in_max_chips=2_000,
    cash_add=option.CashAdd.BELOW_BUY_IN,
)
