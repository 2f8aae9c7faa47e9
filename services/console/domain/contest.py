"""The demo's tournament: fixed limit, levels by hands, rising until the last two have a few big bets each."""

from dataclasses import dataclass

from shared.kernel.rules.hand import Stakes

PLAYERS_LEAST = 2
PLAYERS_MOST = 8
_NAMES = ("ada", "bruno", "carla", "dario", "elena", "fabio", "gina", "hugo")

# Ante, bring-in and lower limit of each level; the upper limit is twice the lower.
_AMOUNTS = (
    (10, 20, 50),
    (15, 30, 75),
    (20, 40, 100),
    (30, 60, 150),
    (40, 80, 200),
    (60, 120, 300),
    (80, 160, 400),
    (100, 200, 500),
    (150, 300, 750),
    (200, 400, 1_000),
)

# Prize weights by least number of entrants (rule 178).
_PRIZES = ((2, (100,)), (4, (65, 35)), (6, (50, 30, 20)))


@dataclass(frozen=True, slots=True)
class PrizeWeights:
    """Weights of the paid places, best first, from a number of entrants on."""

    entrants_min: int
    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Contest:
    """What the demo announces on the regulated preset."""

    name: str
    preset: str
    players: tuple[str, ...]
    fee_minor: int
    deposit_minor: int
    currency: str
    starting_stack_chips: int
    level_hands: int
    levels: tuple[Stakes, ...]
    prizes: tuple[PrizeWeights, ...]

    @property
    def chips_total(self) -> int:
        """Chips in play from the first hand to the last."""
        return self.starting_stack_chips * len(self.players)


def plan_contest(players_count: int, starting_stack_chips: int = 1_000, level_hands: int = 4) -> Contest:
    """The demo's tournament for so many robots; ValueError where a table cannot seat them."""
    if not PLAYERS_LEAST <= players_count <= PLAYERS_MOST:
        raise ValueError(f"{players_count} players: from {PLAYERS_LEAST} to {PLAYERS_MOST} sit at one table")
    return Contest(
        name="Robots' evening",
        preset="regulated_tournament",
        players=_NAMES[:players_count],
        fee_minor=1_000,
        deposit_minor=5_000,
        currency="EUR",
        starting_stack_chips=starting_stack_chips,
        level_hands=level_hands,
        levels=tuple(_stakes(*amounts) for amounts in _AMOUNTS),
        prizes=tuple(PrizeWeights(least, weights) for least, weights in _PRIZES),
    )


def _stakes(ante_chips: int, bring_in_chips: int, lower_limit_chips: int) -> Stakes:
    return Stakes(
        ante_chips=ante_chips,
        bring_in_chips=bring_in_chips,
        lower_limit_chips=lower_limit_chips,
        upper_limit_chips=2 * lower_limit_chips,
    )
