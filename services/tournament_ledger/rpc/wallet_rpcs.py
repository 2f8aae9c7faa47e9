"""RPCs of wallets."""

from datetime import timedelta

from sevenstud.common.v1.money_pb2 import Money as MoneyMessage
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.application.wallets import Balance, HoldPlaced
from services.tournament_ledger.domain.amounts import Money, invalid
from services.tournament_ledger.domain.journal import micros
from services.tournament_ledger.rpc.calls import call_of, response_of
from services.tournament_ledger.rpc.messages import statement_line
from services.tournament_ledger.rpc.use_cases import UseCases
from shared.rpc.call import current_caller
from shared.rpc.context import Context
from shared.rpc.mirror import from_proto, to_proto
from shared.rpc.paging import fitting, page_of

PAGE_MAX = 500


def money_of(message: MoneyMessage) -> Money:
    """An amount with its currency."""
    return from_proto(message, Money)


def balance_message(balance: Balance) -> pb.Balance:
    """A wallet."""
    return to_proto(balance, pb.Balance)


class WalletRpcs:
    """Opening, deposits, withdrawals, holds, statements."""

    _use: UseCases

    async def OpenAccount(self, request: pb.OpenAccountRequest, context: Context) -> pb.OpenAccountResponse:
        """Open a wallet."""
        call = call_of("OpenAccount", request, lambda it: pb.OpenAccountResponse(balance=balance_message(it)))
        answer = await self._use.wallets.open_account(call, request.player_id, request.currency)
        return response_of(answer, pb.OpenAccountResponse)

    async def Deposit(self, request: pb.DepositRequest, context: Context) -> pb.DepositResponse:
        """Bring money in."""
        call = call_of("Deposit", request, lambda it: pb.DepositResponse(balance=balance_message(it)))
        amount = money_of(request.amount)
        answer = await self._use.wallets.deposit(call, request.player_id, amount, request.reference)
        return response_of(answer, pb.DepositResponse)

    async def Withdraw(self, request: pb.WithdrawRequest, context: Context) -> pb.WithdrawResponse:
        """Take money out."""
        call = call_of("Withdraw", request, lambda it: pb.WithdrawResponse(balance=balance_message(it)))
        amount = money_of(request.amount)
        answer = await self._use.wallets.withdraw(call, request.player_id, amount, request.reference)
        return response_of(answer, pb.WithdrawResponse)

    async def GetBalance(self, request: pb.GetBalanceRequest, context: Context) -> pb.GetBalanceResponse:
        """A wallet."""
        balance = await self._use.queries.balance(request.player_id, request.currency)
        return pb.GetBalanceResponse(balance=balance_message(balance))

    async def ListPostings(self, request: pb.ListPostingsRequest, context: Context) -> pb.ListPostingsResponse:
        """A statement."""
        scope = f"postings {request.player_id} {request.currency}"
        page = page_of(request.page_size, request.page_token, scope, (int, str, int, int), PAGE_MAX)
        after = None
        if page.after is not None:
            at, book, number, position = page.after
            after = (int(at), str(book), int(number), int(position))
        found = await self._use.queries.statement(request.player_id, request.currency, after, page.size + 1)
        lines = fitting(statement_line(entry, request.currency) for entry in found[: page.size])
        token = ""
        if len(found) > len(lines):
            last = found[len(lines) - 1]
            token = page.next_token((micros(last.at), last.book, last.number, last.position))
        return pb.ListPostingsResponse(lines=lines, next_page_token=token)

    async def PlaceHold(self, request: pb.PlaceHoldRequest, context: Context) -> pb.PlaceHoldResponse:
        """Reserve money."""
        call = call_of("PlaceHold", request, _hold_message)
        amount = money_of(request.amount)
        answer = await self._use.wallets.place_hold(call, request.player_id, amount, _lasts(request))
        return response_of(answer, pb.PlaceHoldResponse)

    async def PostHold(self, request: pb.PostHoldRequest, context: Context) -> pb.PostHoldResponse:
        """Take reserved money."""
        call = call_of("PostHold", request, lambda it: pb.PostHoldResponse(balance=balance_message(it)))
        answer = await self._use.wallets.post_hold(call, request.hold_id, current_caller().player_prefix)
        return response_of(answer, pb.PostHoldResponse)

    async def VoidHold(self, request: pb.VoidHoldRequest, context: Context) -> pb.VoidHoldResponse:
        """Give reserved money back."""
        call = call_of("VoidHold", request, lambda it: pb.VoidHoldResponse(balance=balance_message(it)))
        answer = await self._use.wallets.void_hold(call, request.hold_id, current_caller().player_prefix)
        return response_of(answer, pb.VoidHoldResponse)


def _hold_message(placed: HoldPlaced) -> pb.PlaceHoldResponse:
    return to_proto(placed, pb.PlaceHoldResponse)


def _lasts(request: pb.PlaceHoldRequest) -> timedelta:
    try:
        return request.lasts.ToTimedelta()
    except (ValueError, OverflowError):
        raise invalid("lasts", "above zero and at most 30 days") from None
