"""The result of a hand that nobody played: chips move at random, none is made or lost."""

from collections.abc import Iterable
from random import Random

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb


def random_results(rng: Random, seats: Iterable[pb.SheetSeat], rake_chips: int = 0) -> list[pb.HandResult]:
    """Some lose some or all of their chips to one or two winners; the rake comes out of what they lost."""
    stacks = {seat.player_id: seat.chips for seat in seats if seat.chips}
    if len(stacks) < 2:
        return []
    after = dict(stacks)
    names = sorted(stacks)
    winners = rng.sample(names, rng.choice((1, 1, 1, 2)))
    losers = [name for name in names if name not in winners]
    deepest = max(stacks[name] for name in winners)
    pot = 0
    for name in losers if rng.random() < 0.15 else rng.sample(losers, min(len(losers), rng.randint(0, 2))):
        lost = min(stacks[name], deepest)
        lost = lost if rng.random() < 0.4 else rng.randint(0, lost)
        after[name] -= lost
        pot += lost
    taken = min(rake_chips, pot)
    if taken < rake_chips:
        return [pb.HandResult(player_id=name, before_chips=stacks[name], after_chips=stacks[name]) for name in names]
    share = (pot - taken) // len(winners)
    for name in winners:
        after[name] += share
    after[winners[0]] += pot - taken - share * len(winners)
    return [pb.HandResult(player_id=name, before_chips=stacks[name], after_chips=after[name]) for name in names]
