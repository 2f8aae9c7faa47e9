"""Start of play: registration ends, money becomes prize fund and fee, chips are issued (rules 158-160, 173)."""

from collections.abc import Sequence

from services.tournament_ledger.domain.accounts import AccountKind, chips_issued, player_chips, reserve
from services.tournament_ledger.domain.amounts import invalid
from services.tournament_ledger.domain.closing import cancel, fix_prizes
from services.tournament_ledger.domain.entries import purchases_closed
from services.tournament_ledger.domain.facts import SeatAssignment, SeatsDrawn, TournamentStarted
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import Posting, moving
from services.tournament_ledger.domain.prizes import fund_share, prize_table, round_sizes, top_prize_holds
from services.tournament_ledger.domain.rounds import end_byes
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament, TournamentState
from shared.kernel.errors import FieldViolation
from shared.kernel.rules import TopPrizeFix
from shared.kernel.rules.validation import refuse_rules


def start_play(steps: Steps, seats: Sequence[SeatAssignment], draw_id: str) -> None:
    """Begin play with everybody seated; with fewer than the least entrants everybody gets the money back instead."""
    tournament = steps.tournament
    tournament.need(TournamentState.REGISTERING)
    least = tournament.announcement.entrants_min
    if tournament.entrants_count < least:
        cancel(steps, f"{tournament.entrants_count} entrants, {least} are needed")
        return
    entrants = [each for each in tournament.entrants.values() if each.state is EntrantState.REGISTERED]
    _check_seats(tournament, seats, {each.player_id for each in entrants})
    _check_top_prize(tournament, len(entrants))
    postings = tuple(posting for each in entrants for posting in _start_postings(steps, each))
    started = TournamentStarted(tuple(each.player_id for each in entrants))
    steps.add(EntryKind.TOURNAMENT_STARTED, (started, SeatsDrawn(tuple(seats), draw_id)), postings)
    end_byes(steps)
    if purchases_closed(steps.tournament):
        fix_prizes(steps)


def _start_postings(steps: Steps, entrant: Entrant) -> tuple[Posting, ...]:
    """One entry's money out of escrow, and its chips."""
    tournament = steps.tournament
    rules = tournament.rules.tournament
    fee, stack = tournament.fee_minor, rules.starting_stack_chips
    share = fund_share(fee, rules.prize_share_basis_points)
    kept_back = stack // 2 if rules.double_chance.offered else 0
    escrow = steps.money(AccountKind.TOURNAMENT_ESCROW)
    issued, player_id = chips_issued(tournament.tournament_id), entrant.player_id
    return (
        *moving(escrow, steps.money(AccountKind.PRIZE_FUND), share),
        *moving(escrow, steps.money(AccountKind.HOUSE), fee - share),
        *moving(issued, player_chips(tournament.tournament_id, player_id), stack - kept_back),
        *moving(issued, reserve(tournament.tournament_id, player_id), kept_back),
    )


def _check_seats(tournament: Tournament, seats: Sequence[SeatAssignment], players: set[str]) -> None:
    """Everybody who is registered sits in one seat of their own, and nobody else does (rule 187)."""
    seated = [each.player_id for each in seats]
    if len(set(seated)) < len(seated):
        raise invalid("seats", "each player once")
    if set(seated) != players:
        raise invalid("seats", f"exactly the {len(players)} players who are registered")
    if len({(each.table_id, each.seat) for each in seats}) < len(seats):
        raise invalid("seats", "each seat once")
    most = tournament.announcement.seats_per_table
    if any(not 1 <= each.seat <= most for each in seats):
        raise invalid("seats.seat", f"1 to {most}, the seats of a table of this tournament")


def _check_top_prize(tournament: Tournament, entrants: int) -> None:
    """Refuse to start where the best prize would not exceed the fee and the rules do not mend it (rule 175).

    Later purchases only raise the fund, so what holds now holds until the table is frozen.
    """
    rules = tournament.rules.tournament
    if rules.top_prize_fix is not TopPrizeFix.REFUSE:
        return
    fee = tournament.fee_minor
    fund = max(fund_share(fee, rules.prize_share_basis_points) * entrants, rules.guarantee_minor)
    sizes = round_sizes(entrants, tournament.announcement.seats_per_table, rules)
    if not top_prize_holds(prize_table(fund, entrants, fee, rules, sizes), fee, rules):
        allowed = f"a first prize above the fee of {fee}: with {entrants} entrants the prize_rows do not give one"
        refuse_rules((FieldViolation("tournament_id", allowed),))
