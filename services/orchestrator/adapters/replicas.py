"""The tables' owner as a row of the shared database."""

from shared.storage.database import Statement
from shared.storage.replicas import Replicas


class SharedTables:
    """Implements application.shares.Shares."""

    shared = True

    def __init__(self, replicas: Replicas) -> None:
        """As one of these."""
        self._replicas = replicas

    @property
    def alone(self) -> bool:
        """See Shares."""
        return self._replicas.alone

    @property
    def owned(self) -> frozenset[str]:
        """See Shares."""
        return self._replicas.subjects

    def mine(self, subject: str) -> bool:
        """See Shares."""
        return self._replicas.owns(subject) and self._replicas.wants(subject)

    def fence(self, subject: str) -> Statement:
        """See Shares."""
        return self._replicas.fence(subject)

    def term(self, subject: str) -> str | None:
        """See Shares."""
        return self._replicas.term(subject)

    async def take(self, subject: str) -> bool:
        """See Shares."""
        return self._replicas.wants(subject) and await self._replicas.claim(subject)

    def lost(self, subject: str) -> None:
        """See Shares."""
        self._replicas.lose(subject)

    async def leave_to_others(self, subject: str) -> None:
        """See Shares."""
        if not self._replicas.wants(subject):
            await self._replicas.release(subject)

    async def over(self, subject: str) -> None:
        """See Shares."""
        await self._replicas.forget(subject)
