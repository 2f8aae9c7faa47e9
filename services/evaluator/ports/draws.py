"""Where the numbers of a sample come from."""

from typing import Protocol

from services.evaluator.domain.equity_deals import Draw


class Draws(Protocol):
    """Makes sequences of numbers that a seed fixes for ever."""

    def from_seed(self, seed: int) -> Draw:
        """The sequence of this seed."""
        ...
