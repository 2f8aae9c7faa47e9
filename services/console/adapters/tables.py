"""Tables over the public contract: watching one, acting at one."""

from collections.abc import AsyncGenerator
from typing import Final

from google.protobuf.message import Message
from sevenstud.common.v1 import betting_pb2
from sevenstud.orchestrator.v1 import table_event_pb2, table_service_pb2
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.console.adapters.calls import Line, new_request_id
from services.console.adapters.resume import resumed
from services.console.domain import events
from services.console.domain.robot import Choice
from services.console.domain.table import TableView
from shared.rpc.mirror import from_proto

WATCH_SECONDS: Final = 3_600.0

_FACTS: Final[dict[str, type[events.Fact]]] = {
    "player_seated": events.PlayerSeated,
    "player_left": events.PlayerLeft,
    "chips_added": events.ChipsAdded,
    "presence_changed": events.PresenceChanged,
    "table_paused": events.TablePaused,
    "table_resumed": events.TableResumed,
    "table_stalled": events.TableStalled,
    "table_closed": events.TableClosed,
    "stakes_changed": events.StakesChanged,
    "hand_started": events.HandStarted,
    "ante_posted": events.AntePosted,
    "street_dealt": events.StreetDealt,
    "turn_started": events.TurnStarted,
    "action_taken": events.ActionTaken,
    "seat_frozen": events.SeatFrozen,
    "uncalled_bet_returned": events.UncalledBetReturned,
    "hand_shown": events.HandShown,
    "hand_mucked": events.HandMucked,
    "pot_awarded": events.PotAwarded,
    "hand_ended": events.HandEnded,
    "hand_voided": events.HandVoided,
    "player_eliminated": events.PlayerEliminated,
}


class Tables:
    """The table service as one caller sees it."""

    def __init__(self, line: Line) -> None:
        """Ask over this line."""
        self._stub = TableServiceStub(line.channel)
        self._line = line

    async def act(self, table_id: str, turn_id: int, choice: Choice, request_id: str) -> None:
        """Act for oneself; Refused names the reason where the rules or the moment do not allow it."""
        request = table_service_pb2.ActRequest(
            request_id=request_id,
            table_id=table_id,
            player_id=self._line.caller.id,
            turn_id=turn_id,
            kind=betting_pb2.ActionKind.Value(f"ACTION_KIND_{choice.kind.name}"),
            to_chips=choice.to_chips,
        )
        await self._line.ask(self._stub.Act, request)

    async def come_back(self, table_id: str) -> None:
        """Play again after sitting out."""
        request = table_service_pb2.ReturnRequest(
            request_id=new_request_id(), table_id=table_id, player_id=self._line.caller.id
        )
        await self._line.ask(self._stub.Return, request)

    async def newest(self) -> str | None:
        """The open table that was opened last, if there is one."""
        answer = await self._line.ask(self._stub.ListTables, table_service_pb2.ListTablesRequest(page_size=1))
        return next((table.table_id for table in answer.tables), None)

    def watch(self, table_id: str) -> AsyncGenerator[TableView | events.TableEvent, None]:
        """The table as it is, then every event after it, whatever happens to the connection."""

        def opened(after_version: int | None) -> AsyncGenerator[TableView | events.TableEvent, None]:
            return self._stream(table_id, after_version)

        return resumed(opened, self._line.patience_seconds)

    async def _stream(
        self, table_id: str, after_version: int | None
    ) -> AsyncGenerator[TableView | events.TableEvent, None]:
        request = table_service_pb2.WatchRequest(table_id=table_id, after_version=after_version)
        call = self._stub.Watch(request, timeout=WATCH_SECONDS)
        try:
            async for response in call:
                match response.WhichOneof("item"):
                    case "table":
                        yield from_proto(response.table, TableView)
                    case "event":
                        yield event_of(response.event)
                    case _:
                        return
        finally:
            call.cancel()


def event_of(message: table_event_pb2.TableEvent) -> events.TableEvent:
    """An event of the wire as the console knows it."""
    name = message.WhichOneof("event")
    return events.TableEvent(version=message.version, hand_id=message.hand_id, fact=_fact(message, name or ""))


def _fact(message: table_event_pb2.TableEvent, name: str) -> events.Fact:
    kind = _FACTS.get(name)
    if kind is None:
        return events.Other(name)
    part: Message = getattr(message, name)
    return from_proto(part, kind, name)
