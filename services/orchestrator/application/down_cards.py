"""Down cards, in memory only: from the dealer's answers, and asked again with the same questions after a restart."""

from collections.abc import Iterable, Iterator

from services.orchestrator.application.table_log import TableLog
from services.orchestrator.domain.dealing import Opening, StreetDeal
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.hand import HandSeat
from services.orchestrator.domain.hand_facts import StreetDealt
from services.orchestrator.domain.showing import is_known, own_cards
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.visibility import DownCards
from services.orchestrator.ports import Dealer
from shared.kernel.cards import Card
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street


def down_cards_of(street: Street, deal: StreetDeal) -> dict[tuple[int, Street], tuple[Card, ...] | bytes]:
    """The down cards of one street by seat, sealed where the seat has a key."""
    return {(each.seat, street): each.sealed_down_cards or each.down_cards for each in deal.dealt if each.down_count}


async def cards_to_show(dealer: Dealer, hand_id: str, seat: HandSeat, down_cards: DownCards) -> tuple[Card, ...]:
    """The seat's cards so far in deal order, for everybody to see: where they came sealed the dealer opens them now."""
    if is_known(seat, down_cards):
        return own_cards(seat, down_cards)
    openings = await dealer.get_openings(hand_id, seat.seat)
    return tuple(each.card for each in openings if each.seat == seat.seat)


async def cards_shown_now(dealer: Dealer, hand_id: str, seat: HandSeat, down_cards: DownCards) -> tuple[Card, ...]:
    """The same while the hand is played: the dealer opens sealed cards by a step, which its record tells for ever.

    So it does for cards that are not at hand: those of a hand that was over before this process started.
    """
    if is_known(seat, down_cards):
        return own_cards(seat, down_cards)
    try:
        opened = await dealer.open_cards(hand_id, (seat.seat,))
    except DomainError as refusal:
        if refusal.reason is not Reason.OUT_OF_STEP:
            raise
        return await cards_to_show(dealer, hand_id, seat, down_cards)  # the hand is over
    return next(each.cards for each in opened.hands if each.seat == seat.seat)


async def down_card_openings(dealer: Dealer, hand_id: str, seat: int) -> tuple[Opening, ...]:
    """The proofs of a seat's down cards."""
    openings = await dealer.get_openings(hand_id, seat)
    return tuple(each for each in openings if each.seat == seat and not each.face_up)


async def opened_down_cards(dealer: Dealer, hand_id: str, seat: int) -> DownCards:
    """The down cards of a seat that came sealed, by street, opened by the dealer."""
    found: dict[tuple[int, Street], tuple[Card, ...]] = {}
    for each in await down_card_openings(dealer, hand_id, seat):
        if each.street is not None:
            found[seat, each.street] = (*found.get((seat, each.street), ()), each.card)
    return found


async def recalled(log: TableLog, dealer: Dealer, table: Table) -> DownCards:
    """All down cards of the hand that the table has, as far as they were dealt then."""
    if table.hand is None:
        return {}
    before = table.hand.first_version - 1
    events = await log.events(table.table_id, before, table.version - before)
    return await ask_again(dealer, table.hand.hand_id, _streets(events))


def _streets(events: Iterable[Recorded]) -> Iterator[StreetDealt]:
    return (event.fact for event in events if isinstance(event.fact, StreetDealt))


async def ask_again(dealer: Dealer, hand_id: str, dealt: Iterable[StreetDealt]) -> DownCards:
    """The down cards of the streets that were dealt: the dealer repeats its answers."""
    found: dict[tuple[int, Street], tuple[Card, ...] | bytes] = {}
    for street in dealt:
        if any(seat.down_count for seat in street.seats):
            seats = [seat.seat for seat in street.seats]
            found |= down_cards_of(street.street, await dealer.deal_street(hand_id, street.street, seats))
    return found
