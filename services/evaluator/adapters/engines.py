"""Which batch engine this process uses: the one asked for, or the fastest that is installed."""

from importlib.util import find_spec

from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.ports.batch_engine import BatchEngine

AUTOMATIC, PLAIN, NUMPY = "auto", "plain", "numpy"


class EngineMissing(Exception):  # noqa: N818  # read as a sentence: the engine is missing
    """The engine that was asked for is not installed."""


def choose_engine(wanted: str = AUTOMATIC) -> tuple[str, BatchEngine]:
    """The name of the engine and the engine; EngineMissing says how to get one that is not installed."""
    installed = find_spec("numpy") is not None
    if wanted == NUMPY and not installed:
        raise EngineMissing("numpy is not installed: install the extra `evaluator`, or set ENGINE to plain or auto")
    if wanted == PLAIN or not installed:
        return PLAIN, PlainEngine()
    from services.evaluator.adapters.numpy_engine import NumpyEngine

    return NUMPY, NumpyEngine()
