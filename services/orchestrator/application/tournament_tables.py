"""The tables as the director sees them: opened by it, poked by it, asking it for their sheets."""

from services.orchestrator.application.actor import Change
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain.table_facts import TableOpened
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode
from shared.kernel.rules import RuleSet, Stakes

LOOK_SECONDS_MAX = 2.0


class DirectedTables:
    """Implements ports.TournamentTables."""

    def __init__(self, tables: Tables) -> None:
        """These tables."""
        self._tables = tables

    def tournament_of(self, table_id: str) -> str:
        """See ports.TournamentTables."""
        actor = self._tables.at_hand(table_id)
        return actor.table.tournament_id if actor is not None else ""

    async def is_foreign(self, table_id: str, tournament_id: str) -> bool:
        """See ports.TournamentTables."""
        if not await self._tables.exists(table_id):
            return False
        table = (await self._tables.actor(table_id)).table
        return table.mode is not Mode.TOURNAMENT or table.tournament_id != tournament_id

    async def open_tournament_table(
        self, table_id: str, name: str, tournament_id: str, rules: RuleSet, stakes: Stakes
    ) -> None:
        """See ports.TournamentTables."""
        opened = TableOpened(
            name=name,
            mode=Mode.TOURNAMENT,
            tournament_id=tournament_id,
            stakes=stakes,
            rules=rules,
            scripted=False,
            level=1,
            decision_seconds=0,
            hands_max=0,
            scripted_hands=(),
        )
        try:
            await self._tables.create(table_id, Change(facts=(opened,)))
        except DomainError as refusal:
            if refusal.reason is not Reason.ALREADY_EXISTS or await self.is_foreign(table_id, tournament_id):
                raise

    async def poke(self, table_id: str) -> None:
        """See ports.TournamentTables."""
        (await self._tables.actor(table_id)).poke()

    async def close_table(self, table_id: str) -> None:
        """See ports.TournamentTables. The table's next sheet says that it is over; it asks for it now."""
        await self.poke(table_id)

    async def hand_in_progress(self, table_id: str) -> bool:
        """See ports.TournamentTables."""
        actor = await self._tables.actor(table_id)
        if not self._tables.driven(table_id):
            await actor.refresh(LOOK_SECONDS_MAX)
        return actor.table.busy
