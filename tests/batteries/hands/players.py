"""Players who do anything legal, each with a temper, and clocks that run out."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from services.betting.domain.actions import WAGERS, ActionCause, ActionKind, LegalAction
from tests.batteries.hands.setups import Theme
from tests.support.in_process_table import InProcessTable

_CAUSES = (ActionCause.CLOCK, ActionCause.CLOCK, ActionCause.DISCONNECTED, ActionCause.ABSENT)


@dataclass(frozen=True, slots=True)
class Temper:
    """How gladly a player folds, pays and wagers, and wagers the most or the least there is."""

    fold: float
    passive: float
    wager: float
    most: float
    least: float = 0.4

    def of(self, kind: ActionKind) -> float:
        """Weight of an action."""
        if kind in WAGERS:
            return self.wager
        return self.fold if kind is ActionKind.FOLD else self.passive


STATION = Temper(0.0, 1.0, 0.02, 0.1)
ROCK = Temper(1.2, 1.0, 0.1, 0.2)
NORMAL = Temper(0.25, 1.0, 0.4, 0.2)
MANIAC = Temper(0.05, 0.5, 1.5, 0.5)
CLIMBER = Temper(0.05, 0.6, 1.2, 0.0, least=0.9)
_TABLES = ((STATION,), (NORMAL,), (NORMAL, ROCK, MANIAC, STATION), (MANIAC,), (NORMAL, MANIAC), (STATION, MANIAC))
_THEMES = {Theme.CROWD: (STATION,), Theme.STAIRS: (CLIMBER,), Theme.TIE: (STATION, NORMAL, MANIAC)}


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that came to the table from outside; kind None is an expiry."""

    seat: int
    kind: ActionKind | None
    to_chips: int
    cause: ActionCause

    def apply(self, table: InProcessTable) -> None:
        """Do it at a table."""
        if self.kind is None:
            table.expire(self.seat, self.cause)
        else:
            table.act(self.seat, self.kind, self.to_chips)


class Players:
    """The players of one hand."""

    def __init__(self, rng: Random, seats: tuple[int, ...], theme: Theme) -> None:
        tempers = _THEMES.get(theme) or rng.choice(_TABLES)
        self._rng = rng
        self._tempers: Mapping[int, Temper] = {seat: rng.choice(tempers) for seat in seats}
        self._expiry = rng.choice((0.0, 0.0, 0.02, 0.15)) if theme is Theme.ANY else 0.0

    def answer(self, table: InProcessTable) -> Input:
        """What the seat to act does, or what its clock does to it."""
        turn = table.turn
        if turn is None:
            raise AssertionError("nobody is to act")
        if turn.seat in table.absent:
            if self._rng.random() >= 0.1:
                return Input(turn.seat, None, 0, ActionCause.ABSENT)
            table.absent.discard(turn.seat)  # "I am back"
        if self._rng.random() < self._expiry:
            return Input(turn.seat, None, 0, self._rng.choice(_CAUSES))
        temper = self._tempers[turn.seat]
        weights = [temper.of(each.kind) for each in turn.actions]
        chosen = self._rng.choices(turn.actions, weights if sum(weights) else None)[0]
        return Input(turn.seat, chosen.kind, self._amount(chosen, temper), ActionCause.PLAYER)

    def _amount(self, legal: LegalAction, temper: Temper) -> int:
        if legal.kind not in WAGERS:
            return 0
        if legal.to_chips_choices:
            return self._rng.choice(legal.to_chips_choices)
        least, most = legal.to_chips_min, legal.to_chips_max
        drawn = self._rng.random()
        if drawn < temper.most + temper.least:
            return most if drawn < temper.most else least
        return self._rng.randint(least, most)
