"""Tournaments in play over the public contract: starting one, watching one."""

from collections.abc import AsyncGenerator
from typing import Final

from google.protobuf.message import Message
from sevenstud.orchestrator.v1 import tournament_service_pb2
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub

from services.console.adapters.calls import Line, Pauses, Refused, new_request_id
from services.console.adapters.resume import resumed
from services.console.adapters.tables import WATCH_SECONDS
from services.console.domain import tournament
from services.console.domain.tournament import TournamentView
from shared.kernel.errors import Reason
from shared.rpc.mirror import from_proto

_NEWS: Final[dict[str, type[tournament.News]]] = {
    "tournament_began": tournament.TournamentBegan,
    "round_began": tournament.RoundBegan,
    "tournament_break_began": tournament.TournamentBreakBegan,
    "seat_changed": tournament.SeatChanged,
    "player_out": tournament.PlayerOut,
    "tournament_ended": tournament.TournamentEnded,
}
Item = TournamentView | tournament.TournamentEvent


class Tournaments:
    """The tournament service as one caller sees it."""

    def __init__(self, line: Line) -> None:
        """Ask over this line."""
        self._stub = TournamentServiceStub(line.channel)
        self._line = line

    async def start(self, tournament_id: str) -> TournamentView:
        """Draw the seats and open the tables."""
        request = tournament_service_pb2.StartTournamentRequest(
            request_id=new_request_id(), tournament_id=tournament_id
        )
        answer = await self._line.ask(self._stub.StartTournament, request)
        return from_proto(answer.tournament, TournamentView)

    async def begun(self, tournament_id: str, patience_seconds: float) -> TournamentView:
        """The tournament once it is being played; waits for the start, Refused when it does not come."""
        pauses = Pauses(patience_seconds)
        request = tournament_service_pb2.GetTournamentRequest(tournament_id=tournament_id)
        while True:
            try:
                answer = await self._line.ask(self._stub.GetTournament, request)
                return from_proto(answer.tournament, TournamentView)
            except Refused as refused:
                if refused.reason is not Reason.NOT_FOUND or not await pauses.take():
                    raise

    def watch(self, tournament_id: str) -> AsyncGenerator[Item, None]:
        """The tournament as it is, then every event after it, whatever happens to the connection."""

        def opened(after_version: int | None) -> AsyncGenerator[Item, None]:
            return self._stream(tournament_id, after_version)

        return resumed(opened, self._line.patience_seconds)

    async def _stream(self, tournament_id: str, after_version: int | None) -> AsyncGenerator[Item, None]:
        request = tournament_service_pb2.WatchTournamentRequest(
            tournament_id=tournament_id, after_version=after_version
        )
        call = self._stub.WatchTournament(request, timeout=WATCH_SECONDS)
        try:
            async for response in call:
                match response.WhichOneof("item"):
                    case "tournament":
                        yield from_proto(response.tournament, TournamentView)
                    case "event":
                        yield _event_of(response.event)
                    case _:
                        return
        finally:
            call.cancel()


def _event_of(message: tournament_service_pb2.TournamentEvent) -> tournament.TournamentEvent:
    name = message.WhichOneof("event") or ""
    kind = _NEWS.get(name)
    if kind is None:
        return tournament.TournamentEvent(version=message.version, news=tournament.OtherNews(name))
    part: Message = getattr(message, name)
    return tournament.TournamentEvent(version=message.version, news=from_proto(part, kind, name))
