"""Stores for whole services under test: files, or databases of a real PostgreSQL where a test says so."""

from pathlib import Path
from types import ModuleType

from shared.config.location import PostgresUrl
from shared.storage.database import Store
from shared.storage.opening import open_database
from tests.support.postgres_server import PostgresServer


class TestStores:
    """Which engine the services of this test keep their books in; a file's name stands for its database."""

    __test__ = False

    def __init__(self) -> None:
        self._server: PostgresServer | None = None
        self._urls: dict[Path, PostgresUrl] = {}

    def use(self, server: PostgresServer | None) -> None:
        """From now on this server, or files."""
        self._server = server
        self._urls.clear()

    def lies_at(self, file: Path, url: PostgresUrl) -> None:
        """From now on this is the way to the database that the file's name stands for."""
        self._urls[file] = url

    def url_of(self, name: str) -> PostgresUrl:
        """Where the database is that a file of this name stands for."""
        return next(url for file, url in self._urls.items() if file.name == name)

    async def open(self, file: Path, service: str, migrations: ModuleType) -> Store:
        """The store of a service that would be in this file."""
        if self._server is None:
            return await open_database(file, service, migrations)
        if file not in self._urls:
            self._urls[file] = PostgresUrl(await self._server.new_database())
        return await open_database(self._urls[file], service, migrations)


STORES = TestStores()
