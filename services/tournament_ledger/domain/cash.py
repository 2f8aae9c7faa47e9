"""Money at cash tables: buying in, adding, the stake cap, booking hands with rake, cashing out (rules 193-196)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from services.tournament_ledger.domain.accounts import rake, table_chips, table_chips_issued, table_escrow, wallet
from services.tournament_ledger.domain.amounts import TABLE_CHIPS_MAX, Money, times
from services.tournament_ledger.domain.entries import check_spend_cap
from services.tournament_ledger.domain.facts import (
    ChipsBoughtIn,
    ChipsCashedOut,
    HandRecorded,
    SheetLine,
    SheetOpened,
)
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import moving, redistribution
from services.tournament_ledger.domain.refusals import funds_insufficient, seat_taken
from services.tournament_ledger.domain.results import check_open, check_results, distribution
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.errors import DomainError, Reason, out_of_step
from shared.kernel.rules import BuyIn, CashAdd, CashRules

PLAYERS_MIN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CashSeat:
    """A player with chips, or the right to more of them, at a cash table."""

    player_id: str
    seat: int
    chips: int = 0
    pending_chips: int = 0
    """Bought while a hand is played: in play with the next sheet."""
    brought_minor: int = 0
    """Money brought since sitting down, for the stake cap (rule 195)."""

    @property
    def stack_chips(self) -> int:
        """What the player would have in the next hand."""
        return self.chips + self.pending_chips


@dataclass(frozen=True, slots=True, kw_only=True)
class CashTable:
    """The book of a cash table between hands."""

    table_id: str
    chip_value: Money
    rules: CashRules
    hand_number: int = 0
    open_hand_number: int = 0
    sheet: tuple[SheetLine, ...] = ()
    table_version: int = 0
    """Version of the table that the open sheet was last asked with; 0: not known."""
    bought_version: int = 0
    """The highest version of the table at which chips were bought; 0: not known."""
    version: int = 1
    seats: Mapping[str, CashSeat] = field(default_factory=lambda: MappingProxyType({}))
    """By player."""


@dataclass(frozen=True, slots=True)
class CashStep:
    """The table after an entry, and the entry; None where nothing is to be written."""

    table: CashTable
    draft: Draft | None


def buy_in(
    table: CashTable, player_id: str, seat: int, chips: int, available_minor: int, table_version: int = 0
) -> CashStep:
    """Buy chips from the wallet; they are in play with the next sheet. Refused before any money moves."""
    known = table.seats.get(player_id)
    _check_seat(table, player_id, seat)
    _check_size(table.rules, chips, known)
    _check_room(table, chips)
    price = times(chips, table.chip_value.amount_minor, "chips")
    brought = known.brought_minor if known else 0
    check_spend_cap(brought, price, table.rules.cash_stake_cap_minor)
    if available_minor < price:
        raise funds_insufficient(available_minor, price)
    currency = table.chip_value.currency
    postings = (
        *moving(wallet(player_id, currency), table_escrow(table.table_id, currency), price),
        *moving(table_chips_issued(table.table_id), table_chips(table.table_id, player_id), chips),
    )
    fact = ChipsBoughtIn(player_id, seat, chips, price, table_version or None)
    return CashStep(after_buy_in(table, fact), Draft(EntryKind.BOUGHT_IN, (fact,), postings))


def after_buy_in(table: CashTable, fact: ChipsBoughtIn) -> CashTable:
    """The table after chips were bought."""
    known = table.seats.get(fact.player_id, CashSeat(player_id=fact.player_id, seat=fact.seat))
    bought = replace(
        known,
        pending_chips=known.pending_chips + fact.chips,
        brought_minor=known.brought_minor + fact.price_minor,
    )
    return replace(
        table,
        seats=MappingProxyType({**table.seats, fact.player_id: bought}),
        bought_version=max(table.bought_version, fact.table_version or 0),
        version=table.version + 1,
    )


def _check_seat(table: CashTable, player_id: str, seat: int) -> None:
    for each in table.seats.values():
        if each.player_id == player_id and each.seat != seat:
            message = f"the player sits at this table already, in seat {each.seat}"
            raise DomainError(Reason.ALREADY_SEATED, message, {"seat": str(each.seat)})
        if each.player_id != player_id and each.seat == seat:
            raise seat_taken(seat)


def _check_size(rules: CashRules, chips: int, known: CashSeat | None) -> None:
    """Sizes and moments that the rules allow (rules 193-194, C46)."""
    fixed = rules.buy_in is BuyIn.FIXED
    most = rules.buy_in_min_chips if fixed else rules.buy_in_max_chips
    if known is None or not known.stack_chips:
        if known is not None and rules.cash_add is CashAdd.NEVER:
            raise _not_allowed(chips, "nothing more: chips are never added at this table, leave and sit down again")
        if not rules.buy_in_min_chips <= chips <= most:
            size = f"{most}" if fixed else f"{rules.buy_in_min_chips} to {most}"
            raise _not_allowed(chips, f"{size} chips")
        return
    if rules.cash_add is not CashAdd.BELOW_BUY_IN:
        raise _not_allowed(chips, "nothing while the player has chips: at this table they are added by who has none")
    if known.stack_chips + chips > most:
        raise _not_allowed(chips, f"at most {max(most - known.stack_chips, 0)} chips, up to {most} in all")


def _check_room(table: CashTable, chips: int) -> None:
    """One player may win all of them, and no hand begins with a larger stack."""
    room = TABLE_CHIPS_MAX - sum(each.stack_chips for each in table.seats.values())
    if chips > room:
        raise _not_allowed(chips, f"at most {room} chips: a table has at most {TABLE_CHIPS_MAX} in all")


def _not_allowed(chips: int, allowed: str) -> DomainError:
    message = f"{chips} chips cannot be bought: allowed is {allowed}"
    return DomainError(Reason.BUY_IN_NOT_ALLOWED, message, {"amount_chips": str(chips), "allowed": allowed})


def cash_out(table: CashTable, player_id: str) -> CashStep:
    """Take all chips of a player off the table into the wallet.

    The player also leaves an open sheet: a hand that had dealt the player in can then not be booked any more.
    """
    seat = table.seats.get(player_id)
    if seat is None:
        message = f"player {player_id} has no seat at table {table.table_id}"
        raise DomainError(Reason.NOT_SEATED, message, {"player_id": player_id})
    currency, chips = table.chip_value.currency, seat.stack_chips
    value = times(chips, table.chip_value.amount_minor, "chips")
    postings = (
        *moving(table_chips(table.table_id, player_id), table_chips_issued(table.table_id), chips),
        *moving(table_escrow(table.table_id, currency), wallet(player_id, currency), value),
    )
    fact = ChipsCashedOut(player_id, chips, value)
    return CashStep(after_cash_out(table, fact), Draft(EntryKind.CASHED_OUT, (fact,), postings))


def after_cash_out(table: CashTable, fact: ChipsCashedOut) -> CashTable:
    """The table after a player left."""
    seats = {player_id: seat for player_id, seat in table.seats.items() if player_id != fact.player_id}
    sheet = tuple(line for line in table.sheet if line.player_id != fact.player_id)
    return replace(table, seats=MappingProxyType(seats), sheet=sheet, version=table.version + 1)


def open_cash_sheet(table: CashTable, hand_number: int, table_version: int = 0) -> CashStep:
    """Freeze the stacks of the next hand; asking again adds only who cannot be in a hand under way.

    A hand is begun at the very version of the table with which its sheet was asked for. Who asks again at a later one
    says that no hand was, and none will be: then everything that was bought is in the sheet.
    """
    if hand_number != table.hand_number + 1:
        raise out_of_step(f"hand {hand_number}", f"hand {table.hand_number + 1} of table {table.table_id}")
    asked_with = _asked_with(table, hand_number, table_version)
    none_begun = table.open_hand_number == hand_number and asked_with > table.table_version
    under_way = not none_begun and sum(line.chips > 0 for line in table.sheet) >= PLAYERS_MIN
    frozen = {line.player_id for line in table.sheet if line.chips} if under_way else set[str]()
    lines = tuple(
        SheetLine(each.player_id, each.chips if each.player_id in frozen else each.stack_chips)
        for each in sorted(table.seats.values(), key=_seat)
    )
    if (table.open_hand_number, table.sheet, table.table_version) == (hand_number, lines, asked_with):
        return CashStep(table, None)
    fact = SheetOpened(table.table_id, hand_number, lines, asked_with or None)
    return CashStep(after_sheet(table, fact), Draft(EntryKind.SHEET_OPENED, (fact,)))


def _asked_with(table: CashTable, hand_number: int, table_version: int) -> int:
    """The latest version that a hand may be begun at with the sheet; 0 once anybody asked who did not tell."""
    if table.open_hand_number != hand_number:
        return table_version
    return max(table_version, table.table_version) if table_version and table.table_version else 0


def _seat(each: CashSeat) -> int:
    return each.seat


def after_sheet(table: CashTable, fact: SheetOpened) -> CashTable:
    """The table after its stacks were frozen."""
    seats = dict(table.seats)
    for line in fact.lines:
        each = seats[line.player_id]
        pending = each.pending_chips - (line.chips - each.chips)
        seats[line.player_id] = replace(each, chips=line.chips, pending_chips=pending)
    return replace(
        table,
        seats=MappingProxyType(seats),
        sheet=fact.lines,
        open_hand_number=fact.hand_number,
        table_version=fact.table_version or 0,
        version=table.version + 1,
    )


def record_cash_hand(table: CashTable, hand: HandRecorded) -> CashStep:
    """Book the result of a hand, and its rake."""
    check_open(table.open_hand_number, hand.hand_number, table.hand_number)
    check_results(hand, table.sheet)
    accounts = {each.player_id: table_chips(table.table_id, each.player_id) for each in hand.results}
    before, after = distribution(hand.results, accounts)
    if hand.rake_chips:
        after[rake(table.table_id)] = hand.rake_chips
    draft = Draft(EntryKind.HAND_RECORDED, (hand,), redistribution(before, after))
    return CashStep(after_hand(table, hand), draft)


def after_hand(table: CashTable, fact: HandRecorded) -> CashTable:
    """The table after a hand."""
    seats = dict(table.seats)
    for each in fact.results:
        seats[each.player_id] = replace(seats[each.player_id], chips=each.after_chips)
    return replace(
        table,
        seats=MappingProxyType(seats),
        sheet=(),
        open_hand_number=0,
        hand_number=fact.hand_number,
        version=table.version + 1,
    )
