"""What commands answer: the table after them, as the caller may see it."""

from contextlib import suppress
from typing import Protocol, cast

from google.protobuf.message import Message
from sevenstud.orchestrator.v1 import table_pb2

from services.orchestrator.application.down_cards import recalled
from services.orchestrator.application.once import Answered
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_views import view_table
from services.orchestrator.domain.views import TableView
from services.orchestrator.domain.visibility import DownCards, Viewer, sight_of
from shared.kernel.errors import DomainError
from shared.observability.logging import bind_call
from shared.rpc.client import RemoteError
from shared.rpc.idempotency import digest_of
from shared.rpc.mirror import to_proto
from shared.storage.requests import RequestKey


class Commanding(Protocol):
    """A request that changes something."""

    request_id: str


def key_of(request: Commanding) -> RequestKey:
    """Which request it is, for exactly-once answers; its log lines say so too."""
    message = cast("Message", request)
    bind_call(request_id=request.request_id, table_id=getattr(request, "table_id", ""))
    method = message.DESCRIPTOR.name.removesuffix("Request")
    return RequestKey("TableService", request.request_id, digest_of(method, message))


def view_message(view: TableView) -> table_pb2.TableView:
    """A view on the wire."""
    return to_proto(view, table_pb2.TableView)


class TableAnswers:
    """Makes the tables that answers show."""

    def __init__(self, tables: Tables) -> None:
        """Of these tables."""
        self._tables = tables

    async def table(self, answered: Answered, viewer: Viewer) -> table_pb2.TableView:
        """The table as it was right after the command, for a repeated answer made again from the log."""
        table = await self.table_after(answered)
        down_cards = answered.down_cards if answered.table is not None else await self._recalled(table, viewer)
        return view_message(view_table(table, sight_of(viewer, table.hand, down_cards)))

    async def table_after(self, answered: Answered) -> Table:
        """The table as it was right after the command."""
        if answered.table is not None:
            return answered.table
        return await self._tables.table_at(answered.answer.table_id, answered.answer.version)

    async def _recalled(self, table: Table, viewer: Viewer) -> DownCards:
        """The down cards of its hand, asked for again where they are not at hand; none where they are not to be had.

        So it is while the dealer is away, and where the key of an old hand was taken out: what was done was done.
        """
        if table.hand is None or not table.hand.in_play or not table.hand.has(viewer.player_id):
            return {}
        actor = await self._tables.actor(table.table_id)
        if actor.down_cards and actor.table.hand_number == table.hand_number:
            return actor.down_cards
        with suppress(DomainError, RemoteError):
            return await recalled(actor.world.log, actor.world.dealer, table)
        return {}
