"""Wallets: opening, deposits, withdrawals, holds."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import WALLETS, Call, Decision, View
from services.tournament_ledger.application.quotas import Quotas, check_new_hold, check_new_wallet, name_locks, reached
from services.tournament_ledger.domain import holds
from services.tournament_ledger.domain.accounts import held, outside, wallet
from services.tournament_ledger.domain.amounts import AMOUNT_MAX, Money, above_zero, added, invalid
from services.tournament_ledger.domain.facts import AccountOpened, MoneyDeposited, MoneyWithdrawn
from services.tournament_ledger.domain.holds import Hold
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import moving
from services.tournament_ledger.domain.refusals import funds_insufficient
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.ports import Books, HoldChange
from shared.kernel.errors import DomainError, Reason, not_found
from shared.storage.requests import reused


@dataclass(frozen=True, slots=True)
class Balance:
    """What a player's wallet holds."""

    player_id: str
    available: Money
    held: Money


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """A hold, and the wallet after it."""

    hold_id: str
    balance: Balance
    expires_at: datetime


def no_wallet(player_id: str, currency: str) -> DomainError:
    """The player has no wallet in this currency."""
    return not_found("wallet", f"{player_id}/{currency}", f"OpenAccount opens one for {player_id} in {currency}")


async def balance_of(books: Books, player_id: str, currency: str) -> Balance:
    """The wallet at one moment, so that nothing is counted twice or missed; NOT_FOUND where it was never opened."""
    return balance_in(await books.balances(wallet_accounts(player_id, currency)), player_id, currency)


def wallet_accounts(player_id: str, currency: str) -> tuple[str, str]:
    """The accounts that make a wallet: what can be spent, and what holds keep back."""
    return wallet(player_id, currency).account_id, held(player_id, currency).account_id


def balance_in(balances: Mapping[str, int], player_id: str, currency: str) -> Balance:
    """The wallet among balances of one moment; NOT_FOUND where it was never opened."""
    spendable, kept_back = wallet_accounts(player_id, currency)
    if spendable not in balances:
        raise no_wallet(player_id, currency)
    return Balance(player_id, Money(balances[spendable], currency), Money(balances.get(kept_back, 0), currency))


async def available_minor(books: Books, player_id: str, currency: str) -> int:
    """What a purchase may take; CURRENCY_MISMATCH where the player has wallets, but none in this currency."""
    available = await books.balance(wallet(player_id, currency).account_id)
    if available is not None:
        return available
    others = await books.wallet_currencies(player_id)
    if not others:
        raise no_wallet(player_id, currency)
    message = f"the player has a wallet in {', '.join(others)}, this is paid in {currency}: OpenAccount opens one"
    raise DomainError(Reason.CURRENCY_MISMATCH, message, {"expected": currency, "given": ",".join(others)})


def changed(balance: Balance, available: int, reserved: int = 0) -> Balance:
    """The wallet after a change of what can be spent and of what is reserved."""
    currency = balance.available.currency
    return Balance(
        balance.player_id,
        Money(balance.available.amount_minor + available, currency),
        Money(balance.held.amount_minor + reserved, currency),
    )


def seen(balance: Balance) -> Mapping[str, int]:
    """The accounts that a balance tells of."""
    player_id, currency = balance.player_id, balance.available.currency
    return {
        wallet(player_id, currency).account_id: balance.available.amount_minor,
        held(player_id, currency).account_id: balance.held.amount_minor,
    }


def wallet_lock(player_id: str, currency: str) -> tuple[str, ...]:
    """What to hold while a wallet is read and changed."""
    return (wallet(player_id, currency).account_id,)


