"""What a sheet means for the seats of a table, and the booking that a finished hand makes."""

from collections.abc import Iterable, Iterator

from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.booking import FeatShown, HandResult, Placement
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.ranking import HandCategory
from services.orchestrator.domain.sheet import HandBooking, PlayerCarry, Sheet, SheetSeat
from services.orchestrator.domain.table import Table, TableSeat
from services.orchestrator.domain.table_facts import LeaveCause, Presence
from shared.kernel.game import Mode
from shared.kernel.rules import DealerPosition, Feat

_FEATS = {
    HandCategory.ROYAL_FLUSH: Feat.ROYAL_FLUSH,
    HandCategory.STRAIGHT_FLUSH: Feat.STRAIGHT_FLUSH,
    HandCategory.FOUR_OF_A_KIND: Feat.FOUR_OF_A_KIND,
}


def sheet_facts(table: Table, sheet: Sheet) -> tuple[Fact, ...]:
    """What changes at the table before the next hand: places, players gone and come, chips, amounts."""
    facts = [*placement_facts(table, sheet.placements)]
    if table.mode is Mode.TOURNAMENT and sheet.seats:  # a sheet without seats says nothing about them
        placed = {placement.player_id for placement in sheet.placements}
        facts += _leaving(table, sheet, placed)
        facts += _coming(table, sheet)
    facts += _chips(table, sheet)
    if sheet.stakes is not None:
        changed = fact.StakesChanged(stakes=sheet.stakes, level=sheet.level, decision_seconds=sheet.decision_seconds)
        if (table.stakes, table.level, table.decision_seconds) != (sheet.stakes, sheet.level, sheet.decision_seconds):
            facts.append(changed)
    return tuple(facts)


def placement_facts(table: Table, placements: Iterable[Placement]) -> Iterator[Fact]:
    """Players of this table who are out, and their seats given up."""
    for placement in placements:
        seat = table.seat_of(placement.player_id)
        if seat is None or seat.stack_chips > 0:  # another table's player, or the winner of the event
            continue
        yield fact.PlayerEliminated(
            seat=seat.seat,
            player_id=seat.player_id,
            place=placement.place,
            prize_minor=placement.prize_minor,
        )
        yield left(seat, LeaveCause.ELIMINATED)


def left(seat: TableSeat, cause: LeaveCause) -> fact.PlayerLeft:
    """The player gives up the seat, with all chips."""
    return fact.PlayerLeft(seat=seat.seat, player_id=seat.player_id, stack_chips=seat.stack_chips, cause=cause)


def _leaving(table: Table, sheet: Sheet, placed: set[str]) -> Iterator[Fact]:
    stays = {(seat.seat, seat.player_id) for seat in sheet.seats}
    for seat in table.seats:
        if (seat.seat, seat.player_id) not in stays and not (seat.player_id in placed and seat.stack_chips == 0):
            yield left(seat, LeaveCause.MOVED if seat.stack_chips else LeaveCause.ELIMINATED)


def _coming(table: Table, sheet: Sheet) -> Iterator[Fact]:
    for entry in sheet.seats:
        seat = table.seat(entry.seat)
        if seat is None or seat.player_id != entry.player_id:
            yield from _seated(table, entry)


def _seated(table: Table, entry: SheetSeat) -> Iterator[Fact]:
    """A seat at this table, with what its player brings along from another one (rules 138, 191, C48)."""
    before = table.seat_of(entry.player_id)  # a new seat at the same table, as at the final table
    bank = entry.time_bank_seconds
    if bank is None:
        bank = before.time_bank_seconds if before else table.rules.clock.time_bank_seconds
    protections = entry.protections_used
    if protections is None:
        protections = before.protections_used if before else 0
    presence = _presence_of(entry, before)
    yield fact.PlayerSeated(
        seat=entry.seat,
        player_id=entry.player_id,
        stack_chips=entry.stack_chips,
        presence=presence,
        auto_ante=True,
        time_bank_seconds=bank,
        protections_used=protections,
    )
    gone = entry.disconnected or (before is not None and before.disconnected)
    if gone and presence is not Presence.DISCONNECTED:
        yield fact.ConnectionChanged(seat=entry.seat, connected=False, deadline=None)


def _presence_of(entry: SheetSeat, before: TableSeat | None) -> Presence:
    if entry.presence is not None:
        return entry.presence
    if before is not None and before.sitting_out:
        return before.presence
    return Presence.SITTING_OUT if entry.sitting_out else Presence.PLAYING


def _chips(table: Table, sheet: Sheet) -> Iterator[Fact]:
    """The sheet is the truth between hands: purchases and releases are in it."""
    for entry in sheet.seats:
        seat = table.seat(entry.seat)
        if seat is None or seat.player_id != entry.player_id or seat.stack_chips == entry.stack_chips:
            continue
        added = entry.stack_chips - seat.stack_chips
        yield fact.ChipsAdded(seat=entry.seat, added_chips=added, stack_chips=entry.stack_chips)


def dealing_order(table: Table, hand_number: int) -> tuple[TableSeat, ...]:
    """The seats that the hand deals in, clockwise from dealer's left (rules 4, 5)."""
    seats_max = table.rules.hand.seats_max
    rotates = table.rules.hand.dealer_position is DealerPosition.ROTATE
    first = (hand_number - 1) % seats_max + 1 if rotates else 1
    return tuple(sorted(table.ready_seats, key=lambda seat: (seat.seat - first) % seats_max))


def booking_of(table: Table, hand: Hand) -> HandBooking:
    """The finished hand as the ledger is told of it."""
    return HandBooking(
        hand_id=hand.hand_id,
        hand_number=hand.hand_number,
        results=tuple(
            HandResult(player_id=each.player_id, before_chips=each.before_chips, after_chips=each.after_chips)
            for each in hand.results
        ),
        rake_chips=hand.rake_chips,
        street_reached=hand.street,
        feats=tuple(_feats(hand)),
        voided=hand.voided,
        deck_root=hand.deck_root,
        carries=tuple(
            PlayerCarry(
                player_id=seat.player_id,
                time_bank_seconds=seat.time_bank_seconds,
                sitting_out=seat.sitting_out,
                presence=seat.presence,
                disconnected=seat.disconnected,
                protections_used=seat.protections_used,
            )
            for seat in table.seats
        )
        if table.mode is Mode.TOURNAMENT
        else (),
    )


def _feats(hand: Hand) -> Iterator[FeatShown]:
    """Feats of hands that were shown: down, or unasked by an uncontested winner where that counts (rule 179)."""
    for seat in hand.seats:
        feat = _FEATS.get(seat.shown_category) if seat.shown_category is not None else None
        if feat is not None and not hand.voided:
            yield FeatShown(player_id=seat.player_id, feat=feat, uncontested=hand.showdown is None)
