"""RPCs of readers: tables, hands, presets."""

from sevenstud.orchestrator.v1 import table_event_pb2, table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceServicer

from services.orchestrator.application.history import History
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.application.watching import Watching
from services.orchestrator.domain.phh import phh_text
from services.orchestrator.domain.visibility import view_event
from services.orchestrator.rpc.callers import viewer
from services.orchestrator.rpc.table_answers import view_message
from shared.rpc.context import Context
from shared.rpc.mirror import to_proto
from shared.rpc.paging import Page, fitting, page_of
from shared.rpc.rules import preset_messages

PAGE_MAX = 500
PRESET_PURPOSES = {
    "regulated_tournament": "Tournaments under a regulator: fees in steps and capped, most of them paid as prizes.",
    "card_room": "Fixed-limit cash tables: ten seconds for a decision, who has bet is protected from the clock.",
    "classic": "The game as most books explain it, at cash tables and in tournaments.",
}


class ReaderRpcs(TableServiceServicer):
    """What everybody may ask, each with the own eyes."""

    watching: Watching
    history: History
    log: TableLog
    info: pb.GetServiceInfoResponse

    async def ListPresets(self, request: pb.ListPresetsRequest, context: Context) -> pb.ListPresetsResponse:
        """The rule presets with all their values."""
        del request, context
        presets = [
            pb.Preset(name=name, description=PRESET_PURPOSES[name], rules=rules)
            for name, rules in preset_messages().items()
        ]
        return pb.ListPresetsResponse(presets=presets)

    async def GetTable(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        """A table as the caller may see it."""
        del context
        view = await self.watching.view(request.table_id, viewer(request.player_id))
        return pb.GetTableResponse(table=view_message(view))

    async def ListTables(self, request: pb.ListTablesRequest, context: Context) -> pb.ListTablesResponse:
        """Tables in pages, newest first."""
        del context
        scope = f"tables {request.tournament_id} {request.include_closed}"
        page = page_of(request.page_size, request.page_token, scope, (int,), PAGE_MAX)
        found = await self.log.tables(
            request.tournament_id, _after(page), page.size + 1, closed_too=request.include_closed
        )
        tables = fitting(to_proto(line, table_pb2.TableSummary) for _, line in found[: page.size])
        more = page.next_token((found[len(tables) - 1][0],)) if len(found) > len(tables) else ""
        return pb.ListTablesResponse(tables=tables, next_page_token=more)

    async def GetHand(self, request: pb.GetHandRequest, context: Context) -> pb.GetHandResponse:
        """A finished hand as the caller may see it."""
        del context
        played = await self.history.hand(request.hand_id)
        sight = await self.history.sight(played, viewer(request.player_id))
        own = await self.history.own_openings(played, viewer(request.player_id)) if request.own_openings else ()
        events = (view_event(event, sight) for event in played.events)
        return pb.GetHandResponse(
            hand_id=played.hand.hand_id,
            table_id=played.table_id,
            hand_number=played.hand.hand_number,
            events=[to_proto(event, table_event_pb2.TableEvent) for event in events],
            phh=phh_text(played.hand, played.events, sight) if request.phh else "",
            own_openings=[to_proto(each, table_event_pb2.CardOpening) for each in own],
        )

    async def ListHands(self, request: pb.ListHandsRequest, context: Context) -> pb.ListHandsResponse:
        """Finished hands in pages, newest first."""
        del context
        page = page_of(request.page_size, request.page_token, f"hands {request.table_id}", (int,), PAGE_MAX)
        found = await self.history.hands(request.table_id, _after(page), page.size + 1)
        hands = fitting(to_proto(line, pb.HandSummary) for line in found[: page.size])
        more = page.next_token((hands[-1].hand_number,)) if len(found) > len(hands) else ""
        return pb.ListHandsResponse(hands=hands, next_page_token=more)

    async def GetServiceInfo(self, request: pb.GetServiceInfoRequest, context: Context) -> pb.GetServiceInfoResponse:
        """Who this is."""
        del request, context
        return self.info


def _after(page: Page) -> int:
    """Where the page starts; 0 for the first."""
    return int(page.after[0]) if page.after is not None else 0
