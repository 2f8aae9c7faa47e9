"""Sheets of a tournament table: what the next hand starts from, frozen until it is recorded (rule 163)."""

from services.tournament_ledger.domain.closing import settle
from services.tournament_ledger.domain.facts import SheetLine, SheetOpened
from services.tournament_ledger.domain.facts_deals import DealLapsed
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.purchases import release_where_no_hand_can_be_dealt
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import TablePlay, Tournament, TournamentState
from services.tournament_ledger.domain.under_way import can_be_dealt
from shared.kernel.errors import not_found, out_of_step


def open_sheet(steps: Steps, table_id: str, hand_number: int) -> None:
    """Close decision windows that are over, then freeze the stacks of the table's next hand.

    Asking again changes nothing for players who can be in the hand; who bought back meanwhile comes in addition. A
    tournament that is over gets no sheet, and no error either: its state is in the answer.
    """
    tournament = steps.tournament
    if tournament.state in {TournamentState.FINISHED, TournamentState.CANCELLED}:
        return
    tournament.need(TournamentState.RUNNING)
    settle(steps)
    tournament = steps.tournament
    if tournament.state is not TournamentState.RUNNING:
        return
    table = _next_hand_of(tournament, table_id, hand_number)
    if not can_be_dealt(table):
        release_where_no_hand_can_be_dealt(steps, table_id)
        tournament = steps.tournament
    lines = sheet_lines(tournament, table)
    if table.open_hand_number != hand_number or table.sheet != lines:
        steps.add(EntryKind.SHEET_OPENED, (SheetOpened(table_id, hand_number, lines),))
        if steps.tournament.deal is not None:  # chips will change: what was proposed is void
            steps.amend(DealLapsed(steps.tournament.deal.number))


def withdraw_sheet(steps: Steps, table_id: str, hand_number: int) -> None:
    """No hand is dealt from the open sheet for now: nothing is frozen until the next one is opened.

    Nothing where it is not open, as where the hand was recorded, or the tournament is over. No stack changes.
    """
    tournament = steps.tournament
    if tournament.state in {TournamentState.FINISHED, TournamentState.CANCELLED}:
        return
    tournament.need(TournamentState.RUNNING)
    table = tournament.tables.get(table_id)
    if table is not None and table.open_hand_number == hand_number and table.sheet:
        steps.add(EntryKind.SHEET_OPENED, (SheetOpened(table_id, hand_number, ()),))


def _next_hand_of(tournament: Tournament, table_id: str, hand_number: int) -> TablePlay:
    """The table, if this hand is its next one."""
    table = tournament.tables.get(table_id)
    if table is None:
        raise not_found("table", table_id)
    if table.match_over:
        raise out_of_step(f"hand {hand_number}", f"the next round: the match of table {table_id} is over")
    if hand_number != table.hand_number + 1:
        raise out_of_step(f"hand {hand_number}", f"hand {table.hand_number + 1} of table {table_id}")
    return table


def sheet_lines(tournament: Tournament, table: TablePlay) -> tuple[SheetLine, ...]:
    """Chips of everybody at the table, by seat; who can be in a hand under way keeps what it began with."""
    frozen = {line.player_id for line in table.sheet if line.chips} if can_be_dealt(table) else set[str]()
    return tuple(
        SheetLine(each.player_id, each.chips if each.player_id in frozen else each.stack_chips)
        for each in tournament.at_table(table.table_id)
    )
