"""LISTEN and NOTIFY, as hints only: sent after the commit, several as one, and nothing depends on their arrival.

The connection that listens also says whether the server can be reached.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import asyncpg
from asyncpg.connect_utils import SessionAttribute
from asyncpg.exceptions import ReadOnlySQLTransactionError

from shared.config.location import PostgresUrl
from shared.storage.postgres_faults import OUTAGE

PING_SECONDS: Final = 1.0
ANSWER_SECONDS_MAX: Final = 3.0
PAYLOAD_BYTES_MAX: Final = 7000
PRIMARY: Final = SessionAttribute.primary
"""No session goes to a standby, also where the address names several servers: what it tells may be old."""
TOPICS_MAX: Final = 1000
"""More that wait are not told one by one."""
_SEPARATOR = "\n"


class Hints:
    """One connection that listens, tells and looks whether the server is there and takes writes."""

    def __init__(self, url: PostgresUrl, service: str) -> None:
        """Use start instead."""
        self.reached = True
        self.back: Callable[[], Awaitable[None]] = _nobody
        """Called when the server is there again: what was connected to it before may lead nowhere."""
        self._url = url
        self._channel = f"sevenstud_{service}"
        self._heard: list[Callable[[str], None]] = []
        self._topics: dict[str, None] = {}
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, url: PostgresUrl, service: str) -> "Hints":
        """Listen from now on."""
        hints = cls(url, service)
        connection = await hints._connected()
        hints._task = asyncio.create_task(hints._run(connection), name="hints of the store")
        return hints

    def tell(self, topic: str) -> None:
        """Send it with the next ones."""
        if len(self._topics) < TOPICS_MAX:
            self._topics[topic] = None
        self._wanted.set()

    def heed(self, heard: Callable[[str], None]) -> None:
        """Call this with each hint."""
        self._heard.append(heard)

    async def close(self) -> None:
        """Listen no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _connected(self) -> Any:
        """A connection that listens; one that falls silent before it does is given up."""
        connection = await asyncpg.connect(self._url.reveal(), timeout=ANSWER_SECONDS_MAX, target_session_attrs=PRIMARY)
        try:
            async with asyncio.timeout(ANSWER_SECONDS_MAX):
                await connection.add_listener(self._channel, self._hear)
                await _check_writes(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    def _hear(self, connection: Any, sender: int, _channel: str, payload: object) -> None:
        if connection.is_closed() or sender == connection.get_server_pid():
            return  # too late, or our own
        for topic in str(payload).split(_SEPARATOR):
            self._pass_on(topic)

    def _pass_on(self, topic: str) -> None:
        for heard in self._heard:
            heard(topic)

    async def _run(self, connection: Any) -> None:
        while True:
            try:
                await self._serve(connection)
            except OUTAGE:
                self.reached = False
            finally:
                connection.terminate()
            connection = await self._reconnected()
            await self.back()
            self.reached = True
            self._pass_on("")

    async def _reconnected(self) -> Any:
        while True:
            await asyncio.sleep(PING_SECONDS / 2)
            with suppress(*OUTAGE):
                return await self._connected()

    async def _serve(self, connection: Any) -> None:
        """Tell what there is to tell; look now and then whether the server answers."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(PING_SECONDS):
                    await self._wanted.wait()
            self._wanted.clear()
            async with asyncio.timeout(ANSWER_SECONDS_MAX):
                payload = self._payload()
                if payload:
                    await connection.execute("SELECT pg_notify($1, $2)", self._channel, payload)
                else:
                    await _check_writes(connection)

    def _payload(self) -> str:
        """As many topics as one message carries; the rest goes with the next."""
        taken, size = list[str](), 0
        while self._topics:
            topic = next(iter(self._topics))
            size += len(topic.encode()) + 1
            if size > PAYLOAD_BYTES_MAX and taken:
                self._wanted.set()
                break
            taken.append(topic)
            del self._topics[topic]
        return _SEPARATOR.join(taken)


async def _nobody() -> None:
    """Nobody is told."""


async def _check_writes(connection: Any) -> None:
    """It answers, and takes writes; one that takes none is as good as away."""
    if await connection.fetchval("SELECT current_setting('transaction_read_only')") != "off":
        raise ReadOnlySQLTransactionError("it takes no writes")
