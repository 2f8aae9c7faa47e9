"""Everything a table needs of the world, passed as one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from services.orchestrator.application.between_hands import BetweenHands
from services.orchestrator.application.shares import ALONE, Shares
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table import Table
from services.orchestrator.ports import Betting, Clock, Dealer, Evaluator, Ledger
from shared.kernel.game import Mode


class Witness(Protocol):
    """Sees every fact after it was recorded; counts, never interferes."""

    def recorded(self, before: Table | None, after: Table, events: tuple[Recorded, ...]) -> None:
        """These events were added to the log of a table; none of them where a table was read back from its log."""
        ...

    def let_go(self, table: Table) -> None:
        """An open table that another process goes on with is not looked at here any more."""
        ...

    def step_failed(self, step: str, table_id: str, fault: BaseException) -> None:
        """A step of a table could not be taken; it is tried again or the hand is voided."""
        ...

    def disclosed(self, hand_id: str, player_id: str, seat: int) -> None:
        """A mucked hand was given to a player who asked for it."""
        ...

    def watchers_changed(self, by: int) -> None:
        """Streams began or ended."""
        ...

    def watcher_told(self, events: int) -> None:
        """A watcher was told what is new, and was so many events behind the table before."""
        ...

    def watcher_lost(self) -> None:
        """A watcher fell so far behind that it must resume from the log."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The ports of the tables."""

    dealer: Dealer
    betting: Betting
    evaluator: Evaluator
    ledger: Ledger
    clock: Clock
    log: TableLog
    between_hands: Mapping[Mode, BetweenHands]
    """Who rules between the hands: the ledger alone at a cash table, the director at a tournament's."""
    witness: Witness
    tables_max: int
    """Most open tables; cash tables beyond it are refused."""
    scripted_allowed: bool
    """Tables with cards chosen beforehand are allowed, and the dealer deals them."""
    changes_per_hand_max: int = 20
    """Most changes of own settings of one player at a table between two hands; more are refused."""
    shares: Shares = ALONE
    """Which of several orchestrators goes on with which table."""
