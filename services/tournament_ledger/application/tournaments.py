"""Announcing, registering, buying, cancelling: what back ends and operators do to a tournament."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import Call, Decision, View, tournament_book
from services.tournament_ledger.application.quotas import Quotas, check_new_tournament
from services.tournament_ledger.application.wallets import available_minor, wallet_lock
from services.tournament_ledger.domain.accounts import outside
from services.tournament_ledger.domain.amounts import Money, added
from services.tournament_ledger.domain.announcement import announcement_violations
from services.tournament_ledger.domain.closing import cancel
from services.tournament_ledger.domain.facts import TournamentAnnounced
from services.tournament_ledger.domain.fold import announced
from services.tournament_ledger.domain.late_entry import re_enter
from services.tournament_ledger.domain.purchases import buy_add_on, rebuy, release_on_request
from services.tournament_ledger.domain.registration import announce, register, unregister
from services.tournament_ledger.domain.seat_choice import choose_seat
from services.tournament_ledger.domain.standings import Standing, standing_of
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Tournament
from services.tournament_ledger.ports import TournamentChange
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules.validation import refuse_rules
from shared.storage.database import WriteConflict

Answer = Callable[[Steps], object]
_GUARANTEE = "announcement.rules.overrides.tournament.guarantee_minor"
AsyncRule = Callable[[Steps], Awaitable[None]]


def the_tournament(steps: Steps) -> Tournament:
    """The answer of commands that give the tournament after them."""
    return steps.tournament


class Tournaments:
    """Use cases of tournaments that do not belong to play."""

    def __init__(self, bookkeeper: Bookkeeper, quotas: Quotas | None = None) -> None:
        """Book through this bookkeeper, within these quotas."""
        self._keeper = bookkeeper
        self._quotas = quotas or Quotas()

    async def announce(self, call: Call, fact: TournamentAnnounced) -> bytes:
        """Publish a tournament, checked as a whole."""
        refuse_rules(announcement_violations(fact.announcement, fact.rules))

        async def decide(view: View) -> Decision:
            if view.head.number:
                message = f"there is a tournament {fact.tournament_id} already: choose another id"
                metadata = {"kind": "tournament", "id": fact.tournament_id}
                raise DomainError(Reason.ALREADY_EXISTS, message, metadata)
            await check_new_tournament(self._quotas, self._keeper.books)
            await self._check_organisers_money(fact)
            after = replace(announced(fact, view.at), version=1)
            return Decision(after, (announce(fact),), (TournamentChange(None, after),))

        return await self._keeper.run(call, tournament_book(fact.tournament_id), decide, ("announcements",))

    async def _check_organisers_money(self, fact: TournamentAnnounced) -> None:
        """Bonus fund and guarantee come from outside, which is bounded as a whole; the guarantee once it is known."""
        account_id = outside(fact.announcement.fee.currency).account_id
        brought = -(await self._keeper.books.balance(account_id) or 0)
        brought = added(max(brought, 0), fact.announcement.bonus_fund_minor, "announcement.bonus_fund_minor")
        added(brought, fact.rules.tournament.guarantee_minor, _GUARANTEE)

    async def register(self, call: Call, tournament_id: str, player_id: str) -> bytes:
        """Take the fee and the player in."""

        async def rule(steps: Steps) -> None:
            currency = steps.tournament.currency
            register(steps, player_id, await available_minor(self._keeper.books, player_id, currency))

        def answer(steps: Steps) -> tuple[Standing, int]:
            return standing_of(steps.tournament.entrant(player_id)), _entrants(steps)

        return await self._paid(call, tournament_id, player_id, rule, answer)

    async def unregister(self, call: Call, tournament_id: str, player_id: str) -> bytes:
        """Give the fee back."""

        async def rule(steps: Steps) -> None:
            unregister(steps, player_id)

        return await self._paid(call, tournament_id, player_id, rule, _entrants)

    async def choose_seat(self, call: Call, tournament_id: str, player_id: str, table: int, seat: int) -> bytes:
        """Take a seat for the first hand."""

        async def rule(steps: Steps) -> None:
            choose_seat(steps, player_id, table, seat)

        return await change_tournament(self._keeper, call, tournament_id, rule, _standing(player_id))

    async def rebuy(self, call: Call, tournament_id: str, player_id: str) -> bytes:
        """Sell the starting stack again."""

        async def rule(steps: Steps) -> None:
            steps.tournament.entrant(player_id)
            currency = steps.tournament.currency
            rebuy(steps, player_id, await available_minor(self._keeper.books, player_id, currency))

        return await self._paid(call, tournament_id, player_id, rule, _standing(player_id))

    async def re_enter(self, call: Call, tournament_id: str, player_id: str) -> bytes:
        """Let an excluded player in again."""

        async def rule(steps: Steps) -> None:
            steps.tournament.entrant(player_id)
            currency = steps.tournament.currency
            re_enter(steps, player_id, await available_minor(self._keeper.books, player_id, currency))

        return await self._paid(call, tournament_id, player_id, rule, _standing(player_id))

    async def buy_add_on(self, call: Call, tournament_id: str, player_id: str, price: Money) -> bytes:
        """Sell the add-on."""

        async def rule(steps: Steps) -> None:
            currency = steps.tournament.currency
            if price.currency != currency:
                message = f"this tournament is paid in {currency}, not in {price.currency}"
                metadata = {"expected": currency, "given": price.currency}
                raise DomainError(Reason.CURRENCY_MISMATCH, message, metadata)
            steps.tournament.entrant(player_id)
            available = await available_minor(self._keeper.books, player_id, currency)
            buy_add_on(steps, player_id, price.amount_minor, available)

        return await self._paid(call, tournament_id, player_id, rule, _standing(player_id))

    async def release(self, call: Call, tournament_id: str, player_id: str) -> bytes:
        """Bring the second half of a double chance into play because the player asks for it."""

        async def rule(steps: Steps) -> None:
            release_on_request(steps, player_id)

        return await change_tournament(self._keeper, call, tournament_id, rule, _standing(player_id))

    async def cancel(self, call: Call, tournament_id: str, cause: str, expected_version: int) -> bytes:
        """Call a tournament off and give the money back."""

        async def rule(steps: Steps) -> None:
            check_version(steps.tournament, expected_version)
            cancel(steps, cause)

        return await change_tournament(self._keeper, call, tournament_id, rule, the_tournament)

    async def _paid(self, call: Call, tournament_id: str, player_id: str, rule: AsyncRule, answer: Answer) -> bytes:
        """Change a tournament while the player's wallet is held."""
        currency = (await self._keeper.named(call, self._keeper.tournament(tournament_id))).currency
        wallets = wallet_lock(player_id, currency)
        return await change_tournament(self._keeper, call, tournament_id, rule, answer, wallets)


