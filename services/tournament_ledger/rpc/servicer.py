"""TournamentLedgerService: its RPCs by subject, put together."""

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2_grpc as pb_grpc

from services.tournament_ledger.rpc.audit_rpcs import AuditRpcs
from services.tournament_ledger.rpc.deal_rpcs import DealRpcs
from services.tournament_ledger.rpc.play_rpcs import PlayRpcs
from services.tournament_ledger.rpc.tournament_rpcs import TournamentRpcs
from services.tournament_ledger.rpc.use_cases import UseCases
from services.tournament_ledger.rpc.wallet_rpcs import PAGE_MAX, WalletRpcs
from shared.kernel.rules.presets import PRESETS
from shared.rpc.context import Context
from shared.rpc.drain import Drain
from shared.rpc.info import service_info
from shared.rpc.server import Servable

REQUEST_BYTES_MAX = 1024 * 1024
"""The first seats of the largest tournament, with ids of any length, come in one request."""
DESCRIPTOR = pb.DESCRIPTOR.services_by_name["TournamentLedgerService"]


class LedgerServicer(
    WalletRpcs, TournamentRpcs, DealRpcs, PlayRpcs, AuditRpcs, pb_grpc.TournamentLedgerServiceServicer
):
    """Serves TournamentLedgerService."""

    def __init__(self, use_cases: UseCases, drain: Drain, limits: dict[str, int]) -> None:
        """Serve these."""
        self._use = use_cases
        self._drain = drain
        known = {"request_bytes_max": REQUEST_BYTES_MAX, "page_size_max": PAGE_MAX, **limits}
        self._info = service_info("tournament_ledger", (DESCRIPTOR,), known, PRESETS)

    async def GetServiceInfo(self, request: pb.GetServiceInfoRequest, context: Context) -> pb.GetServiceInfoResponse:
        """Who this is."""
        return pb.GetServiceInfoResponse(info=self._info)


def servable(servicer: LedgerServicer) -> Servable:
    """The servicer as the server assembly takes it."""
    return Servable(DESCRIPTOR, lambda server: pb_grpc.add_TournamentLedgerServiceServicer_to_server(servicer, server))
