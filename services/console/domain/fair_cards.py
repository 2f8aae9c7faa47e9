"""What no honest deck is: a card in it twice, a seat dealt in twice, entropy that nobody at the table added.

A tree of hashes can be grown over any cards. The proofs alone do not say that a deck was one of 52, and of what stays
hidden this does not either.
"""

from collections.abc import Collection, Mapping, Sequence

from services.console.domain.fair_deal import Place
from services.console.domain.fair_record import DealerRecord, require
from shared.kernel.cards import DECK_SIZE, Card, card_text

SEATS_MAX = 8


def check_cards(cards: Mapping[int, tuple[Place, Card]]) -> None:
    """Every proved card is one of the 52, and each was dealt once."""
    where: dict[Card, Place] = {}
    for place, card in cards.values():
        require(0 < card <= DECK_SIZE, f"seat {place.seat} got something that is no card")
        first = where.setdefault(card, place)
        require(first is place, f"{card_text(card)} was dealt twice, to seats {first.seat} and {place.seat}")


def check_seats(record: DealerRecord) -> None:
    """Each seat was dealt in once, and entropy came once from seats that were."""
    require(record.hand_number > 0, "hands are numbered from 1")
    require(_each_once(record.seats), "a seat was dealt in twice")
    require(all(0 < seat <= SEATS_MAX for seat in record.seats), f"seats are 1 to {SEATS_MAX}")
    added = [each.seat for each in record.entropy]
    require(_each_once(added) and set(added) <= set(record.seats), "entropy came twice, or from a seat not dealt in")


def may_hold(
    here: Collection[Place],
    cards: Sequence[Card],
    proved: Mapping[int, tuple[Place, Card]],
    places: Mapping[int, Place],
) -> bool:
    """The cards are proved ones of these places, and no more others than are hidden there, which nobody else has."""
    own = {card for place, card in proved.values() if place in here}
    others = {card for place, card in proved.values() if place not in here}
    hidden = sum(place in here and position not in proved for position, place in places.items())
    unproved = set(cards) - own
    return len(set(cards)) == len(cards) and len(unproved) <= hidden and not unproved & others


def check_whole(places: Mapping[int, Place], seat: int, opened: Sequence[int]) -> None:
    """A seat's own openings are of all cards that were dealt to it."""
    missing = sum(place.seat == seat and position not in opened for position, place in places.items())
    require(not missing, f"{missing} cards that were dealt to seat {seat} are not among its openings")


def _each_once(seats: Sequence[int]) -> bool:
    return len(set(seats)) == len(seats)
