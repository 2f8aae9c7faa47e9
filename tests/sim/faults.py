"""All faults that are put into the product, one at a time: the simulation must find each, or it proves nothing."""

from collections.abc import Sequence
from typing import Final

from tests.sim.planted import bank, events, hand, log, money, waiting
from tests.sim.planted.fault import Fault

FAULTS: Final[Sequence[Fault]] = (
    *log.FAULTS,
    *hand.FAULTS,
    *money.FAULTS,
    *waiting.FAULTS,
    *events.FAULTS,
    *bank.FAULTS,
)
