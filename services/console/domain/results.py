"""What is shown when the cards are away: standings, the ledger's proof, figures."""

from dataclasses import dataclass
from enum import StrEnum


class EntrantState(StrEnum):
    """Where an entrant stands."""

    REGISTERED = "REGISTERED"
    PLAYING = "PLAYING"
    DECIDING = "DECIDING"
    OUT = "OUT"
    WINNER = "WINNER"
    WITHDRAWN = "WITHDRAWN"


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings; money in the smallest unit."""

    player_id: str
    state: EntrantState | None
    chips: int
    place: int
    """Final place; 0 = none yet."""
    prize_minor: int
    bonus_minor: int
    spent_minor: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What may be bought in a tournament."""

    fee_minor: int
    currency: str
    rebuys_max: int
    """Rebuys of one player."""
    add_on_offered: bool


@dataclass(frozen=True, slots=True)
class JournalFault:
    """A fault found in the journal."""

    book: str
    number: int
    fault: str


@dataclass(frozen=True, slots=True)
class UnitSum:
    """Sum of one unit over all accounts; zero in sound books."""

    unit: str
    sum: int
    accounts_count: int


@dataclass(frozen=True, slots=True)
class BookHead:
    """Head of the hash chain of one book."""

    book: str
    number: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class JournalCheck:
    """What the ledger found when it checked all of its books."""

    sound: bool
    entries_count: int
    faults: tuple[JournalFault, ...]
    sums: tuple[UnitSum, ...]
    """As many as an answer has room for; those that are not zero come first."""
    heads: tuple[BookHead, ...]
    units_count: int
    books_count: int

    @property
    def zero_sum(self) -> bool:
        """Nothing is wrong, there is something to check, and every unit sums to zero."""
        return self.sound and self.entries_count > 0 and all(unit.sum == 0 for unit in self.sums)


@dataclass(frozen=True, slots=True)
class RobotFigures:
    """What the robots' process reports when it ends."""

    actions_count: int
    refused_count: int
    """Actions that the rules refused: robots that choose among the legal actions have none."""
    late_count: int
    """Actions that came when the turn was over."""
    retries_count: int
    """Calls that had to be asked again."""
    act_median_seconds: float
    """How long an action took from the robot's side, half of them at most."""
    act_p99_seconds: float
    """The same, 99 of 100 at most."""


def percentile(values: tuple[float, ...], share: float) -> float:
    """The value that this share of all values does not exceed; 0 of none."""
    if not values:
        return 0.0
    ranked = sorted(values)
    return ranked[min(int(share * len(ranked)), len(ranked) - 1)]


def money_text(amount_minor: int, currency: str) -> str:
    """An amount as people write it, as in 12.50 EUR."""
    sign = "-" if amount_minor < 0 else ""
    units, cents = divmod(abs(amount_minor), 100)
    return f"{sign}{units:,}.{cents:02d} {currency}"


def contest_faults(standings: tuple[Standing, ...], entrants_count: int, chips_total: int) -> tuple[str, ...]:
    """What does not add up in the standings of a finished tournament played to the last chip."""
    faults: list[str] = []
    if len(standings) != entrants_count:
        faults.append(f"{entrants_count} entrants, but {len(standings)} lines of standings")
    winners = [line for line in standings if line.place == 1]
    if len(winners) != 1:
        faults.append(f"{len(winners)} players have first place")
    faults.extend(f"{line.player_id} has no place" for line in standings if line.place == 0)
    chips = sum(line.chips for line in standings)
    if chips != chips_total:
        faults.append(f"{chips_total} chips were issued, {chips} are left")
    return tuple(faults)
