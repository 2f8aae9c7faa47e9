"""`make second-opinion N=10000`: random fixed-limit hands compared with pokerkit over two processes.

At every turn: who acts, what a call costs, what a wager may be; at the end every stack. Where pokerkit is known to
follow other rules the comparison of that hand ends, and the reason is counted.
"""

import argparse
import sys
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from random import Random

from services.betting.application.commands import SeatStack
from shared.kernel.game import Structure
from shared.kernel.rules import (
    BringInFold,
    BringInNoChips,
    HandRules,
    HeadsUpCap,
    OddChip,
    OpenPairFourth,
    ShortBringInPrice,
    Stakes,
)
from shared.kernel.rules.presets import PRESETS
from tests.batteries.hands.players import Players
from tests.batteries.hands.setups import Theme
from tests.batteries.progress import Progress
from tests.batteries.second_opinion.exclusions import OtherRulesError
from tests.batteries.second_opinion.mirror import Mirror, Opinions
from tests.support.in_process_table import HandSetup, InProcessTable

PORTION = 50


def setup_of(rng: Random) -> HandSetup:
    """A fixed-limit hand: the rules of a preset, or those that pokerkit can follow all the way."""
    rules = PRESETS[rng.choice(sorted(PRESETS))].hand
    rules = replace(rules, structure=Structure.LIMIT)
    if rng.random() < 0.7:
        rules = followed(rules)
    lower = rng.choice((2, 5, 10, 20, 75, 100))
    stakes = Stakes(
        ante_chips=rng.choice((1, max(1, lower // 5), max(1, lower // 2))),
        bring_in_chips=rng.randint(1, max(1, lower // 2)),
        lower_limit_chips=lower,
        upper_limit_chips=2 * lower,
    )
    seats = sorted(rng.sample(range(1, 9), rng.randint(2, 8)))
    most = rng.choice((2, 10, 40, 40)) * stakes.upper_limit_chips
    stacks = tuple(SeatStack(seat=seat, stack_chips=rng.randint(1, most)) for seat in seats)
    clock = PRESETS["classic"].clock
    return HandSetup(rules=rules, clock=clock, stakes=stakes, stacks=stacks, seed=rng.randbytes(16))


def followed(rules: HandRules) -> HandRules:
    return replace(
        rules,
        bring_in_fold=BringInFold.NO,
        bring_in_full=True,
        bring_in_no_chips=BringInNoChips.LEFT,
        short_bring_in_price=ShortBringInPrice.ACTUAL,
        heads_up_cap=HeadsUpCap.ALWAYS,
        open_pair_fourth=OpenPairFourth.OFF,
        odd_chip=OddChip.POSITION,
    )


def compare(number: int, opinions: Opinions) -> None:
    """Play one hand in both; a difference is kept with the number that plays it again."""
    rng = Random(f"second opinion {number}")
    setup = setup_of(rng)
    players = Players(rng, tuple(each.seat for each in setup.stacks), Theme.CALM)
    opinions.hands += 1
    try:
        table = InProcessTable(setup, (Mirror(setup, opinions),))
        while not table.over:
            if table.turn is None:
                table.step()
            else:
                players.answer(table).apply(table)
    except OtherRulesError as reason:
        opinions.excluded[str(reason)] += 1
    except (AssertionError, ValueError, UserWarning):
        opinions.differences.append((number, traceback.format_exc(limit=-2)))


def compare_portion(numbers: Sequence[int]) -> Opinions:
    """Compare some hands."""
    opinions = Opinions()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="There is no reason for this player to fold")
        for number in numbers:
            compare(number, opinions)
    return opinions


def compare_many(hands: int, processes: int) -> Opinions:
    """Compare hands 0 and up."""
    portions = [range(at, min(at + PORTION, hands)) for at in range(0, hands, PORTION)]
    progress, whole = Progress("second opinion", hands), Opinions()
    with get_context("fork").Pool(processes) as pool:
        for opinions in pool.imap_unordered(compare_portion, portions):
            whole.take(opinions)
            progress.add(opinions.hands, f"{len(whole.differences)} differ")
    progress.finish()
    return whole


def report(opinions: Opinions) -> int:
    """Print what agreed and what was left out; 1 where something differs."""
    left_out = opinions.excluded.total()
    print(f"{opinions.hands:,} hands: {opinions.turns:,} turns agree (who acts, what a call costs, every wager),")
    print(f"  {opinions.whole:,} hands agree to the final stacks ({opinions.stacks:,} stacks),")
    print(f"  {left_out:,} were compared up to where pokerkit plays by other rules:")
    for reason, hands in opinions.excluded.most_common():
        print(f"    {hands:>6,}  {reason}")
    print(f"  {opinions.checks:,} checks of a last player with chips made in pokerkit alone (rule 83);")
    print(
        f"  {opinions.unanswered:,} turns with a wager that no opponent could pay in full; pokerkit has none (rule 69)"
    )
    for number, why in opinions.differences[:5]:
        print(f"DIFFERENT: hand {number}; again: python -m tests.batteries.second_opinion --hand {number}\n{why}")
    print(f"{len(opinions.differences)} hands differ")
    return 1 if opinions.differences else 0


def main() -> int:
    """Compare, count, report."""
    parser = argparse.ArgumentParser(prog="make second-opinion")
    parser.add_argument("hands", type=int, nargs="?", default=10_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--hand", type=int, help="compare this one hand")
    asked = parser.parse_args()
    if asked.hand is not None:
        return report(compare_portion([asked.hand]))
    return report(compare_many(asked.hands, asked.processes))


if __name__ == "__main__":
    sys.exit(main())
