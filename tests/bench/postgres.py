"""A PostgreSQL on this machine that syncs, for what is measured on it."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

from tests.bench.house import House, open_house
from tests.support import postgres_server
from tests.support.postgres_server import PostgresServer

STORED: Final = ("dealer", "tournament_ledger", "orchestrator")


@contextmanager
def synced_postgres() -> Generator[PostgresServer]:
    """A server for the length of the block; what tests leave out for speed is on."""
    synced = tuple(each for each in postgres_server._QUICKER if not each.startswith(("fsync", "full_page")))
    with patch.object(postgres_server, "_QUICKER", synced), contextlib.closing(PostgresServer()) as server:
        server.start()
        yield server


@asynccontextmanager
async def house_on_postgres(folder: Path, server: PostgresServer) -> AsyncGenerator[House]:
    """Five processes, one of each service, with a database each."""
    own = {f"SEVENSTUD_{service.upper()}_DATABASE": await server.new_database() for service in STORED}
    async with open_house(folder, other={**own, "SEVENSTUD_DEALER_KEYS": f"bench:{secrets.token_hex(32)}"}) as house:
        yield house
