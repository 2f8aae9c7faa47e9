"""Entering after play began, and entering again (rules 200, 201): a full stack, a drawn seat, never over the cap."""

from services.tournament_ledger.domain.accounts import AccountKind, chips_issued, player_chips, reserve
from services.tournament_ledger.domain.entries import check_spend_cap, late_entries_open
from services.tournament_ledger.domain.facts import PlayerEnteredLate, PlayerRegistered
from services.tournament_ledger.domain.facts_entries import PlaceNow, PlacesChanged
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import Posting, moving
from services.tournament_ledger.domain.prizes import fund_share
from services.tournament_ledger.domain.refusals import funds_insufficient
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament, TournamentState
from shared.kernel.errors import DomainError, Reason


def enter_late(steps: Steps, player_id: str) -> None:
    """Let a new player in with the full starting stack; the caller has checked places, cap and wallet (rule 200)."""
    before = steps.tournament
    entrants = before.entrants_count + 1
    fact = _entry(before, player_id, entrants, 0)
    steps.add(EntryKind.REGISTERED, (PlayerRegistered(player_id, entrants), fact), _postings(steps, fact))
    _say_places(steps, before)


def re_enter(steps: Steps, player_id: str, available_minor: int) -> None:
    """Let an excluded player in again; the price counts towards the cap like any purchase (rules 170, 201)."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    entrant = tournament.entrant(player_id)
    cause = _refusal(tournament, entrant)
    if cause:
        raise DomainError(Reason.RE_ENTRY_NOT_ALLOWED, f"no re-entry: {cause}", {"cause": cause})
    check_spend_cap(entrant.spent_minor, tournament.fee_minor, tournament.rules.tournament.spend_cap_minor)
    if available_minor < tournament.fee_minor:
        raise funds_insufficient(available_minor, tournament.fee_minor)
    fact = _entry(tournament, player_id, tournament.entrants_count, entrant.re_entries + 1)
    steps.add(EntryKind.RE_ENTERED, (fact,), _postings(steps, fact))
    _say_places(steps, tournament)


def _say_places(steps: Steps, before: Tournament) -> None:
    """Watchers were told places that are other ones now; that of who entered again is void."""
    now = steps.tournament.entrants
    moved = tuple(
        PlaceNow(each.player_id, now[each.player_id].place)
        for each in before.entrants.values()
        if 0 < each.place != now[each.player_id].place > 0
    )
    if moved:
        steps.amend(PlacesChanged(moved))


def _refusal(tournament: Tournament, entrant: Entrant) -> str:
    rules = tournament.rules.tournament
    causes = (
        (rules.re_entry_max_count == 0, "this tournament has no re-entries"),
        (tournament.late_closed, "entries ended when few places remained before the prizes"),
        (not late_entries_open(tournament), f"entries ended with level {rules.late_registration_last_level}"),
        (entrant.re_entries >= rules.re_entry_max_count, f"all {rules.re_entry_max_count} re-entries are used"),
        (entrant.state is not EntrantState.OUT, "the player is not out"),
    )
    return next((cause for broken, cause in causes if broken), "")


def _entry(tournament: Tournament, player_id: str, entrants: int, re_entries: int) -> PlayerEnteredLate:
    """What the entry brings; a second half is kept back only while its deadline is ahead (rule 167)."""
    rules = tournament.rules.tournament
    kept = rules.double_chance.offered and tournament.level <= rules.double_chance.last_level
    reserve_chips = rules.starting_stack_chips // 2 if kept else 0
    chips = rules.starting_stack_chips - reserve_chips
    return PlayerEnteredLate(player_id, entrants, re_entries, tournament.fee_minor, chips, reserve_chips)


def _postings(steps: Steps, fact: PlayerEnteredLate) -> tuple[Posting, ...]:
    tournament = steps.tournament
    share = fund_share(fact.price_minor, tournament.rules.tournament.prize_share_basis_points)
    purse, issued = steps.wallet(fact.player_id), chips_issued(tournament.tournament_id)
    return (
        *moving(purse, steps.money(AccountKind.PRIZE_FUND), share),
        *moving(purse, steps.money(AccountKind.HOUSE), fact.price_minor - share),
        *moving(issued, player_chips(tournament.tournament_id, fact.player_id), fact.chips),
        *moving(issued, reserve(tournament.tournament_id, fact.player_id), fact.reserve_chips),
    )
