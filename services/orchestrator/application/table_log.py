"""What the tables ask of durable storage: facts, the newest betting state, answers, all in one write or not at all."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from services.orchestrator.application.shares import Fence
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table import BareTable
from services.orchestrator.domain.views import HandSummary, TableSummary
from shared.kernel.errors import DomainError
from shared.storage.requests import RequestKey

SEAT_KEPT: Final = "seat kept"
BEGUN: Final = "begun"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswer:
    """What was answered to a command; the table it showed is made again from the log up to the version."""

    version: int
    table_id: str
    seat: int = 0
    paid_chips: int = 0
    stack_chips: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """Chips that are being bought at the ledger for a seat: kept until it is known what became of them."""

    key: RequestKey
    """The request that buys; its answer is recorded with what it buys."""
    player_id: str
    seat: int
    chips: int
    cause_id: str
    """What the ledger is asked with: decided when the purchase begins, and the same until it ends."""
    table_version: int = 0
    """Of the table when it was begun, once it is; 0: not known."""


def begun(key: RequestKey, player_id: str, seat: int, chips: int) -> Purchase:
    """A purchase as it begins: its request at the ledger is named after whose id it is, too."""
    return Purchase(key=key, player_id=player_id, seat=seat, chips=chips, cause_id=f"{key.scope}/{key.request_id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedHand:
    """A hand's line in the index of hands."""

    table_id: str
    summary: HandSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """The one row of a table, replaced with every write: what recovery and lists need without reading the log."""

    summary: TableSummary
    closed: bool
    due_at: datetime | None
    """When the server acts by itself; None where nothing is due."""
    betting: bytes
    """The newest betting state as its service wrote it; empty between hands."""
    kept: BareTable | None = None
    """The table as it was before a hand began in this step; None: what was kept before stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWrite:
    """One durable step of a table."""

    table_id: str
    expected_version: int
    """0: the table is new."""
    at: datetime
    row: TableRow
    events: tuple[Recorded, ...] = ()
    hand: FinishedHand | None = None
    answer: tuple[RequestKey, CommandAnswer] | None = None
    settled_purchase: str = ""
    """Request id of the purchase that this step finishes."""
    nobody_buys: tuple[str, ...] = ()
    """WriteConflict where chips of one of these players are on their way."""
    fence: Fence | None = None
    """For a step that only the table's owner may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What came to a table since a version."""

    events: tuple[Recorded, ...]
    betting: bytes
    """The betting state after the last of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    """An open table as others may have left it."""

    table_id: str
    version: int
    summary: TableSummary
    chips_under_way: bool
    """Somebody buys some, or it is not known yet whether somebody has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTable:
    """A table as it was saved."""

    kept: BareTable | None
    """As it was before its last hand began; None where it had no hand yet."""
    events: tuple[Recorded, ...]
    """Everything since."""
    betting: bytes
    purchases: tuple[Purchase, ...]


class TableExists(Exception):  # noqa: N818  # read as a sentence: the table exists
    """A new table was to be written under an id that is taken."""


class TableLog(Protocol):
    """The log of every table; implemented in ``adapters/table_log.py``."""

    async def write(self, write: TableWrite) -> None:
        """Make one step durable; TableExists for a new table whose id is taken."""
        ...

    async def load(self, table_id: str) -> SavedTable | None:
        """Everything about one table; None where there is none."""
        ...

    async def events(self, table_id: str, after_version: int, limit: int) -> tuple[Recorded, ...]:
        """The events after a version, oldest first."""
        ...

    async def since(self, table_id: str, version: int) -> News | None:
        """What others wrote after a version; None where it is the last."""
        ...

    async def kept(self, table_id: str) -> BareTable | None:
        """The table as it was when its last hand began; None before the first."""
        ...

    async def lines(self) -> tuple[TableLine, ...]:
        """Every open table with its version."""
        ...

    async def purchases(self, table_id: str) -> tuple[Purchase, ...]:
        """Purchases whose outcome is not at the table yet."""
        ...

    async def open_tables(self) -> tuple[str, ...]:
        """Ids of all tables that are not closed; those with something due first, the most urgent one leading."""
        ...

    async def closed_last(self, limit: int) -> tuple[str, ...]:
        """Ids of closed tables, those first whose last event is the newest."""
        ...

    async def tables(
        self, tournament_id: str, after: int, limit: int, *, closed_too: bool
    ) -> tuple[tuple[int, TableSummary], ...]:
        """A page of tables, newest first, each with its place in that order; ``after`` 0: from the newest."""
        ...

    async def hand(self, hand_id: str) -> FinishedHand | None:
        """Where a finished hand is."""
        ...

    async def hands(self, table_id: str, before_number: int, limit: int) -> tuple[HandSummary, ...]:
        """A page of finished hands of a table, newest first; ``before_number`` 0: from the newest."""
        ...

    async def answer(self, key: RequestKey) -> CommandAnswer | None:
        """What was answered to this request; its refusal, or REQUEST_ID_REUSED where the id had other content."""
        ...

    async def refuse(self, table_id: str, version: int, key: RequestKey, refusal: DomainError, at: datetime) -> None:
        """Remember that a request was refused at a table at this version.

        WriteConflict where the table is at another, where the request has its answer, and labelled BEGUN where chips
        are being bought with it.
        """
        ...

    async def begin_closing(self, table_id: str, version: int, key: RequestKey) -> None:
        """Remember who closes a table that is at this version, before its first step; WriteConflict for another."""
        ...

    async def closing(self, table_id: str) -> RequestKey | None:
        """The request that began last to close the table, which is not closed yet."""
        ...

    async def forget_answers(self, before: datetime) -> None:
        """Drop what was answered before a moment."""
        ...

    async def begin_purchase(self, table_id: str, version: int, purchase: Purchase) -> Purchase:
        """Remember that chips are being bought at a table at this version; as it was begun, where it was before.

        WriteConflict where the table is at another version, or the request was answered meanwhile, labelled SEAT_KEPT
        where the seat is kept for somebody else; REQUEST_ID_REUSED where the id buys something else.
        """
        ...

    async def drop_purchase(self, table_id: str, purchase: Purchase, refusal: DomainError, at: datetime) -> None:
        """Nothing was bought: it was refused, and stays so."""
        ...
