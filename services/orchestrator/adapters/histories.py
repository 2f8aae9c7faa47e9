"""What dealer and ledger have written down, over gRPC."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import grpc
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger
from sevenstud.tournament_ledger.v1.account_pb2 import BookHead
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import TOURNAMENT_STATE_CANCELLED, TOURNAMENT_STATE_FINISHED

from services.orchestrator.adapters.remote import ask
from services.orchestrator.application.histories import UNREADABLE, DealtHand, SeatsBooked
from services.orchestrator.application.ledger_marks import BookMark, HandsBooked
from services.orchestrator.domain.recording import hand_id_of
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.rpc.client import unpack_error

_DEALT: Final = "deal_street"
_COMPARED: Final = "reveal_for_ranking"
_ENDED: Final = {"close_hand", "void_hand"}
_LEDGER: Final = "tournament_ledger"
_PAGE: Final = 500
_OVER: Final = {TOURNAMENT_STATE_FINISHED, TOURNAMENT_STATE_CANCELLED}
_PASSES_MAX: Final = 5


class RemoteHistories:
    """Implements application.histories.OtherHistories, application.ledger_marks.LedgerBooks among them."""

    def __init__(self, dealer_channel: grpc.aio.Channel, ledger_channel: grpc.aio.Channel) -> None:
        """Ask through these channels."""
        self._dealer = DealerServiceStub(dealer_channel)
        self._ledger = TournamentLedgerServiceStub(ledger_channel)

    async def dealt(self, hand_id: str) -> DealtHand | None:
        """See OtherHistories."""
        try:
            proof = await ask("dealer", self._dealer.GetProof(dealer.GetProofRequest(hand_id=hand_id)))
        except DomainError as refusal:
            if refusal.reason is not Reason.NOT_FOUND:
                raise
            return None if refusal.metadata.get("kind") == "hand" else UNREADABLE
        streets = sum(step.step == _DEALT for step in proof.steps)
        ended = any(step.step in _ENDED for step in proof.steps)
        compared = ended or any(step.step == _COMPARED for step in proof.steps)
        return DealtHand(proof.commitment.seed_commitment, streets, compared, ended)

    async def begun(self, table_id: str) -> bool:
        """See LedgerBooks."""
        first = await self.dealt(hand_id_of(table_id, 1))
        return first is not None and first.streets > 0

    async def booked(self, tournament_id: str, table_id: str) -> HandsBooked | None:
        """See OtherHistories."""
        found = await self._last_hand(tournament_id, table_id)
        return None if found is None else HandsBooked(found.hand_number, found.open_hand_number)

    async def seated(self, table_id: str) -> SeatsBooked | None:
        """See OtherHistories."""
        found = await self._last_hand("", table_id)
        if found is None or not found.seats_told:
            return None
        return SeatsBooked(frozenset(found.seated_player_ids), found.bought_version)

    async def ended(self, tournament_id: str) -> bool:
        """See OtherHistories."""
        request = ledger.GetTournamentRequest(tournament_id=tournament_id)
        return (await ask(_LEDGER, self._ledger.GetTournament(request))).tournament.state in _OVER

    async def _last_hand(self, tournament_id: str, table_id: str) -> ledger.GetLastHandResponse | None:
        request = ledger.GetLastHandRequest(table_id=table_id, tournament_id=tournament_id)
        try:
            return await ask(_LEDGER, self._ledger.GetLastHand(request))
        except DomainError as refusal:
            if refusal.reason is Reason.NOT_FOUND:
                return None
            raise

    async def heads(self) -> AsyncIterator[BookMark]:
        """See LedgerBooks."""
        request = ledger.ListBooksRequest(page_size=_PAGE)
        while True:
            try:
                page = await ask(_LEDGER, self._ledger.ListBooks(request))
            except ServiceAway as away:
                refused = unpack_error(away.__cause__) if isinstance(away.__cause__, grpc.aio.AioRpcError) else None
                if refused is None or refused.reason is not Reason.NOT_PERMITTED:
                    raise
                # a ledger of an earlier release
                raise DomainError(Reason.NOT_PERMITTED, refused.message, refused.metadata) from away
            for head in page.heads:
                yield _mark(head)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def entries(self, marks: Sequence[BookMark]) -> tuple[BookMark, ...]:
        """See LedgerBooks."""
        known = [BookHead(book=each.book, number=each.number, hash=each.hash) for each in marks]
        answer = await ask(_LEDGER, self._ledger.ListBooks(ledger.ListBooksRequest(page_size=1, known=known)))
        return tuple(_mark(each) for each in answer.known)

    async def tables_of(self, tournament_id: str) -> frozenset[str]:
        """See LedgerBooks; pages of several versions may lack who changed places between two: they are read again."""
        found = set[str]()
        for _ in range(_PASSES_MAX):
            tables, versions = await self._tables_of(tournament_id)
            found |= tables
            if len(versions) == 1:
                break
        return frozenset(found)

    async def _tables_of(self, tournament_id: str) -> tuple[set[str], set[int]]:
        """Of every page once, and the versions that they are of."""
        request = ledger.GetStandingsRequest(tournament_id=tournament_id, page_size=_PAGE)
        found, versions = set[str](), set[int]()
        while True:
            page = await ask(_LEDGER, self._ledger.GetStandings(request))
            found |= {each.table_id for each in page.standings if each.table_id}
            versions.add(page.version)
            if not page.next_page_token:
                return found, versions
            request.page_token = page.next_page_token


def _mark(head: BookHead) -> BookMark:
    return BookMark(head.book, head.number, head.hash)
