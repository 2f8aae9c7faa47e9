"""The tournament ledger over the public contract: wallets, announcing, registering, standings, the proof."""

from dataclasses import replace

from sevenstud.common.v1.money_pb2 import Money
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as wire
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.announcing import announcement_of
from services.console.adapters.calls import Line, Refused, new_request_id
from services.console.domain.contest import Contest
from services.console.domain.results import BookHead, EntrantState, JournalCheck, Standing, Terms
from shared.kernel.errors import Reason
from shared.rpc.mirror import from_proto

_PAGE_SIZE = 200
_TOO_LATE_OR_FULL = frozenset({Reason.REGISTRATION_CLOSED, Reason.TOURNAMENT_FULL})
VERIFY_SECONDS = 60.0


class Ledger:
    """The tournament ledger as one caller sees it."""

    def __init__(self, line: Line) -> None:
        """Ask over this line."""
        self._stub = TournamentLedgerServiceStub(line.channel)
        self._line = line

    async def fund(self, player_id: str, amount_minor: int, currency: str) -> None:
        """Open a player's wallet and bring money into it."""
        account = wire.OpenAccountRequest(request_id=new_request_id(), player_id=player_id, currency=currency)
        await self._line.ask(self._stub.OpenAccount, account)
        deposit = wire.DepositRequest(
            request_id=new_request_id(),
            player_id=player_id,
            amount=Money(amount_minor=amount_minor, currency=currency),
            reference="robot's evening money",
        )
        await self._line.ask(self._stub.Deposit, deposit)

    async def announce(self, contest: Contest) -> str:
        """Announce a tournament; its id."""
        request = wire.AnnounceTournamentRequest(request_id=new_request_id(), announcement=announcement_of(contest))
        answer = await self._line.ask(self._stub.AnnounceTournament, request)
        return answer.tournament.tournament_id

    async def register(self, tournament_id: str, player_id: str) -> None:
        """Register a player and pay the fee; one who is registered already stays so."""
        request = wire.RegisterRequest(request_id=new_request_id(), tournament_id=tournament_id, player_id=player_id)
        try:
            await self._line.ask(self._stub.Register, request)
        except Refused as refused:
            if not await self._is_entrant(tournament_id, player_id, refused):
                raise

    async def _is_entrant(self, tournament_id: str, player_id: str, refused: Refused) -> bool:
        """Whether a registration was refused only because the player is in the tournament already."""
        if refused.reason is Reason.ALREADY_REGISTERED:
            return True
        if refused.reason not in _TOO_LATE_OR_FULL:
            return False
        lines = await self.standings(tournament_id)
        return any(line.player_id == player_id and line.state is not EntrantState.WITHDRAWN for line in lines)

    async def rebuy(self, tournament_id: str, player_id: str) -> None:
        """Buy the starting stack again."""
        request = wire.RebuyRequest(request_id=new_request_id(), tournament_id=tournament_id, player_id=player_id)
        await self._line.ask(self._stub.Rebuy, request)

    async def buy_add_on(self, tournament_id: str, player_id: str, price_minor: int, currency: str) -> None:
        """Buy the add-on at this price."""
        price = Money(amount_minor=price_minor, currency=currency)
        request = wire.BuyAddOnRequest(
            request_id=new_request_id(), tournament_id=tournament_id, player_id=player_id, price=price
        )
        await self._line.ask(self._stub.BuyAddOn, request)

    async def terms(self, tournament_id: str) -> Terms:
        """What may be bought."""
        request = wire.GetTournamentRequest(tournament_id=tournament_id)
        told = (await self._line.ask(self._stub.GetTournament, request)).tournament
        own, fee = told.rules.tournament, told.announcement.fee
        return Terms(fee.amount_minor, fee.currency, own.rebuy.max_count, own.add_on.offered)

    async def entrants_count(self, tournament_id: str) -> int:
        """Players registered and not withdrawn."""
        request = wire.GetTournamentRequest(tournament_id=tournament_id)
        answer = await self._line.ask(self._stub.GetTournament, request)
        return answer.tournament.entrants

    async def is_finished(self, tournament_id: str) -> bool:
        """The event is over and the prizes are paid."""
        request = wire.GetTournamentRequest(tournament_id=tournament_id)
        answer = await self._line.ask(self._stub.GetTournament, request)
        return answer.tournament.HasField("finished_at")

    async def standings(self, tournament_id: str) -> tuple[Standing, ...]:
        """All entrants, best first."""
        lines: list[Standing] = []
        token = ""
        while True:
            request = wire.GetStandingsRequest(tournament_id=tournament_id, page_size=_PAGE_SIZE, page_token=token)
            page = await self._line.ask(self._stub.GetStandings, request)
            lines.extend(from_proto(line, Standing) for line in page.standings)
            token = page.next_page_token
            if not token:
                return tuple(lines)

    async def verify(self) -> JournalCheck:
        """Let the ledger check all of its books."""
        answer = await self._line.ask(self._stub.VerifyJournal, wire.VerifyJournalRequest(), VERIFY_SECONDS)
        check = from_proto(answer, JournalCheck)
        return check if len(check.heads) == check.books_count else replace(check, heads=await self._heads())

    async def _heads(self) -> tuple[BookHead, ...]:
        """Of all books, by name."""
        heads: list[BookHead] = []
        request = wire.ListBooksRequest(page_size=_PAGE_SIZE)
        while True:
            page = await self._line.ask(self._stub.ListBooks, request)
            heads.extend(from_proto(head, BookHead) for head in page.heads)
            request.page_token = page.next_page_token
            if not request.page_token:
                return tuple(heads)
