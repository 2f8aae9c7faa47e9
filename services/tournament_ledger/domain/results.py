"""Whether the result of a hand fits the sheet it began with and keeps every chip (cases O-52, O-53)."""

from collections.abc import Mapping, Sequence

from services.tournament_ledger.domain.accounts import Account
from services.tournament_ledger.domain.amounts import AMOUNT_MAX, invalid
from services.tournament_ledger.domain.facts import HandRecorded, HandResult, SheetLine
from services.tournament_ledger.domain.refusals import chips_not_conserved
from shared.kernel.errors import out_of_step


def check_open(open_hand_number: int, hand_number: int, recorded: int) -> None:
    """The hand must be the one whose sheet is open."""
    if open_hand_number != hand_number:
        expected = f"hand {open_hand_number}" if open_hand_number else f"OpenSheet of hand {recorded + 1} first"
        raise out_of_step(f"the result of hand {hand_number}", expected)


def check_results(hand: HandRecorded, sheet: Sequence[SheetLine]) -> None:
    """Everybody dealt in began with the chips of the sheet, and no chip is made or lost."""
    if len({each.player_id for each in hand.results}) < len(hand.results):
        raise invalid("results", "each player once")
    starts = {line.player_id: line.chips for line in sheet if line.chips}
    for each in hand.results:
        if starts.get(each.player_id) != each.before_chips:
            known = starts.get(each.player_id, 0)
            raise out_of_step(f"{each.before_chips} chips of {each.player_id}", f"{known} as on the sheet")
    before = sum(each.before_chips for each in hand.results)
    after = sum(each.after_chips for each in hand.results) + hand.rake_chips
    if before != after or after > AMOUNT_MAX:
        raise chips_not_conserved(before, after)
    if hand.voided and any(each.before_chips != each.after_chips for each in hand.results):
        raise chips_not_conserved(before, after)


def distribution(
    results: Sequence[HandResult], accounts: Mapping[str, Account]
) -> tuple[dict[Account, int], dict[Account, int]]:
    """Chips by account, before and after the hand."""
    before = {accounts[each.player_id]: each.before_chips for each in results}
    after = {accounts[each.player_id]: each.after_chips for each in results}
    return before, after
