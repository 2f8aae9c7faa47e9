"""F8: the reshuffle of stub and burned cards is fair, comes from the committed seed, and a stranger can redo it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import factorial
from typing import Any

from sevenstud.dealer.v1.dealer_service_pb2 import GetProofResponse

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.commitment import fix_deck, seed_commitment
from services.dealer.domain.hand import STREETS, CardSource
from services.dealer.domain.opening import opened
from services.dealer.domain.proof import proof_of
from services.dealer.domain.shuffle import SHUFFLE_VERSION
from services.dealer.domain.streets import Dealing, after_deal, plan_deal, undealt
from shared.rpc.mirror import to_proto
from tests.fairness import auditor, verifier
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, between, row
from tests.fairness.limits import chi_square
from tests.fairness.records import as_json
from tests.fairness.statistics import orders_statistic
from tests.support.dealer_hands import AT, a_command

CASES = 100_000
PORTION = 2_500
PROFILES = {4: (8, 8, 8), 6: (8, 8, 6)}
"""Cards left, stub and burned ones together, and who is live on fourth, fifth and sixth street of eight seats."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """Some forced reshuffles."""

    orders: Counter[tuple[int, ...]]
    """In which order the cards left came."""
    redone: int
    """How many of them the stand-alone verifier found to be the same from the committed seed."""


def before_the_river(profile: tuple[int, ...]) -> Dealing:
    """The deal of eight seats up to sixth street."""
    command = a_command(8)
    dealing = undealt(command.seats)
    for street, live in zip(STREETS, (8, *profile), strict=False):
        seats = command.seats[:live]
        dealing = after_deal(dealing, plan_deal(dealing, street, seats, command.terms().rules, b""), seats)
    return dealing


def reshuffle(left: int, first: int, count: int) -> Mixed:
    """Hands in which the river is dealt from so many cards left, to one seat fewer than that."""
    dealing, command, entropy = before_the_river(PROFILES[left]), a_command(8), SystemEntropy()
    pile = dealing.stub + dealing.burned
    assert len(pile) == left
    mixed, redone = Counter[tuple[int, ...]](), 0
    live = command.seats[: left - 1]
    template = _record(first)
    for number in range(first, first + count):
        seed = entropy.seed()
        terms = replace(command.terms(), hand_id=f"hand-{number}", hand_number=number + 1)
        deal = plan_deal(dealing, STREETS[-1], live, terms.rules, fix_deck(terms, seed, ()).river_key)
        assert deal.source is CardSource.RESHUFFLED_STUB_AND_BURNS
        line = (*deal.positions, *(set(pile) - set(deal.positions)))
        mixed[tuple(pile.index(position) for position in line)] += 1
        redone += _redone(template, number, seed, pile) == list(line)
    return Mixed(mixed, redone)


def _record(number: int) -> dict[str, Any]:
    """The public record of such a hand, as a stranger gets it."""
    record, secrets = opened(a_command(8), bytes(32), SHUFFLE_VERSION, AT)
    del number
    return as_json(to_proto(proof_of(record, secrets), GetProofResponse))


def _redone(template: dict[str, Any], number: int, seed: bytes, pile: tuple[int, ...]) -> list[int]:
    """The same reshuffle by the stand-alone verifier, from the seed that was committed to."""
    hand_id = f"hand-{number}"
    commitment = template["commitment"] | {"seed_commitment": auditor.text(seed_commitment(hand_id, seed))}
    record = template | {"hand_id": hand_id, "hand_number": str(number + 1), "commitment": commitment}
    key = auditor.river_key_from_seed(record, seed)
    return verifier.shuffled(pile, verifier.stream(key, b"reshuffle"))


def rows(sizes: Sizes) -> Iterator[Row]:
    """Two rows for each number of cards left."""
    for left in PROFILES:
        cases = sizes.of(CASES, least=10 * factorial(left))
        orders, redone = Counter[tuple[int, ...]](), 0
        for part in in_portions(f"F8, reshuffles of {left}", partial(reshuffle, left), cases, PORTION):
            orders.update(part.orders)
            redone += part.redone
        statistic = orders_statistic(orders, left)
        yield between("F8", f"reshuffles of {left} cards, {cases:,} hands", statistic, chi_square(factorial(left) - 1))
        found = f"{redone:,}"
        yield row("F8", f"reshuffles of {left} redone by the verifier", f"{cases:,}", found, holds=redone == cases)
