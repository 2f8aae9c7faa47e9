"""The independent chip model: what each stack is worth in prizes, exactly, as fractions (rule 203).

A player is first with the share of all chips that is his; the second is found in the same way among the others, and so
on. Worked out over sets of players, so that twelve players take some thousands of steps, not 12! of them.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

PLAYERS_MAX: Final = 12


def icm_equities(chips: Sequence[int], prizes_minor: Sequence[int]) -> tuple[Fraction, ...]:
    """What each player is worth, in minor units; they add up to the prizes.

    Args:
        chips: of each player, above zero, at most PLAYERS_MAX of them.
        prizes_minor: by place, best first, one for each player.
    """
    everybody, total = frozenset(range(len(chips))), sum(chips)
    ahead: dict[frozenset[int], Fraction] = {frozenset(): Fraction(1)}
    worth = [Fraction(0)] * len(chips)
    for place, prize in enumerate(prizes_minor):
        following: dict[frozenset[int], Fraction] = {}
        for placed in map(frozenset, combinations(sorted(everybody), place)):
            left = total - sum(chips[each] for each in placed)
            for player in everybody - placed:
                chance = ahead[placed] * Fraction(chips[player], left)
                worth[player] += chance * prize
                after = placed | {player}
                following[after] = following.get(after, Fraction(0)) + chance
        ahead = following
    return tuple(worth)
