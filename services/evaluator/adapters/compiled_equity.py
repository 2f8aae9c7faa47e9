"""Equity by machine code: tens of millions of deals a second, with numba (the extra ``compiled``)."""

from collections.abc import Callable
from random import Random

import numpy as np

from services.evaluator.adapters import compiled_code as code
from services.evaluator.adapters.array_tables import ArrayTables
from services.evaluator.adapters.compiled_engine import code_tables
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.domain.equity_question import EquityHand, Layout, lay_out
from services.evaluator.domain.equity_tally import Tally, tally_of
from services.evaluator.ports.equity_engine import DealCounter
from shared.kernel.cards import FULL_DECK


class CompiledEquity:
    """The equity engine of machine code."""

    slice_cards = 1_000_000
    apart = True

    def __init__(self, tables: ArrayTables) -> None:
        """Compile, or load what was kept, and try it beside plain Python: a core that deals wrongly never serves."""
        self._arrays = tables
        self._tables = code_tables(tables)
        self._try()

    def _try(self) -> None:
        dead = (*FULL_DECK[5:20], *FULL_DECK[26:-10])
        layout = lay_out([EquityHand(cards=FULL_DECK[:5]), EquityHand(cards=FULL_DECK[20:26])], dead)
        deals, plain = layout.deals_count, PlainEquity()
        wanted = plain.sampled(layout, 1)(deals), plain.all_counted(layout)(deals)
        if (self.sampled(layout, 1)(deals), self.all_counted(layout)(deals)) != wanted:
            raise AssertionError("the compiled core deals otherwise than plain Python: delete what numba kept")

    def sampled(self, layout: Layout, seed: int) -> DealCounter:
        """See EquityEngine.sampled."""
        numbers, question = _numbers(seed), self._question(layout)

        def play(deals: int, counts: code.Counts) -> None:
            code.play_sample(deals, numbers, question, self._tables, counts)

        return _counter(layout, play)

    def all_counted(self, layout: Layout) -> DealCounter:
        """See EquityEngine.all_counted."""
        question = self._question(layout)
        walk = np.arange(layout.drawn + 1, dtype=np.int64)
        walk[-1] = 0

        def play(deals: int, counts: code.Counts) -> None:
            code.play_all(deals, walk, question, self._tables, counts)

        return _counter(layout, play)

    def _question(self, layout: Layout) -> code.Question:
        cards = [card.bit_length() - 1 for card in layout.deck]
        return code.Question(
            known=np.array(layout.known, np.uint64),
            sums=np.array([self._arrays.sum_of(known) for known in layout.known], np.uint64),
            starts=np.array(layout.starts, np.int64),
            bits=np.array(layout.deck, np.uint64),
            entries=self._arrays.cards[cards],
        )


def _numbers(seed: int) -> code.Numbers:
    """The state of Python's generator for a seed, nothing drawn of it yet."""
    _, words, _ = Random(seed).getstate()  # noqa: S311 - a sample that can be repeated, no deck of a game
    state = np.array(words[: code.STATE_WORDS], np.uint32)
    return code.Numbers(state, np.empty(code.READY_NUMBERS), np.array([code.READY_NUMBERS], np.int64))


def _counter(layout: Layout, play: Callable[[int, code.Counts], None]) -> DealCounter:
    hands = len(layout.known)

    def count(deals: int) -> Tally:
        counts = np.zeros((hands, hands), np.int64)
        play(deals, counts)
        return tally_of(deals, counts.tolist())

    return count
