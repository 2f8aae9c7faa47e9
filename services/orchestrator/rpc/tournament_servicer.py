"""The TournamentService of the contract: one short method an RPC."""

from collections.abc import AsyncIterator

from sevenstud.orchestrator.v1 import tournament_service_pb2 as wire
from sevenstud.orchestrator.v1.table_service_pb2 import StreamEnded
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import (
    TournamentServiceServicer,
    add_TournamentServiceServicer_to_server,
)

from services.orchestrator.application.tournament_commands import TournamentCommands
from services.orchestrator.domain.tournament_facts import NumberedEvent
from services.orchestrator.domain.tournament_view import TournamentView
from services.orchestrator.rpc.tournament_feed import Ended, TournamentFeed
from shared.rpc.context import Context
from shared.rpc.idempotency import digest_of
from shared.rpc.mirror import to_proto
from shared.rpc.server import Servable
from shared.storage.requests import RequestKey

DESCRIPTOR = wire.DESCRIPTOR.services_by_name["TournamentService"]


class TournamentServicer(TournamentServiceServicer):
    """Tournaments in play."""

    def __init__(self, commands: TournamentCommands, feed: TournamentFeed) -> None:
        """Serve these commands and this feed."""
        self._commands = commands
        self._feed = feed

    async def StartTournament(  # the contract's name
        self, request: wire.StartTournamentRequest, context: Context
    ) -> wire.StartTournamentResponse:
        """Start a tournament that has its entrants."""
        del context
        view = await self._commands.start(request.tournament_id, _command("StartTournament", request))
        return wire.StartTournamentResponse(tournament=_message(view))

    async def SetEntrantConnection(  # the contract's name
        self, request: wire.SetEntrantConnectionRequest, context: Context
    ) -> wire.SetEntrantConnectionResponse:
        """Say whether an entrant is connected before play begins."""
        del context
        command = _command("SetEntrantConnection", request)
        await self._commands.note_connection(
            request.tournament_id, request.player_id, command, connected=request.connected
        )
        return wire.SetEntrantConnectionResponse()

    async def GetTournament(  # the contract's name
        self, request: wire.GetTournamentRequest, context: Context
    ) -> wire.GetTournamentResponse:
        """A tournament as it is being played."""
        del context
        return wire.GetTournamentResponse(tournament=_message(await self._commands.view(request.tournament_id)))

    async def WatchTournament(  # the contract's name
        self, request: wire.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[wire.WatchTournamentResponse]:
        """As it is, then every event."""
        del context
        after_version = request.after_version if request.HasField("after_version") else None
        version = after_version or 0
        async for item in self._feed.watch(request.tournament_id, after_version):
            if isinstance(item, Ended):
                ended = StreamEnded(reason=item.reason.value, resume_after_version=version)
                yield wire.WatchTournamentResponse(ended=ended)
                return
            version = item.version
            yield _item(item)

    async def PauseTournament(  # the contract's name
        self, request: wire.PauseTournamentRequest, context: Context
    ) -> wire.PauseTournamentResponse:
        """Stop all tables after their hands."""
        del context
        command = _command("PauseTournament", request)
        view = await self._commands.pause(request.tournament_id, request.expected_version, command)
        return wire.PauseTournamentResponse(tournament=_message(view))

    async def ResumeTournament(  # the contract's name
        self, request: wire.ResumeTournamentRequest, context: Context
    ) -> wire.ResumeTournamentResponse:
        """Let a paused tournament go on."""
        del context
        command = _command("ResumeTournament", request)
        view = await self._commands.resume(request.tournament_id, request.expected_version, command)
        return wire.ResumeTournamentResponse(tournament=_message(view))


def tournament_servable(commands: TournamentCommands, feed: TournamentFeed) -> Servable:
    """The service as the server takes it."""
    servicer = TournamentServicer(commands, feed)
    return Servable(DESCRIPTOR, lambda server: add_TournamentServiceServicer_to_server(servicer, server))


_Request = (
    wire.StartTournamentRequest
    | wire.SetEntrantConnectionRequest
    | wire.PauseTournamentRequest
    | wire.ResumeTournamentRequest
)


def _command(method: str, request: _Request) -> RequestKey:
    return RequestKey("TournamentService", request.request_id, digest_of(method, request))


def _message(view: TournamentView) -> wire.TournamentView:
    return to_proto(view, wire.TournamentView)


def _item(item: TournamentView | NumberedEvent) -> wire.WatchTournamentResponse:
    if isinstance(item, TournamentView):
        return wire.WatchTournamentResponse(tournament=_message(item))
    return wire.WatchTournamentResponse(event=to_proto(item, wire.TournamentEvent))
