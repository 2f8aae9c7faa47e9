"""How a late entry or a re-entry changes a tournament, and the places that were given before it (rules 200, 201)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from services.tournament_ledger.domain.facts import PlayerEnteredLate
from services.tournament_ledger.domain.facts_entries import LateRegistrationClosed, PlacesChanged, SeatChosen
from services.tournament_ledger.domain.prizes import fund_share
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament, with_entrants


def entered_late(tournament: Tournament, fact: PlayerEnteredLate, _: datetime) -> Tournament:
    """One player more in play; who was excluded before has one more player above."""
    before = tournament.entrants.get(fact.player_id)
    again = before is not None and fact.re_entries > 0
    share = fund_share(fact.price_minor, tournament.rules.tournament.prize_share_basis_points)
    number = before.number if before else len(tournament.entrants) + 1
    entrant = before if before and again else Entrant(player_id=fact.player_id, number=number)
    entrant = replace(
        _fresh(entrant, fact),
        spent_minor=(entrant.spent_minor + fact.price_minor),
        house_minor=(entrant.house_minor + fact.price_minor - share),
    )
    worst = before.place if before and again else len(tournament.entrants) + 1
    moved = (each for each in _moved_down(tournament, worst) if each.player_id != fact.player_id)
    return replace(
        tournament,
        entrants=with_entrants(tournament.entrants, (*moved, entrant)),
        fund_minor=tournament.fund_minor + share,
        chips_total=tournament.chips_total + fact.chips + fact.reserve_chips,
    )


def _fresh(entrant: Entrant, fact: PlayerEnteredLate) -> Entrant:
    """In play with the chips of a new entry, without a seat and without a place."""
    return replace(
        entrant,
        state=EntrantState.PLAYING,
        chips=fact.chips,
        reserve_chips=fact.reserve_chips,
        pending_chips=0,
        pending_rebuys=0,
        place=0,
        decides_until=None,
        bust_hand=0,
        bust_chips=0,
        table_id="",
        seat=0,
        re_entries=fact.re_entries,
    )


def _moved_down(tournament: Tournament, worst: int) -> Iterator[Entrant]:
    """The excluded whose place is ``worst`` or better, each one place lower."""
    for entrant in tournament.entrants.values():
        if entrant.state is EntrantState.OUT and entrant.place <= worst:
            yield replace(entrant, place=entrant.place + 1)


def places_changed(tournament: Tournament, fact: PlacesChanged, _: datetime) -> Tournament:
    """What the late entry of the same journal entry made of places given before."""
    moved = (replace(tournament.entrants[each.player_id], place=each.place) for each in fact.places)
    return replace(tournament, entrants=with_entrants(tournament.entrants, moved))


def late_registration_closed(tournament: Tournament, _: LateRegistrationClosed, __: datetime) -> Tournament:
    """For good, whatever becomes of the players who are left."""
    return replace(tournament, late_closed=True)


def seat_chosen(tournament: Tournament, fact: SeatChosen, _: datetime) -> Tournament:
    """The last choice holds."""
    entrant = replace(tournament.entrants[fact.player_id], chosen_table=fact.table, chosen_seat=fact.seat)
    return replace(tournament, entrants=with_entrants(tournament.entrants, (entrant,)))
