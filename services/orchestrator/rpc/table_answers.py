"""What commands answer: the table after them, as the caller may see it."""

from typing import Protocol, cast

from google.protobuf.message import Message
from sevenstud.orchestrator.v1 import table_pb2

from services.orchestrator.application.once import Answered
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_views import view_table
from services.orchestrator.domain.views import TableView
from services.orchestrator.domain.visibility import DownCards, Viewer, sight_of
from shared.observability.logging import bind_call
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
        """The table as it was right after the command; for a repeated answer made again from the log."""
        table, down_cards = await self.table_after(answered)
        return view_message(view_table(table, sight_of(viewer, table.hand, down_cards)))

    async def table_after(self, answered: Answered) -> tuple[Table, DownCards]:
        """The table and the down cards of its hand, as far as they are at hand."""
        if answered.table is not None:
            return answered.table, answered.down_cards
        answer = answered.answer
        table = await self._tables.table_at(answer.table_id, answer.version)
        actor = await self._tables.actor(answer.table_id)
        same_hand = table.hand is not None and table.hand_number == actor.table.hand_number
        return table, actor.down_cards if same_hand else {}
