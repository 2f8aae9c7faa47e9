"""Rebuys, the add-on and the release of a second chance (rules 161-168)."""

from dataclasses import replace

from services.tournament_ledger.domain.accounts import AccountKind, chips_issued, player_chips, reserve
from services.tournament_ledger.domain.entries import add_on_chips, check_rebuy, rebuy_chips_below
from services.tournament_ledger.domain.facts import (
    ChipsPurchased,
    PurchaseKind,
    PurchaseReturned,
    SecondChanceReleased,
)
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import Posting, moving
from services.tournament_ledger.domain.prizes import fund_share
from services.tournament_ledger.domain.refusals import funds_insufficient
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Entrant, TournamentState
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import DoubleChanceRelease


def rebuy(steps: Steps, player_id: str, available_minor: int) -> None:
    """Buy the starting stack again for the fee; the chips come with the next sheet."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    entrant = tournament.entrant(player_id)
    check_rebuy(tournament, entrant, steps.now)
    fact = ChipsPurchased(
        player_id, PurchaseKind.REBUY, tournament.fee_minor, tournament.rules.tournament.starting_stack_chips
    )
    _buy(steps, EntryKind.REBOUGHT, fact, available_minor)


def buy_add_on(steps: Steps, player_id: str, price_minor: int, available_minor: int) -> None:
    """Buy chips in proportion to the price, once; they come with the next sheet."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    chips = add_on_chips(tournament, tournament.entrant(player_id), price_minor)
    fact = ChipsPurchased(player_id, PurchaseKind.ADD_ON, price_minor, chips)
    _buy(steps, EntryKind.ADDED_ON, fact, available_minor)


def _buy(steps: Steps, kind: EntryKind, fact: ChipsPurchased, available_minor: int) -> None:
    if available_minor < fact.price_minor:
        raise funds_insufficient(available_minor, fact.price_minor)
    steps.add(kind, (fact,), _purchase_postings(steps, fact.player_id, fact.price_minor, fact.chips))


def _purchase_postings(steps: Steps, player_id: str, price_minor: int, chips: int) -> tuple[Posting, ...]:
    share = fund_share(price_minor, steps.tournament.rules.tournament.prize_share_basis_points)
    purse = steps.wallet(player_id)
    tournament_id = steps.tournament.tournament_id
    return (
        *moving(purse, steps.money(AccountKind.PRIZE_FUND), share),
        *moving(purse, steps.money(AccountKind.HOUSE), price_minor - share),
        *moving(chips_issued(tournament_id), player_chips(tournament_id, player_id), chips),
    )


def return_rebuys(steps: Steps, player_id: str) -> None:
    """Drop what was asked for during a hand by a player who has too many chips after it (rule 163)."""
    while steps.tournament.entrants[player_id].pending_rebuys:
        tournament = steps.tournament
        price, chips = tournament.fee_minor, tournament.rules.tournament.starting_stack_chips
        if _fits_without(steps, tournament.entrants[player_id], chips):
            return
        postings = _purchase_postings(steps, player_id, price, chips)
        back = tuple(Posting(each.to_account, each.from_account, each.amount) for each in postings)
        fact = PurchaseReturned(player_id, PurchaseKind.REBUY, price, chips)
        steps.add(EntryKind.PURCHASE_RETURNED, (fact,), back)


def _fits_without(steps: Steps, entrant: Entrant, chips: int) -> bool:
    """Whether the rebuy would still be allowed: judged without its own chips."""
    return rebuy_chips_below(steps.tournament, replace(entrant, pending_chips=entrant.pending_chips - chips))


def release(steps: Steps, player_id: str) -> None:
    """Bring the second half of a double chance into play with the next sheet (rules 167-168)."""
    tournament = steps.tournament
    chips = tournament.entrants[player_id].reserve_chips
    tournament_id = tournament.tournament_id
    postings = moving(reserve(tournament_id, player_id), player_chips(tournament_id, player_id), chips)
    steps.add(EntryKind.SECOND_CHANCE_RELEASED, (SecondChanceReleased(player_id, chips),), postings)


def release_on_request(steps: Steps, player_id: str) -> None:
    """Bring the second half into play because the player asks for it, where the rules let players ask (C39)."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    entrant = tournament.entrant(player_id)
    terms = tournament.rules.tournament.double_chance
    if terms.release is not DoubleChanceRelease.ON_REQUEST_OR_BUST_OR_DEADLINE or not entrant.reserve_chips:
        cause = "these rules release it without being asked" if entrant.reserve_chips else "there is no reserve left"
        raise DomainError(Reason.OUT_OF_STEP, f"no release: {cause}", {"step": "release", "expected": cause})
    release(steps, player_id)


def release_at_deadline(steps: Steps) -> None:
    """Bring every second half into play when the level of the deadline is over."""
    terms = steps.tournament.rules.tournament.double_chance
    if terms.offered and steps.tournament.level > terms.last_level:
        _release_all(steps)


def release_where_nobody_can_play(steps: Steps) -> None:
    """Where no two players have chips, the halves kept until a deadline come at once, or no hand could be dealt."""
    left = steps.tournament.remaining()
    if sum(each.stack_chips > 0 for each in left) < 2 <= sum(_has_any(each) for each in left):  # noqa: PLR2004 - a hand needs two
        _release_all(steps)


def release_where_no_hand_can_be_dealt(steps: Steps, table_id: str) -> None:
    """The same at one table of several, or it would stand still until the deadline and hold up all the others."""
    sitting = steps.tournament.at_table(table_id)
    if sum(each.stack_chips > 0 for each in sitting) < 2 <= sum(_has_any(each) for each in sitting):  # noqa: PLR2004 - a hand needs two
        for entrant in sitting:
            if entrant.reserve_chips:
                release(steps, entrant.player_id)


def _has_any(entrant: Entrant) -> bool:
    return entrant.stack_chips + entrant.reserve_chips > 0


def _release_all(steps: Steps) -> None:
    for entrant in steps.tournament.remaining():
        if entrant.reserve_chips:
            release(steps, entrant.player_id)
