"""RPCs of players: sitting, leaving, acting, showing."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceServicer

from services.orchestrator.application.history import History
from services.orchestrator.application.money_commands import MoneyCommands
from services.orchestrator.application.once import Answered
from services.orchestrator.application.play_commands import PlayCommands
from services.orchestrator.domain import commands
from services.orchestrator.domain.table_views import turn_of
from services.orchestrator.domain.visibility import Viewer
from services.orchestrator.rpc.table_answers import TableAnswers, key_of
from shared.rpc.context import Context
from shared.rpc.mirror import from_proto, to_proto
from shared.storage.requests import RequestKey

Command = TypeVar("Command")
PlayerRequest = (
    pb.SitRequest
    | pb.LeaveRequest
    | pb.AddChipsRequest
    | pb.SitOutRequest
    | pb.ReturnRequest
    | pb.SetConnectionRequest
    | pb.SetAutoAnteRequest
    | pb.RegisterSeatKeyRequest
    | pb.AddEntropyRequest
    | pb.ActRequest
    | pb.UseTimeBankRequest
    | pb.ShowOrMuckRequest
)


class PlayerRpcs(TableServiceServicer):
    """What players call, or back ends for them."""

    play: PlayCommands
    money: MoneyCommands
    history: History
    answers: TableAnswers

    async def Sit(self, request: pb.SitRequest, context: Context) -> pb.SitResponse:
        """Take a seat and buy chips."""
        del context
        answered = await self._done(request, commands.Sit, self.money.sit)
        table = await self.answers.table(answered, Viewer(request.player_id))
        return pb.SitResponse(table=table, seat=answered.answer.seat)

    async def Leave(self, request: pb.LeaveRequest, context: Context) -> pb.LeaveResponse:
        """Give up a seat."""
        del context
        return pb.LeaveResponse(table=await self._seen(request, commands.PlayerCommand, self.money.leave))

    async def AddChips(self, request: pb.AddChipsRequest, context: Context) -> pb.AddChipsResponse:
        """Buy more chips between hands."""
        del context
        return pb.AddChipsResponse(table=await self._seen(request, commands.AddChips, self.money.add_chips))

    async def SitOut(self, request: pb.SitOutRequest, context: Context) -> pb.SitOutResponse:
        """Sit out from the next hand on."""
        del context
        return pb.SitOutResponse(table=await self._seen(request, commands.PlayerCommand, self.play.sit_out))

    async def Return(self, request: pb.ReturnRequest, context: Context) -> pb.ReturnResponse:
        """Be back."""
        del context
        return pb.ReturnResponse(table=await self._seen(request, commands.PlayerCommand, self.play.come_back))

    async def SetConnection(self, request: pb.SetConnectionRequest, context: Context) -> pb.SetConnectionResponse:
        """Say whether a player is connected."""
        del context
        return pb.SetConnectionResponse(
            table=await self._seen(request, commands.SetConnection, self.play.set_connection)
        )

    async def SetAutoAnte(self, request: pb.SetAutoAnteRequest, context: Context) -> pb.SetAutoAnteResponse:
        """Switch the automatic ante."""
        del context
        return pb.SetAutoAnteResponse(table=await self._seen(request, commands.SetAutoAnte, self.play.set_auto_ante))

    async def RegisterSeatKey(self, request: pb.RegisterSeatKeyRequest, context: Context) -> pb.RegisterSeatKeyResponse:
        """Have the own down cards sealed to a key."""
        del context
        return pb.RegisterSeatKeyResponse(
            table=await self._seen(request, commands.RegisterSeatKey, self.play.register_seat_key)
        )

    async def AddEntropy(self, request: pb.AddEntropyRequest, context: Context) -> pb.AddEntropyResponse:
        """Add to the deck of the next hand."""
        del context
        return pb.AddEntropyResponse(table=await self._seen(request, commands.AddEntropy, self.play.add_entropy))

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        """Act in a turn, exactly as asked or not at all."""
        del context
        answer = (await self._done(request, commands.Act, self.play.act)).answer
        return pb.ActResponse(version=answer.version, paid_chips=answer.paid_chips, stack_chips=answer.stack_chips)

    async def UseTimeBank(self, request: pb.UseTimeBankRequest, context: Context) -> pb.UseTimeBankResponse:
        """Start the time bank of a turn."""
        del context
        answered = await self._done(request, commands.UseTimeBank, self.play.use_time_bank)
        turn = turn_of(await self.answers.table_after(answered))
        return pb.UseTimeBankResponse(turn=to_proto(turn, table_pb2.Turn) if turn is not None else None)

    async def ShowOrMuck(self, request: pb.ShowOrMuckRequest, context: Context) -> pb.ShowOrMuckResponse:
        """Show or hide a hand."""
        del context
        return pb.ShowOrMuckResponse(table=await self._seen(request, commands.ShowOrMuck, self.play.show_or_muck))

    async def AskToSee(self, request: pb.AskToSeeRequest, context: Context) -> pb.AskToSeeResponse:
        """A mucked hand, for who may ask."""
        del context
        cards = await self.history.ask_to_see(request.hand_id, request.player_id, request.seat)
        return pb.AskToSeeResponse(cards=cards)  # type: ignore[arg-type]  # cards have the wire's numbers

    async def _done(
        self, request: PlayerRequest, kind: type[Command], do: Callable[[RequestKey, Command], Awaitable[Answered]]
    ) -> Answered:
        """The command, by the player himself or a back end for him, exactly once."""
        return await do(key_of(request), from_proto(request, kind))

    async def _seen(
        self, request: PlayerRequest, kind: type[Command], do: Callable[[RequestKey, Command], Awaitable[Answered]]
    ) -> table_pb2.TableView:
        """The command, and the table after it as the player sees it."""
        answered = await self._done(request, kind, do)
        return await self.answers.table(answered, Viewer(request.player_id))
