"""Announcing, registering and withdrawing (rules 160, 169-170, 200)."""

from services.tournament_ledger.domain.accounts import AccountKind, of_tournament, outside
from services.tournament_ledger.domain.entries import check_spend_cap, late_entries_open
from services.tournament_ledger.domain.facts import PlayerRegistered, PlayerUnregistered, TournamentAnnounced
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.late_entry import enter_late
from services.tournament_ledger.domain.posting import moving
from services.tournament_ledger.domain.refusals import funds_insufficient, not_registered
from services.tournament_ledger.domain.steps import Draft, Steps
from services.tournament_ledger.domain.tournament import EntrantState, Tournament, TournamentState
from shared.kernel.errors import DomainError, Reason


def announce(fact: TournamentAnnounced) -> Draft:
    """The first entry of a tournament's book; the organiser fills the bonus fund (rule 179)."""
    fee = fact.announcement.fee
    fund = of_tournament(AccountKind.BONUS_FUND, fact.tournament_id, fee.currency)
    postings = moving(outside(fee.currency), fund, fact.announcement.bonus_fund_minor)
    return Draft(EntryKind.TOURNAMENT_ANNOUNCED, (fact,), postings)


def register(steps: Steps, player_id: str, available_minor: int) -> None:
    """Take the fee into escrow and the player into the list; refused before any money moves."""
    tournament = steps.tournament
    late = tournament.state is TournamentState.RUNNING and late_entries_open(tournament)
    if not late:
        need_registration(tournament)
    before = tournament.entrants.get(player_id)
    if before is not None and before.state is not EntrantState.WITHDRAWN:
        message = f"player {player_id} is registered already"
        raise DomainError(Reason.ALREADY_REGISTERED, message, {"player_id": player_id})
    most = tournament.announcement.entrants_max
    entrants = tournament.entrants_count
    if entrants >= most:
        raise DomainError(Reason.TOURNAMENT_FULL, f"all {most} places are taken", {"entrants_max": str(most)})
    fee = tournament.fee_minor
    check_spend_cap(0, fee, tournament.rules.tournament.spend_cap_minor)
    if available_minor < fee:
        raise funds_insufficient(available_minor, fee)
    if late:
        enter_late(steps, player_id)
        return
    postings = moving(steps.wallet(player_id), steps.money(AccountKind.TOURNAMENT_ESCROW), fee)
    steps.add(EntryKind.REGISTERED, (PlayerRegistered(player_id, entrants + 1),), postings)


def unregister(steps: Steps, player_id: str) -> None:
    """Give the fee back and take the player off the list."""
    tournament = steps.tournament
    need_registration(tournament)
    if tournament.entrant(player_id).state is not EntrantState.REGISTERED:
        raise not_registered(player_id)
    fact = PlayerUnregistered(player_id, tournament.entrants_count - 1)
    postings = moving(steps.money(AccountKind.TOURNAMENT_ESCROW), steps.wallet(player_id), tournament.fee_minor)
    steps.add(EntryKind.UNREGISTERED, (fact,), postings)


def need_registration(tournament: Tournament) -> None:
    """Refuse once play began, or the tournament was cancelled."""
    if tournament.state is not TournamentState.REGISTERING:
        message = f"registration is closed: the tournament is {tournament.state}"
        raise DomainError(Reason.REGISTRATION_CLOSED, message, {"state": tournament.state})
