"""The evaluator's engines, each made once for all tests of a process."""

from functools import cache

from services.evaluator.adapters.engines import COMPILED, NUMPY, PLAIN, Engines, choose_engine

FAST = (NUMPY, COMPILED)
EVERY = (PLAIN, *FAST)


@cache
def engines(name: str) -> Engines:
    """Those of this name; what is not installed is a fault, never left out."""
    return choose_engine(name)
