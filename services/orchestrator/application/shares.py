"""Which of several orchestrators on one database goes on by itself with which table.

Commands and watchers are served by any of them; only the steps that nobody asks for, as the clock of a turn, are taken
by the owner alone. A table of a tournament goes where its tournament goes.
"""

from typing import Final, Protocol

from services.orchestrator.domain.table import Table


class Fence(Protocol):
    """Proof for the log that a step is taken by the owner; opaque here."""


class Shares(Protocol):
    """Who goes on with what."""

    @property
    def shared(self) -> bool:
        """Whether others may write to the same tables."""
        ...

    @property
    def alone(self) -> bool:
        """Nobody else is there: what stands still has stood still for everybody."""
        ...

    @property
    def owned(self) -> frozenset[str]:
        """What this process owns of what others might."""
        ...

    def mine(self, subject: str) -> bool:
        """Whether this process goes on with it by itself, and should."""
        ...

    def fence(self, subject: str) -> Fence | None:
        """To be written with every step of the owner; None where nobody else is."""
        ...

    def term(self, subject: str) -> str | None:
        """Names this time of being the owner, as no other is named: None where another is; "" where nobody else is."""
        ...

    async def take(self, subject: str) -> bool:
        """Become the owner where this process should be and nobody is."""
        ...

    def lost(self, subject: str) -> None:
        """A fence said that another process is the owner by now."""
        ...

    async def leave_to_others(self, subject: str) -> None:
        """Nothing of this process goes on with it any more: another one may have it, if it should."""
        ...

    async def over(self, subject: str) -> None:
        """It is closed for ever: who owned it need not be known any more."""
        ...


class Alone:
    """One process owns the database, and everything in it."""

    shared = False
    alone = True
    owned: frozenset[str] = frozenset()

    def mine(self, subject: str) -> bool:
        """See Shares."""
        return bool(subject)

    def fence(self, subject: str) -> None:
        """See Shares."""

    def term(self, subject: str) -> str | None:
        """See Shares."""
        return "" if subject else None

    async def take(self, subject: str) -> bool:
        """See Shares."""
        return bool(subject)

    def lost(self, subject: str) -> None:
        """See Shares."""

    async def leave_to_others(self, subject: str) -> None:
        """See Shares."""

    async def over(self, subject: str) -> None:
        """See Shares."""


ALONE: Final = Alone()


def tournament_subject(tournament_id: str) -> str:
    """What a tournament is owned with, and all of its tables."""
    return f"tournament/{tournament_id}"


def subject_of(table: Table) -> str:
    """What a table is owned with."""
    return tournament_subject(table.tournament_id) if table.tournament_id else f"table/{table.table_id}"
