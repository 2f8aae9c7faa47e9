"""RPCs of players: sitting, leaving, acting, showing."""

from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceServicer

from services.orchestrator.application.history import History
from services.orchestrator.application.money_commands import MoneyCommands
from services.orchestrator.application.play_commands import PlayCommands
from services.orchestrator.domain import commands
from services.orchestrator.domain.table_views import turn_of
from services.orchestrator.domain.visibility import Viewer
from services.orchestrator.rpc.callers import act_for
from services.orchestrator.rpc.table_answers import TableAnswers, key_of
from shared.rpc.context import Context
from shared.rpc.mirror import from_proto, to_proto


class PlayerRpcs(TableServiceServicer):
    """What players call, or back ends for them."""

    play: PlayCommands
    money: MoneyCommands
    history: History
    answers: TableAnswers

    async def Sit(self, request: pb.SitRequest, context: Context) -> pb.SitResponse:
        """Take a seat and buy chips."""
        del context
        act_for(request.player_id)
        key = key_of("Sit", request, request.request_id)
        answered = await self.money.sit(key, from_proto(request, commands.Sit))
        table = await self.answers.table(answered, Viewer(request.player_id))
        return pb.SitResponse(table=table, seat=answered.answer.seat)

    async def Leave(self, request: pb.LeaveRequest, context: Context) -> pb.LeaveResponse:
        """Give up a seat."""
        del context
        act_for(request.player_id)
        key = key_of("Leave", request, request.request_id)
        answered = await self.money.leave(key, from_proto(request, commands.PlayerCommand))
        return pb.LeaveResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def AddChips(self, request: pb.AddChipsRequest, context: Context) -> pb.AddChipsResponse:
        """Buy more chips between hands."""
        del context
        act_for(request.player_id)
        key = key_of("AddChips", request, request.request_id)
        answered = await self.money.add_chips(key, from_proto(request, commands.AddChips))
        return pb.AddChipsResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def SitOut(self, request: pb.SitOutRequest, context: Context) -> pb.SitOutResponse:
        """Sit out from the next hand on."""
        del context
        act_for(request.player_id)
        key = key_of("SitOut", request, request.request_id)
        answered = await self.play.sit_out(key, from_proto(request, commands.PlayerCommand))
        return pb.SitOutResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def Return(self, request: pb.ReturnRequest, context: Context) -> pb.ReturnResponse:
        """Be back."""
        del context
        act_for(request.player_id)
        key = key_of("Return", request, request.request_id)
        answered = await self.play.come_back(key, from_proto(request, commands.PlayerCommand))
        return pb.ReturnResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def SetConnection(self, request: pb.SetConnectionRequest, context: Context) -> pb.SetConnectionResponse:
        """Say whether a player is connected."""
        del context
        act_for(request.player_id)
        key = key_of("SetConnection", request, request.request_id)
        answered = await self.play.set_connection(key, from_proto(request, commands.SetConnection))
        return pb.SetConnectionResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def SetAutoAnte(self, request: pb.SetAutoAnteRequest, context: Context) -> pb.SetAutoAnteResponse:
        """Switch the automatic ante."""
        del context
        act_for(request.player_id)
        key = key_of("SetAutoAnte", request, request.request_id)
        answered = await self.play.set_auto_ante(key, from_proto(request, commands.SetAutoAnte))
        return pb.SetAutoAnteResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def RegisterSeatKey(self, request: pb.RegisterSeatKeyRequest, context: Context) -> pb.RegisterSeatKeyResponse:
        """Have the own down cards sealed to a key."""
        del context
        act_for(request.player_id)
        key = key_of("RegisterSeatKey", request, request.request_id)
        answered = await self.play.register_seat_key(key, from_proto(request, commands.RegisterSeatKey))
        return pb.RegisterSeatKeyResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        """Act in a turn, exactly as asked or not at all."""
        del context
        act_for(request.player_id)
        key = key_of("Act", request, request.request_id)
        answer = (await self.play.act(key, from_proto(request, commands.Act))).answer
        return pb.ActResponse(version=answer.version, paid_chips=answer.paid_chips, stack_chips=answer.stack_chips)

    async def UseTimeBank(self, request: pb.UseTimeBankRequest, context: Context) -> pb.UseTimeBankResponse:
        """Start the time bank of a turn."""
        del context
        act_for(request.player_id)
        key = key_of("UseTimeBank", request, request.request_id)
        answered = await self.play.use_time_bank(key, from_proto(request, commands.UseTimeBank))
        table, _ = await self.answers.table_after(answered)
        turn = turn_of(table)
        return pb.UseTimeBankResponse(turn=to_proto(turn, table_pb2.Turn) if turn is not None else None)

    async def ShowOrMuck(self, request: pb.ShowOrMuckRequest, context: Context) -> pb.ShowOrMuckResponse:
        """Show or hide a hand."""
        del context
        act_for(request.player_id)
        key = key_of("ShowOrMuck", request, request.request_id)
        answered = await self.play.show_or_muck(key, from_proto(request, commands.ShowOrMuck))
        return pb.ShowOrMuckResponse(table=await self.answers.table(answered, Viewer(request.player_id)))

    async def AskToSee(self, request: pb.AskToSeeRequest, context: Context) -> pb.AskToSeeResponse:
        """A mucked hand, for who may ask."""
        del context
        act_for(request.player_id)
        cards = await self.history.ask_to_see(request.hand_id, request.player_id, request.seat)
        return pb.AskToSeeResponse(cards=cards)  # type: ignore[arg-type]  # cards have the wire's numbers
