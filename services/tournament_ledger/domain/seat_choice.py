"""Choosing the seat of the first hand, where the rules let players choose (rule 187)."""

from services.tournament_ledger.domain.amounts import invalid
from services.tournament_ledger.domain.facts_entries import SeatChosen
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.refusals import not_registered, seat_taken
from services.tournament_ledger.domain.registration import need_registration
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import EntrantState, Tournament
from shared.kernel.errors import FieldViolation
from shared.kernel.rules import StartSeats
from shared.kernel.rules.validation import refuse_rules


def choose_seat(steps: Steps, player_id: str, table: int, seat: int) -> None:
    """Take a seat that nobody has chosen; table and seat 0 leave it to the lots again."""
    tournament = steps.tournament
    need_registration(tournament)
    if tournament.rules.tournament.start_seats is not StartSeats.CHOSEN:
        why = "this tournament draws its seats: only one announced with start_seats CHOSEN lets players choose"
        refuse_rules((FieldViolation("tournament_id", why),))
    entrant = tournament.entrant(player_id)
    if entrant.state is not EntrantState.REGISTERED:
        raise not_registered(player_id)
    if (table, seat) != (0, 0):
        _check(tournament, table, seat)
        others = (each for each in tournament.entrants.values() if each.player_id != player_id)
        if any((each.chosen_table, each.chosen_seat) == (table, seat) for each in others):
            raise seat_taken(seat)
    if (entrant.chosen_table, entrant.chosen_seat) != (table, seat):
        steps.add(EntryKind.SEAT_CHOSEN, (SeatChosen(player_id, table, seat),))


def _check(tournament: Tournament, table: int, seat: int) -> None:
    terms = tournament.announcement
    tables = -(-terms.entrants_max // terms.seats_per_table)
    if not 1 <= table <= tables:
        raise invalid("table", f"1 to {tables}, the tables that all entrants would need; or 0 with seat 0 for the lots")
    if not 1 <= seat <= terms.seats_per_table:
        raise invalid("seat", f"1 to {terms.seats_per_table}, the seats of a table; or 0 with table 0 for the lots")