class Wallets:
    """Use cases of wallets."""

    def __init__(self, bookkeeper: Bookkeeper, quotas: Quotas | None = None) -> None:
        """Book through this bookkeeper, within these quotas."""
        self._keeper = bookkeeper
        self._quotas = quotas or Quotas()
        self._books = bookkeeper.books

    async def open_account(self, call: Call, player_id: str, currency: str) -> bytes:
        """Open a wallet; opening it again is no error."""

        async def decide(_: View) -> Decision:
            account = wallet(player_id, currency)
            if await self._books.balance(account.account_id) is not None:
                return Decision(await balance_of(self._books, player_id, currency))
            await check_new_wallet(self._quotas, self._books, player_id)
            draft = Draft(EntryKind.ACCOUNT_OPENED, (AccountOpened(player_id, currency),))
            nothing = Money(0, currency)
            return Decision(Balance(player_id, nothing, nothing), (draft,), accounts=(account,))

        locks = (*wallet_lock(player_id, currency), *name_locks(player_id))
        return await self._keeper.run(call, WALLETS, decide, locks)

    async def deposit(self, call: Call, player_id: str, amount: Money, reference: str) -> bytes:
        """Bring money in from outside."""
        above_zero(amount.amount_minor, "amount.amount_minor")

        source, currency = outside(amount.currency), amount.currency

        async def decide(view: View) -> Decision:
            balance = balance_in(view.balances, player_id, currency)
            brought = -view.balances.get(source.account_id, 0)
            added(max(brought, 0), amount.amount_minor, "amount.amount_minor")
            postings = moving(source, wallet(player_id, currency), amount.amount_minor)
            draft = Draft(EntryKind.DEPOSITED, (MoneyDeposited(player_id, reference),), postings)
            return Decision(changed(balance, amount.amount_minor), (draft,), seen=seen(balance))

        apart = (*wallet_accounts(player_id, currency), source.account_id)
        return await self._keeper.run(call, WALLETS, decide, wallet_lock(player_id, currency), apart)

    async def withdraw(self, call: Call, player_id: str, amount: Money, reference: str) -> bytes:
        """Take money out."""
        above_zero(amount.amount_minor, "amount.amount_minor")

        target, currency = outside(amount.currency), amount.currency

        async def decide(view: View) -> Decision:
            balance = balance_in(view.balances, player_id, currency)
            if balance.available.amount_minor < amount.amount_minor:
                raise funds_insufficient(balance.available.amount_minor, amount.amount_minor)
            postings = moving(wallet(player_id, currency), target, amount.amount_minor)
            draft = Draft(EntryKind.WITHDRAWN, (MoneyWithdrawn(player_id, reference),), postings)
            return Decision(changed(balance, -amount.amount_minor), (draft,), seen=seen(balance))

        apart = (*wallet_accounts(player_id, currency), target.account_id)
        return await self._keeper.run(call, WALLETS, decide, wallet_lock(player_id, currency), apart)

    async def place_hold(self, call: Call, player_id: str, amount: Money, lasts: timedelta) -> bytes:
        """Reserve money."""
        above_zero(amount.amount_minor, "amount.amount_minor")
        if not timedelta(0) < lasts <= holds.LASTS_MAX:
            raise invalid("lasts", f"above zero and at most {holds.LASTS_MAX.days} days")

        async def decide(_: View) -> Decision:
            now = self._keeper.now  # not the book's time, which is ahead for as long as a clock was once
            balance = await balance_of(self._books, player_id, amount.currency)
            await check_new_hold(self._quotas, self._books, player_id, amount.currency)
            hold = Hold(await self._new_hold_id(call), player_id, amount, now + lasts)
            draft = holds.place(hold, balance.available.amount_minor, now)
            after = changed(balance, -amount.amount_minor, amount.amount_minor)
            placed = HoldPlaced(hold.hold_id, after, hold.expires_at)
            return Decision(placed, (draft,), (HoldChange(hold, new=True),), seen=seen(balance))

        return await self._keeper.run(call, WALLETS, decide, wallet_lock(player_id, amount.currency))

    async def _new_hold_id(self, call: Call) -> str:
        """Made from the request's id, which may be one of before whose answer is forgotten, or written in capitals."""
        hold_id = uuid.uuid5(uuid.UUID(call.request_id), "hold").hex
        if await self._books.hold(hold_id) is not None:
            raise reused(call.request_id)
        return hold_id

    async def post_hold(self, call: Call, hold_id: str, of_players: str = "") -> bytes:
        """Take reserved money for good; NOT_FOUND where the player's id does not begin with ``of_players``."""

        async def decide(_: View) -> Decision:
            hold, draft = holds.post(await self._hold(hold_id), self._keeper.now)
            return await self._resolved(hold, draft, back=0)

        return await self._keeper.run(call, WALLETS, decide, await self._wallet_of(hold_id, of_players))

    async def void_hold(self, call: Call, hold_id: str, of_players: str = "") -> bytes:
        """Give reserved money back; NOT_FOUND where the player's id does not begin with ``of_players``."""

        async def decide(_: View) -> Decision:
            hold, draft = holds.void(await self._hold(hold_id), self._keeper.now)
            return await self._resolved(hold, draft, back=hold.amount.amount_minor)

        return await self._keeper.run(call, WALLETS, decide, await self._wallet_of(hold_id, of_players))

    async def expire_hold(self, call: Call, hold_id: str) -> bytes:
        """Give the money of a hold back whose time is over; nothing where it was resolved meanwhile."""

        async def decide(_: View) -> Decision:
            hold = await self._hold(hold_id)
            balance = await balance_of(self._books, hold.player_id, hold.amount.currency)
            if hold.state is not holds.HoldState.OPEN or hold.expires_at > self._keeper.now:
                return Decision(balance)
            hold, draft = holds.expire(hold)
            return await self._resolved(hold, draft, back=hold.amount.amount_minor)

        return await self._keeper.run(call, WALLETS, decide, await self._wallet_of(hold_id))

    async def _wallet_of(self, hold_id: str, of_players: str = "") -> tuple[str, ...]:
        """What to hold while a hold is resolved; one of somebody else's player is as good as none."""
        hold = await self._hold(hold_id)
        if not hold.player_id.startswith(of_players):
            raise _no_hold(hold_id)
        return wallet_lock(hold.player_id, hold.amount.currency)

    async def _resolved(self, hold: Hold, draft: Draft, back: int) -> Decision:
        balance = await balance_of(self._books, hold.player_id, hold.amount.currency)
        if balance.available.amount_minor + back > AMOUNT_MAX:
            raise reached("wallet", AMOUNT_MAX, "withdraw some of it, then the hold can be given back")
        after = changed(balance, back, -hold.amount.amount_minor)
        return Decision(after, (draft,), (HoldChange(hold, new=False),), seen=seen(balance))

    async def _hold(self, hold_id: str) -> Hold:
        hold = await self._books.hold(hold_id)
        if hold is None:
            raise _no_hold(hold_id)
        return hold


def _no_hold(hold_id: str) -> DomainError:
    return not_found("hold", hold_id, "PlaceHold answers with the id of each that it places")
