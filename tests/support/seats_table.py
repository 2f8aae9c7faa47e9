"""A table of seats in a store, for tests of storage."""

from typing import Any

from shared.storage.database import Statement, Store

MAKE = Statement("CREATE TABLE seats (seat BIGINT PRIMARY KEY, chips BIGINT NOT NULL CHECK (chips >= 0))")


def sit(seat: int, chips: int | None = 100) -> Statement:
    """Somebody takes a seat."""
    return Statement("INSERT INTO seats (seat, chips) VALUES (?, ?)", (seat, chips), rows=1, label=f"seat {seat}")


async def seats(store: Store) -> list[Any]:
    """The seats taken."""
    return [row[0] for row in await store.read("SELECT seat FROM seats ORDER BY seat")]
