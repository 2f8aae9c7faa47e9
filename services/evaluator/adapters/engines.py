"""Which engines this process uses: those asked for, or the fastest that cost no more than arrays do."""

from importlib.util import find_spec
from typing import Final, NamedTuple

from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.ports.batch_engine import BatchEngine
from services.evaluator.ports.equity_engine import EquityEngine

AUTOMATIC, PLAIN, NUMPY, COMPILED = "auto", "plain", "numpy", "compiled"
_NEEDED: Final = {PLAIN: (), NUMPY: ("numpy",), COMPILED: ("numpy", "numba")}
_EXTRAS: Final = {NUMPY: "evaluator", COMPILED: "compiled"}


class EngineMissing(Exception):  # noqa: N818  # read as a sentence: the engine is missing
    """The engine that was asked for is not installed."""


class Engines(NamedTuple):
    """What a process values hands with."""

    name: str
    batch: BatchEngine
    equity: EquityEngine


def choose_engine(wanted: str = AUTOMATIC) -> Engines:
    """The engines of this name; EngineMissing says how to get one that is not installed.

    The compiled core is taken by name only: it costs memory and start-up that not everybody has a use for.
    """
    if wanted == AUTOMATIC:
        wanted = PLAIN if _missing(NUMPY) else NUMPY
    missing = _missing(wanted)
    if missing:
        raise EngineMissing(
            f"{missing} is not installed: install the extra `{_EXTRAS[wanted]}`, or set ENGINE to plain or auto"
        )
    return {PLAIN: _plain, NUMPY: _arrays, COMPILED: _compiled}[wanted]()


def _missing(engine: str) -> str | None:
    """The first package that this engine needs and that is not there."""
    return next((name for name in _NEEDED[engine] if find_spec(name) is None), None)


def _plain() -> Engines:
    return Engines(PLAIN, PlainEngine(), PlainEquity())


def _arrays() -> Engines:
    from services.evaluator.adapters.array_tables import array_tables
    from services.evaluator.adapters.numpy_engine import NumpyEngine
    from services.evaluator.adapters.numpy_equity import NumpyEquity

    tables = array_tables()
    return Engines(NUMPY, NumpyEngine(tables), NumpyEquity(tables))


def _compiled() -> Engines:
    from services.evaluator.adapters.array_tables import array_tables
    from services.evaluator.adapters.compiled_engine import CompiledEngine
    from services.evaluator.adapters.compiled_equity import CompiledEquity

    tables = array_tables()
    return Engines(COMPILED, CompiledEngine(tables), CompiledEquity(tables))
