"""A checked hand in words: what was proved, card by card, and what stays hidden."""

from collections.abc import Iterator

from services.console.domain.fair_check import Proven
from services.console.domain.fair_record import Evidence
from services.console.domain.printable import printable
from shared.kernel.cards import DECK_SIZE, Card, card_text
from shared.kernel.game import Street


def told(evidence: Evidence, proven: Proven) -> list[str]:
    """The report, line by line."""
    lines = [f"{title(evidence)}: PROVED, {len(proven.cards)} cards"]
    lines += [f"  {line}" for line in proven.lines]
    lines += [f"  {line}" for line in _cards(proven)]
    lines += [f"  hidden: {line}" for line in _hidden(proven)]
    lines += [f"  not proved: {line}" for line in proven.limits]
    return lines


def title(evidence: Evidence) -> str:
    """The hand by its names."""
    named = evidence.record or evidence.table
    if named is None:
        return "own openings"
    hand_id, table_id = printable(named.hand_id), printable(named.table_id)
    return f"hand {hand_id}, number {named.hand_number} at table {table_id}"


def _cards(proven: Proven) -> Iterator[str]:
    """A line for each seat with proved cards, in deal order; down cards in brackets."""
    seats = sorted({place.seat for place, _ in proven.cards.values()})
    for seat in seats:
        own = [
            (place.street, position, card, place.face_up)
            for position, (place, card) in proven.cards.items()
            if place.seat == seat
        ]
        own.sort(key=lambda each: (list(Street).index(each[0]), each[1]))
        yield f"{_name(seat)}: {' '.join(_written(card, face_up=up) for _, _, card, up in own)}"


def _name(seat: int) -> str:
    return f"seat {seat}" if seat else "common card"


def _written(card: Card, *, face_up: bool) -> str:
    return card_text(card) if face_up else f"({card_text(card)})"


def _hidden(proven: Proven) -> Iterator[str]:
    """What nobody else will ever see."""
    down: dict[int, int] = {}
    for position, place in proven.dealt.places.items():
        if position not in proven.cards:
            down[place.seat] = down.get(place.seat, 0) + 1
    if down:
        yield ", ".join(f"{count} down cards of seat {seat}" for seat, count in sorted(down.items()))
    rest = DECK_SIZE - len(set(proven.dealt.places) | set(proven.cards))
    yield f"{rest} cards that were burned or never dealt"
