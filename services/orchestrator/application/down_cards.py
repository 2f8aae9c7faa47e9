"""Down cards, in memory only: from the dealer's answers, and asked again with the same questions after a restart."""

from collections.abc import Iterable

from services.orchestrator.domain.dealing import StreetDeal
from services.orchestrator.domain.hand_facts import StreetDealt
from services.orchestrator.domain.visibility import DownCards
from services.orchestrator.ports import Dealer
from shared.kernel.cards import Card
from shared.kernel.game import Street


def down_cards_of(street: Street, deal: StreetDeal) -> dict[tuple[int, Street], tuple[Card, ...]]:
    """The down cards of one street by seat."""
    return {(each.seat, street): each.down_cards for each in deal.dealt if each.down_cards}


async def ask_again(dealer: Dealer, hand_id: str, dealt: Iterable[StreetDealt]) -> DownCards:
    """The down cards of the streets that were dealt: the dealer repeats its answers."""
    found: dict[tuple[int, Street], tuple[Card, ...]] = {}
    for street in dealt:
        if any(seat.down_count for seat in street.seats):
            seats = [seat.seat for seat in street.seats]
            found |= down_cards_of(street.street, await dealer.deal_street(hand_id, street.street, seats))
    return found
