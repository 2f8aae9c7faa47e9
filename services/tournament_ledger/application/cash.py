"""Cash tables: the orchestrator's calls for players who sit, add chips and leave."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import Call, Decision, View, cash_book
from services.tournament_ledger.application.wallets import (
    Balance,
    available_minor,
    balance_of,
    changed,
    seen,
    wallet_lock,
)
from services.tournament_ledger.domain import cash
from services.tournament_ledger.domain.amounts import Money, above_zero
from services.tournament_ledger.domain.cash import CashStep, CashTable
from services.tournament_ledger.domain.facts import CashTableOpened, ChipsBoughtIn, ChipsCashedOut, HandRecorded
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.standings import HandBooked, Sheet, SheetSeat
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.rules import BuyIn, CashRules
from shared.kernel.rules.validation import refuse_rules
from shared.storage.database import WriteConflict

NOTHING_SEEN: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChipsMoved:
    """Chips bought or taken off the table, and the wallet after it."""

    chips: int
    balance: Balance


class CashTables:
    """Use cases of cash tables."""

    def __init__(self, bookkeeper: Bookkeeper) -> None:
        """Book through this bookkeeper."""
        self._keeper = bookkeeper

    async def open_table(self, call: Call, table_id: str, chip_value: Money, rules: CashRules) -> bytes:
        """Open the book of a table; once more with the same content is no error."""
        above_zero(chip_value.amount_minor, "chip_value.amount_minor")
        refuse_rules(_cash_violations(rules))

        async def decide(view: View) -> Decision:
            if view.head.number:
                known = await self._at(view, table_id)
                if (known.chip_value, known.rules) != (chip_value, rules):
                    message = f"there is a cash table {table_id} with other rules already: choose another id"
                    raise DomainError(Reason.ALREADY_EXISTS, message, {"kind": "cash table", "id": table_id})
                return Decision(None)
            table = CashTable(table_id=table_id, chip_value=chip_value, rules=rules)
            draft = Draft(EntryKind.CASH_TABLE_OPENED, (CashTableOpened(table_id, chip_value, rules),))
            return Decision(None, (draft,), (table,))

        return await self._keeper.run(call, cash_book(table_id), decide)

    async def buy_in(
        self, call: Call, table_id: str, player_id: str, seat: int, chips: int, table_version: int = 0
    ) -> bytes:
        """Sell chips to a player."""
        currency = (await self._keeper.cash_table(table_id)).chip_value.currency

        async def decide(view: View) -> Decision:
            table = await self._at(view, table_id)
            if await self._keeper.books.bought_in(view.head.book, call.request_id):
                return await self._bought_before(table, player_id)
            available = await available_minor(self._keeper.books, player_id, currency)
            step = cash.buy_in(table, player_id, seat, chips, available, table_version)
            paid = sum(fact.price_minor for fact in _facts(step) if isinstance(fact, ChipsBoughtIn))
            balance = await balance_of(self._keeper.books, player_id, currency)
            answer = ChipsMoved(step.table.seats[player_id].stack_chips, changed(balance, -paid))
            return _decision(step, answer, seen(balance))

        return await self._keeper.run(call, cash_book(table_id), decide, wallet_lock(player_id, currency))

    async def _bought_before(self, table: CashTable, player_id: str) -> Decision:
        """So long ago that the answer is not kept any more: nothing is booked twice, and what is there now is told."""
        seat = table.seats.get(player_id)
        balance = await balance_of(self._keeper.books, player_id, table.chip_value.currency)
        return Decision(ChipsMoved(seat.stack_chips if seat else 0, balance))

    async def cash_out(self, call: Call, table_id: str, player_id: str) -> bytes:
        """Pay a player's chips into the wallet."""
        currency = (await self._keeper.cash_table(table_id)).chip_value.currency

        async def decide(view: View) -> Decision:
            table = await self._at(view, table_id)
            step = cash.cash_out(table, player_id)
            taken = [fact for fact in _facts(step) if isinstance(fact, ChipsCashedOut)]
            balance = await balance_of(self._keeper.books, player_id, currency)
            value, chips = sum(each.value_minor for each in taken), sum(each.chips for each in taken)
            return _decision(step, ChipsMoved(chips, changed(balance, value)), seen(balance))

        return await self._keeper.run(call, cash_book(table_id), decide, wallet_lock(player_id, currency))

    async def open_sheet(self, call: Call, table_id: str, hand_number: int, table_version: int) -> bytes:
        """Freeze what the next hand starts from."""

        def opened(table: CashTable) -> CashStep:
            return cash.open_cash_sheet(table, hand_number, table_version)

        return await self._change(call, table_id, opened, cash_sheet_of)

    async def record_hand(self, call: Call, table_id: str, hand: HandRecorded) -> bytes:
        """Book a hand."""
        return await self._change(call, table_id, lambda table: cash.record_cash_hand(table, hand), _cash_hand_booked)

    async def _at(self, view: View, table_id: str) -> CashTable:
        """The table that the head of its book belongs to: every entry of the book is a version of it."""
        table = await self._keeper.cash_table(table_id)
        if table.version != view.head.number:
            raise WriteConflict("state", "the cash table was read before or after the head of its book")
        return table

    async def _change(
        self,
        call: Call,
        table_id: str,
        rule: Callable[[CashTable], CashStep],
        answer: Callable[[CashTable], object],
    ) -> bytes:
        async def decide(view: View) -> Decision:
            step = rule(await self._at(view, table_id))
            return _decision(step, answer(step.table))

        return await self._keeper.run(call, cash_book(table_id), decide)


def _decision(step: CashStep, answer: object, told: Mapping[str, int] = NOTHING_SEEN) -> Decision:
    return Decision(answer, (step.draft,), (step.table,), seen=told) if step.draft else Decision(answer)


def _facts(step: CashStep) -> tuple[object, ...]:
    return step.draft.facts if step.draft else ()


def cash_sheet_of(table: CashTable) -> Sheet:
    """The open sheet of a cash table."""
    by_player = {line.player_id: line.chips for line in table.sheet}
    seats = tuple(
        SheetSeat(each.seat, each.player_id, by_player[each.player_id], 0, None)
        for each in sorted(table.seats.values(), key=_seat)
        if each.player_id in by_player
    )
    return Sheet(seats, 0, None, None, sum(seat.chips > 0 for seat in seats))


def _seat(each: cash.CashSeat) -> int:
    return each.seat


def _cash_hand_booked(table: CashTable) -> HandBooked:
    return HandBooked((), None, sum(seat.chips > 0 for seat in table.seats.values()), ())


def _cash_violations(rules: CashRules) -> tuple[FieldViolation, ...]:
    """What of the money rules alone makes no sense; the rest was checked where the table was opened."""
    rows = (
        (rules.buy_in_min_chips < 1, "rules.buy_in_min_chips", "at least 1"),
        (rules.cash_stake_cap_minor < 0, "rules.cash_stake_cap_minor", "0 (no limit) or an amount in minor units"),
        (
            rules.buy_in is BuyIn.RANGE and rules.buy_in_max_chips < rules.buy_in_min_chips,
            "rules.buy_in_max_chips",
            f"at least buy_in_min_chips, which is {rules.buy_in_min_chips}",
        ),
    )
    return tuple(FieldViolation(field, allowed) for broken, field, allowed in rows if broken)
