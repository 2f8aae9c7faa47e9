"""F7: stakes, names and players have no way into a deck; what is bound into it gives decks that are independent."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

from google.protobuf.descriptor import Descriptor
from sevenstud.dealer.v1.dealer_service_pb2 import OpenHandRequest

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.commitment import fix_deck
from shared.kernel.rules.presets import PRESETS
from tests.fairness.battery.rows import Row, Sizes, at_most, row
from tests.fairness.limits import largest_of
from tests.support.dealer_hands import a_command

HANDS = 10_000
FOREIGN = ("player", "name", "stack", "minor", "stakes", "level", "money", "balance")


def fields_of(message: Descriptor, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Every field of a message and of the messages in it."""
    for field in message.fields:
        yield field.name
        inner = field.message_type
        if inner is not None and inner.full_name not in seen:
            yield from fields_of(inner, seen | {message.full_name, inner.full_name})


def rows(sizes: Sizes) -> Iterator[Row]:
    """What the dealer is told, and what the rest of it does to a deck."""
    told = list(fields_of(OpenHandRequest.DESCRIPTOR))
    foreign = [name for name in told if any(word in name for word in FOREIGN)]
    what = f"stakes, chips or players among the {len(told)} fields told to the dealer"
    yield row("F7", what, "0", ", ".join(foreign) or "0", holds=not foreign)
    yield from seed_rows(sizes.of(HANDS, least=1_000))


def seed_rows(hands: int) -> Iterator[Row]:
    """The same seed for the same hand, and for a hand with other seats and other rules."""
    entropy, terms = SystemEntropy(), a_command(8).terms()
    other = replace(
        a_command(5).terms(), rules_digest=replace(a_command(5), rules=PRESETS["classic"].hand).terms().rules_digest
    )
    same = agreeing = 0
    for _ in range(hands):
        seed = entropy.seed()
        deck = fix_deck(terms, seed, ()).cards
        same += deck == fix_deck(terms, seed, ()).cards
        agreeing += sum(one == two for one, two in zip(deck, fix_deck(other, seed, ()).cards, strict=True))
    yield row(
        "F7", f"the same seed and hand, {hands:,} times", f"{hands:,} equal decks", f"{same:,}", holds=same == hands
    )
    off = abs(agreeing - hands) / sqrt(hands)
    yield at_most("F7", "the same seed, other seats and rules: agreeing places, deviations", off, largest_of(1))
