"""Numbers for sampling out of a seed: the same seed, the same sample. Nothing secret hangs on them."""

from random import Random

from services.evaluator.domain.equity_deals import Draw


class SeededDraws:
    """Python's generator, whose `random()` is promised to stay the same from version to version."""

    def from_seed(self, seed: int) -> Draw:
        """The sequence of this seed."""
        return Random(seed).random  # noqa: S311 - a sample that can be repeated, no deck of a game
