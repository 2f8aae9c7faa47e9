"""Cards chosen beforehand, for replays and tests. Everything but the places of cards is the real code path.

Just before a street is dealt, each card that the script wants on it is swapped into the place it will be dealt from.
Cards that the script leaves open never take a card that it still needs; a burn does so only when no other card is left,
and gives it back when its turn comes.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from services.dealer.domain.streets import COMMON_SEAT, Deal, Dealing
from shared.kernel.cards import FACE_DOWN, Card, card_text
from shared.kernel.errors import DomainError, Reason

Deck = tuple[Card, ...]
CARDS_OF_A_SEAT = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedSeat:
    """The cards of a seat in the order it gets them; a face-down card where any will do."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Cards by seat, and the common card if one has to be turned."""

    seats: tuple[ScriptedSeat, ...] = ()
    common_card: Card | None = None

    def wanted(self, seat: int, number: int) -> Card | None:
        """The card that a seat wants as its card of that number (from 0), or None where any will do."""
        if seat == COMMON_SEAT:
            return _known(self.common_card)
        cards = next((each.cards for each in self.seats if each.seat == seat), ())
        return _known(cards[number]) if number < len(cards) else None

    def known(self) -> tuple[Card, ...]:
        """Every card that the script names."""
        own = (card for seat in self.seats for card in seat.cards)
        return tuple(card for card in (*own, self.common_card) if _known(card) is not None and card is not None)


def _known(card: Card | None) -> Card | None:
    return None if card is None or card == FACE_DOWN else card


def _impossible(message: str, expected: str) -> DomainError:
    text = f"the script cannot be dealt: {message}; {expected}"
    return DomainError(Reason.CARDS_INVALID, text, {"expected": expected})


def check_script(script: Script, seats: Iterable[int]) -> None:
    """Refuse, when the hand is opened, a script that no deal can follow."""
    scripted = [each.seat for each in script.seats]
    strangers = sorted(set(scripted) - set(seats))
    if strangers:
        raise _impossible(f"seat {strangers[0]} is not dealt in", "script only seats that are dealt in")
    if len(scripted) != len(set(scripted)):
        raise _impossible("a seat stands twice", "name each seat once")
    if any(len(each.cards) > CARDS_OF_A_SEAT for each in script.seats):
        raise _impossible("a seat has more than seven cards", "give a seat at most 7 cards")
    known = script.known()
    if any(not 1 <= card <= FACE_DOWN for each in script.seats for card in each.cards):
        raise _impossible("a card is not set", "write 53 (face down) where any card will do")
    doubled = sorted({card for card in known if known.count(card) > 1})
    if doubled:
        raise _impossible(f"{card_text(doubled[0])} stands twice", "name each card once")
    own_river = any(script.wanted(each.seat, CARDS_OF_A_SEAT - 1) for each in script.seats)
    if own_river and _known(script.common_card):
        raise _impossible("it has a common card and seventh cards", "script the one or the other, never both")


def bring(deck: Deck, card: Card, position: int) -> Deck:
    """The deck with a card at that position, and what lay there where the card was."""
    order = list(deck)
    other = deck.index(card)
    order[position], order[other] = order[other], order[position]
    return tuple(order)


def arrange(deck: Deck, script: Script, dealing: Dealing, deal: Deal, live: tuple[int, ...]) -> Deck:
    """The deck with the wanted cards of one street in their places and no needed card in any other place of it."""
    _check_river(script, deal, live)
    wanted = _wanted_places(script, dealing, deal)
    for position, card in wanted.items():
        deck = bring(deck, card, position)
    costs = _costs(script, dealing, deal, live)
    places = [each.position for each in deal.given]
    for position in (place for place in places if place not in wanted):
        deck, cost = _spared(deck, position, _elsewhere(dealing, places), costs)
        if cost == NEEDED:
            raise _impossible("every card left is needed later", "leave more cards open")
    for position in deal.burned:
        deck, _ = _spared(deck, position, _elsewhere(dealing, deal.positions), costs)
    return deck


def _elsewhere(dealing: Dealing, places: Container[int]) -> list[int]:
    """The positions that are not dealt yet, burned ones included, but for those places."""
    return [position for position in (*dealing.stub, *dealing.burned) if position not in places]


def _check_river(script: Script, deal: Deal, live: tuple[int, ...]) -> None:
    """Common card and own cards must be what the deck really brings (CARDS_INVALID at the street)."""
    if deal.given and deal.given[0].seat == COMMON_SEAT:
        owners = [seat for seat in live if script.wanted(seat, CARDS_OF_A_SEAT - 1)]
        if owners:
            expected = "leave the seventh card of every live seat open and script the common card"
            raise _impossible(f"one common card is turned here, but seat {owners[0]} has a seventh card", expected)
    elif deal.given and _river(deal) and _known(script.common_card):
        raise _impossible("every seat gets a card of its own here", "leave the common card open")


def _river(deal: Deal) -> bool:
    return not deal.given[0].face_up and deal.given[0].street != "THIRD"


def _wanted_places(script: Script, dealing: Dealing, deal: Deal) -> dict[int, Card]:
    counts = _counts(dealing)
    wanted: dict[int, Card] = {}
    for given in deal.given:
        number = counts.get(given.seat, 0)
        counts[given.seat] = number + 1
        card = script.wanted(given.seat, number)
        if card is not None:
            wanted[given.position] = card
    return wanted


def _counts(dealing: Dealing) -> dict[int, int]:
    counts: dict[int, int] = {}
    for given in dealing.given:
        counts[given.seat] = counts.get(given.seat, 0) + 1
    return counts


FREE, RELEASED, NEEDED = 0, 1, 2


def _costs(script: Script, dealing: Dealing, deal: Deal, live: tuple[int, ...]) -> dict[Card, int]:
    """What it costs the script when a card is used up: nothing, a card of a seat that folded, or a card it needs."""
    costs = dict.fromkeys(script.known(), RELEASED)
    counts = _counts(dealing)
    for seat in (*live, COMMON_SEAT):
        for number in range(counts.get(seat, 0), CARDS_OF_A_SEAT):
            card = script.wanted(seat, number)
            if card is not None:
                costs[card] = NEEDED
    for card in _wanted_places(script, dealing, deal).values():
        costs[card] = RELEASED
    return costs


def _spared(deck: Deck, position: int, spare: list[int], costs: dict[Card, int]) -> tuple[Deck, int]:
    """The deck with the cheapest card at a place where any card will do, and what it cost."""
    current = costs.get(deck[position], FREE)
    if current == FREE or not spare:
        return deck, current
    best = min(spare, key=lambda place: costs.get(deck[place], FREE))
    cost = costs.get(deck[best], FREE)
    return (bring(deck, deck[best], position), cost) if cost < current else (deck, current)