def check_version(tournament: Tournament, expected: int) -> None:
    """Refuse who saw another state of the tournament; 0 = whatever it is."""
    current = tournament.version
    if expected not in {0, current}:
        message = f"the tournament is at version {current}, not {expected}: read it again"
        metadata = {"expected": str(expected), "current": str(current)}
        raise DomainError(Reason.VERSION_CONFLICT, message, metadata)


async def change_tournament(
    keeper: Bookkeeper,
    call: Call,
    tournament_id: str,
    rule: AsyncRule,
    answer: Answer,
    wallets: tuple[str, ...] = (),
) -> bytes:
    """Let a rule of the domain work on a tournament and book what it says."""

    async def decide(view: View) -> Decision:
        before = await keeper.tournament(tournament_id)
        if before.version != view.head.number:
            raise WriteConflict("state", "the tournament was read before or after the head of its book")
        steps = Steps(before, view.at)
        await rule(steps)
        if steps.drafts and call.player_id:
            keeper.changes.one_more(call.player_id, call.request_id, view.at)
        changes = (TournamentChange(before, steps.tournament),) if steps.drafts else ()
        return Decision(answer(steps), tuple(steps.drafts), changes)

    return await keeper.run(call, tournament_book(tournament_id), decide, wallets)


def _entrants(steps: Steps) -> int:
    return steps.tournament.entrants_count


def _standing(player_id: str) -> Answer:
    return lambda steps: standing_of(steps.tournament.entrant(player_id))
