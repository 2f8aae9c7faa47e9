"""Ports that fail: before or after they did what was asked, as a lost call or as the death of the process."""

import random
from collections.abc import Callable
from typing import Any

from services.orchestrator.ports import ServiceAway


class Killed(BaseException):
    """The process died here."""


class Faulty:
    """Passes calls on; now and then one fails before its effect, or its answer is lost."""

    def __init__(self, port: object, chance: random.Random, share: float, fault: Callable[[], BaseException]) -> None:
        self._port = port
        self._chance = chance
        self._share = share
        self._fault = fault
        self.faults = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        if name in {"list_tournaments", "watch"}:
            return method

        async def call(*args: Any, **kwargs: Any) -> Any:
            if self._chance.random() < self._share:
                self.faults += 1
                if self._chance.random() < 0.5:
                    await method(*args, **kwargs)
                raise self._fault()
            return await method(*args, **kwargs)

        return call


def away() -> BaseException:
    """The service does not answer; whether it did what was asked is not known."""
    return ServiceAway("tournament_ledger")


def killed() -> BaseException:
    """The orchestrator is killed in the middle of the call."""
    return Killed()
