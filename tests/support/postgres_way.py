"""A way to a PostgreSQL server, through a socket of its own, on which things get lost."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from shared.config.location import PostgresUrl
from tests.support.postgres_server import PostgresServer

_SOCKET = ".s.PGSQL.5432"


class Way:
    """While it is ``deaf`` nothing that begins to listen gets through; while it is ``cut`` nothing does at all."""

    def __init__(self, server: PostgresServer) -> None:
        self.deaf = False
        self.cut = False
        self.swallowed = asyncio.Event()
        self._lost = set[asyncio.StreamWriter]()
        self._server = server
        self._open = set[asyncio.StreamWriter]()

    @asynccontextmanager
    async def to(self, url: str) -> AsyncGenerator[PostgresUrl, None]:
        """The address of the same database by this way."""
        with tempfile.TemporaryDirectory(prefix="way-") as folder:
            listening = await asyncio.start_unix_server(self._through, f"{folder}/{_SOCKET}")
            try:
                yield PostgresUrl(url.replace(str(self._server.folder), folder))
            finally:
                self.cut = False
                self._lost.clear()
                listening.close()
                for each in self._open:
                    each.close()

    def lose(self) -> None:
        """Those who are connected now hear nothing any more, and are not told so."""
        self._lost |= self._open

    async def _through(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inside, outside = await asyncio.open_unix_connection(self._server.folder / _SOCKET)
        self._open |= {writer, outside}
        await asyncio.gather(self._pass_on(reader, outside, asks=True), self._pass_on(inside, writer, asks=False))

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, asks: bool) -> None:
        with suppress(OSError):
            while part := await source.read(65_536):
                while self.cut or target in self._lost:  # noqa: ASYNC110  # it has no bell
                    await asyncio.sleep(0.05)
                if asks and self.deaf and b"LISTEN" in part:
                    self.swallowed.set()
                    continue
                target.write(part)
                await target.drain()
        target.close()
