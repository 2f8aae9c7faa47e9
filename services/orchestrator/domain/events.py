"""The log of a table: facts, each one event of the contract, numbered without a gap from 1."""

from dataclasses import dataclass
from datetime import datetime

from services.orchestrator.domain.hand_facts import HandFact
from services.orchestrator.domain.table_facts import TableFact

Fact = TableFact | HandFact


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A fact as it stands in the log of its table."""

    table_id: str
    version: int
    """Number of the event at the table, from 1."""
    at: datetime
    """When, by the server's clock."""
    hand_id: str
    """The hand it belongs to; empty between hands."""
    fact: Fact
