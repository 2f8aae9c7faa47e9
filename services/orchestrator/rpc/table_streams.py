"""RPCs that stream: watching a table, watching the lobby."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Final

from sevenstud.orchestrator.v1 import table_event_pb2, table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceServicer

from services.orchestrator.application.watching import Ended, Watched, Watching
from services.orchestrator.domain.event_views import TableEvent
from services.orchestrator.domain.views import TableSummary, TableView
from services.orchestrator.rpc.callers import viewer
from services.orchestrator.rpc.table_answers import view_message
from shared.rpc.context import Context
from shared.rpc.mirror import to_proto

EVENTS_KEPT: Final = 1024


class EventMessages:
    """Messages of events told lately: many watchers are told the same one, which is made for the first of them."""

    def __init__(self) -> None:
        """None was told."""
        self._lately: OrderedDict[int, tuple[TableEvent, pb.WatchResponse]] = OrderedDict()

    def of(self, event: TableEvent) -> pb.WatchResponse:
        """The message of this event; the event is held with it, so that its identity is nobody else's."""
        known = self._lately.get(id(event))
        if known is not None:
            return known[1]
        message = pb.WatchResponse(event=to_proto(event, table_event_pb2.TableEvent))
        self._lately[id(event)] = (event, message)
        if len(self._lately) > EVENTS_KEPT:
            self._lately.popitem(last=False)
        return message


class StreamRpcs(TableServiceServicer):
    """What watchers call."""

    watching: Watching
    messages: EventMessages

    async def Watch(self, request: pb.WatchRequest, context: Context) -> AsyncIterator[pb.WatchResponse]:
        """A table, and every event after it."""
        del context
        after_version = request.after_version if request.HasField("after_version") else None
        stream = self.watching.watch(request.table_id, after_version, viewer(request.player_id))
        async with aclosing(stream):
            async for item in stream:
                yield self._watch_response(item)

    def _watch_response(self, item: Watched) -> pb.WatchResponse:
        if isinstance(item, Ended):
            return pb.WatchResponse(ended=_ended(item))
        if isinstance(item, TableView):
            return pb.WatchResponse(table=view_message(item))
        return self.messages.of(item)

    async def WatchLobby(self, request: pb.WatchLobbyRequest, context: Context) -> AsyncIterator[pb.WatchLobbyResponse]:
        """All tables, then each one that changes."""
        del request, context
        async with aclosing(self.watching.watch_lobby()) as stream:
            async for item in stream:
                yield _lobby_response(item)


def _lobby_response(item: TableSummary | Ended) -> pb.WatchLobbyResponse:
    if isinstance(item, Ended):
        return pb.WatchLobbyResponse(ended=_ended(item))
    return pb.WatchLobbyResponse(table=to_proto(item, table_pb2.TableSummary))


def _ended(item: Ended) -> pb.StreamEnded:
    return pb.StreamEnded(reason=item.reason.value, resume_after_version=item.resume_after_version)
