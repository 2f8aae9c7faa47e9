"""A street that was dealt and never told: the hand was voided in between, as where nobody could order the boards.

A player is given the proofs of all cards that were dealt to the seat, and has no right to the dealer's record: so what
the next street gives to whom is worked out from what the table told before.
"""

from services.console.domain.fair_deal import STREETS, Dealt, StreetDone, deal_again, of_table
from services.console.domain.fair_record import CardSource, TableRecord, dealing_rules
from services.console.domain.fair_river import river_of
from shared.kernel.game import Street


def deal_untold(table: TableRecord, dealt: Dealt) -> Dealt | None:
    """The deal of a void hand with one street more than the table told; None where there can be none."""
    told = of_table(table.streets)
    if not table.voided or len(told) == len(STREETS):
        return None
    rules, street = dealing_rules(table.rules), STREETS[len(told)]
    live = tuple(seat for seat in table.seats if seat not in table.folded_seats)
    source = CardSource.STUB
    if street is Street.SEVENTH:
        source = river_of(rules, len(dealt.stub), len(dealt.burned), len(live)).source
    untold = StreetDone(street, () if source.common else live, source, live=live)
    return deal_again(table.seats, (*told, untold), rules, b"")
