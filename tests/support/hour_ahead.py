"""Dealer or ledger on a machine whose wall clock is an hour ahead: ``python -m tests.support.hour_ahead``."""

import datetime as dt
import os
import runpy

AHEAD = dt.timedelta(hours=1)
DEALER = "SEVENSTUD_DEALER_LISTEN"


class _HourAhead(dt.datetime):
    """The wall clock as this machine has it."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> "_HourAhead":
        return super().now(tz) + AHEAD


if __name__ == "__main__":
    dt.datetime = _HourAhead  # type: ignore[misc]  # as if the machine said so
    service = "dealer" if DEALER in os.environ else "tournament_ledger"
    runpy.run_module(f"services.{service}", run_name="__main__")
