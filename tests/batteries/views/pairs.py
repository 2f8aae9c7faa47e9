"""The same hand twice for one viewer, with other cards wherever the viewer does not see them."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from random import Random

from shared.kernel.cards import Card
from tests.batteries.hands.setups import plan_of
from tests.batteries.views.hand import Sent, deck_of, play


@dataclass(frozen=True, slots=True)
class Pair:
    """What was compared."""

    viewer_seat: int
    items: int
    changed: int
    """Cards that were others in the twin."""
    whole: bool
    """The hand had to the end no hand shown, or only cards that nobody ever sees were changed."""


def check_hand(number: int) -> tuple[Pair, Pair]:
    """Two twins of one hand; AssertionError with the first thing that differs."""
    return asyncio.run(_check(number))


async def _check(number: int) -> tuple[Pair, Pair]:
    plan, rng = plan_of(number), Random(f"twins {number}")
    viewer = rng.choice((0, *(each.seat for each in plan.setup.stacks)))
    deck = deck_of(plan)
    first = await play(number, viewer, deck)
    hidden = {at for at in range(len(deck)) if not _seen(first, at, {viewer})}
    early = await play(number, viewer, twin := _changed(deck, hidden, rng))
    _same(number, first.before_any_hand_is_shown(), early.before_any_hand_is_shown())
    never = {at for at in hidden if not _seen(first, at, {viewer, *first.live_seats})}
    whole = await play(number, viewer, other := _changed(deck, never, rng))
    _same(number, first.items, whole.items)
    assert first.history == whole.history, f"hand {number}: its history differs for seat {viewer}"
    return (
        Pair(viewer, len(first.before_any_hand_is_shown()), _others(deck, twin), whole=False),
        Pair(viewer, len(first.items), _others(deck, other), whole=True),
    )


def _seen(sent: Sent, position: int, seats: Collection[int]) -> bool:
    """Whether the card at this position lies up, or is one of these seats'."""
    return any(at == position and (up or seat in seats) for at, seat, up in sent.given)


def _changed(deck: tuple[Card, ...], hidden: Collection[int], rng: Random) -> tuple[Card, ...]:
    """The deck with the hidden cards in another order."""
    places = sorted(hidden)
    cards = [deck[at] for at in places]
    rng.shuffle(cards)
    changed = list(deck)
    for at, card in zip(places, cards, strict=True):
        changed[at] = card
    return tuple(changed)


def _others(deck: tuple[Card, ...], twin: tuple[Card, ...]) -> int:
    return sum(card != other for card, other in zip(deck, twin, strict=True))


def _same(
    number: int, first: tuple[tuple[str, bytes, bytes], ...], second: tuple[tuple[str, bytes, bytes], ...]
) -> None:
    for one, other in zip(first, second, strict=False):
        assert one[0] == other[0], f"hand {number}: {one[0]} became {other[0]}"
        assert one[1] == other[1], f"hand {number}: {one[0]} shows an unseen card"
        assert one[2] == other[2], f"hand {number}: the table after {one[0]} shows an unseen card"
    assert len(first) == len(second), f"hand {number}: {len(first)} events became {len(second)}"
