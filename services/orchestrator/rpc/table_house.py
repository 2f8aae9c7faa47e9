"""RPCs of the house: opening, pausing, resuming and closing tables."""

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceServicer

from services.orchestrator.application.house_commands import HouseCommands
from services.orchestrator.domain import commands
from services.orchestrator.rpc.callers import viewer
from services.orchestrator.rpc.table_answers import TableAnswers, key_of
from shared.rpc.context import Context
from shared.rpc.mirror import from_proto
from shared.rpc.rules import select_rules


class HouseRpcs(TableServiceServicer):
    """What operators and back ends call."""

    house: HouseCommands
    answers: TableAnswers

    async def OpenTable(self, request: pb.OpenTableRequest, context: Context) -> pb.OpenTableResponse:
        """Open a cash table."""
        del context
        _, rules = select_rules(request.rules)
        key = key_of(request)
        answered = await self.house.open_table(key, from_proto(request, commands.OpenTable), rules)
        return pb.OpenTableResponse(table=await self.answers.table(answered, viewer()))

    async def PauseTable(self, request: pb.PauseTableRequest, context: Context) -> pb.PauseTableResponse:
        """Stop a table."""
        del context
        key = key_of(request)
        answered = await self.house.pause_table(key, from_proto(request, commands.PauseTable))
        return pb.PauseTableResponse(table=await self.answers.table(answered, viewer()))

    async def ResumeTable(self, request: pb.ResumeTableRequest, context: Context) -> pb.ResumeTableResponse:
        """Let a table go on."""
        del context
        key = key_of(request)
        answered = await self.house.resume_table(key, from_proto(request, commands.ResumeTable))
        return pb.ResumeTableResponse(table=await self.answers.table(answered, viewer()))

    async def CloseTable(self, request: pb.CloseTableRequest, context: Context) -> pb.CloseTableResponse:
        """Close a table for ever."""
        del context
        key = key_of(request)
        answered = await self.house.close_table(key, from_proto(request, commands.CloseTable))
        return pb.CloseTableResponse(table=await self.answers.table(answered, viewer()))
