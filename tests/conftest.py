"""What all tests share: profiles of Hypothesis, and a real PostgreSQL for those that ask for it.

`ci` repeats itself exactly, `dev` looks further, `deep` is for a night.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.engines import ENGINES, Engine, engine_at
from tests.support.postgres_server import PostgresServer, postgres_running
from tests.support.stores import STORES

_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("dev", parent=_COMMON, max_examples=50)
settings.register_profile("ci", parent=_COMMON, max_examples=100, derandomize=True, print_blob=True)
settings.register_profile("deep", parent=_COMMON, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server a test process; a test that cannot have it fails."""
    with postgres_running() as server:
        yield server


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    """An empty database of each engine in turn."""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        found = engine_at(await server.new_database())
    else:
        found = engine_at(str(tmp_path / "test.db"))
    yield found
    await found.close()


@pytest.fixture(params=ENGINES)
def each_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The services that this test starts keep their books in a file, then in PostgreSQL."""
    STORES.use(request.getfixturevalue("postgres") if request.param == "postgres" else None)
    yield request.param
    STORES.use(None)
