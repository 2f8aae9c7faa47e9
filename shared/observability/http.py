"""/metrics and /ready on a port of their own: a few lines of HTTP, with limits, on the service's event loop."""

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

CONNECTIONS_MAX = 64
REQUEST_BYTES_MAX = 8192
REQUEST_SECONDS_MAX = 5.0
PAGE_SHARE = 10
"""Pages of metrics take one in so many parts of a processor; who asks for more is shown the last one again."""
PAGE_BURST_SECONDS = 4.0
"""But for so long without a pause they are all made anew."""
_TEXT = "text/plain; charset=utf-8"
Reply = tuple[HTTPStatus, str, bytes]


class StatusServer:
    """Answers GET /metrics (Prometheus text), /ready (200 or 503) and /live (200)."""

    def __init__(self, registry: CollectorRegistry, ready: Callable[[], bool]) -> None:
        """Show this registry, and ask ``ready`` whether the service takes calls."""
        self._registry = registry
        self._ready = ready
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.StreamWriter, None] = {}
        self._page = b""
        self._paid_until = 0.0

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port. OSError when it is taken."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=REQUEST_BYTES_MAX)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Close the port."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._make_room()
        self._open[writer] = None
        try:
            async with asyncio.timeout(REQUEST_SECONDS_MAX):
                await self._answer(reader, writer)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # a caller that does not ask properly is not answered
        finally:
            self._open.pop(writer, None)
            writer.close()

    def _make_room(self) -> None:
        """Whoever has taken longest to ask gives way: slow callers keep no probe from being answered."""
        if len(self._open) >= CONNECTIONS_MAX:
            slowest = next(iter(self._open))
            del self._open[slowest]
            slowest.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
        status, content_type, body = self._reply(method, rest.partition(" ")[0].partition("?")[0])
        lines = (
            f"HTTP/1.1 {status.value} {status.phrase}",
            f"Content-Type: {content_type}",
            f"Content-Length: {len(body)}",
            "Connection: close",
        )
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == "HEAD" else body))
        await writer.drain()

    def _metrics(self) -> bytes:
        """The figures of now; to who asks again and again, those of a moment ago: the service has others to serve."""
        now = time.monotonic()
        self._paid_until = max(self._paid_until, now)
        if not self._page or self._paid_until - now < PAGE_BURST_SECONDS:
            begun = time.thread_time()
            self._page = generate_latest(self._registry)
            self._paid_until += (time.thread_time() - begun) * PAGE_SHARE
        return self._page

    def _reply(self, method: str, path: str) -> Reply:
        if method not in {"GET", "HEAD"}:
            return HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, b"only GET and HEAD are allowed\n"
        if path == "/metrics":
            return HTTPStatus.OK, CONTENT_TYPE_PLAIN_0_0_4, self._metrics()
        if path == "/ready":
            ready = self._ready()
            status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
            return status, _TEXT, b"ready\n" if ready else b"not ready\n"
        if path == "/live":
            return HTTPStatus.OK, _TEXT, b"live\n"
        return HTTPStatus.NOT_FOUND, _TEXT, b"there are /metrics, /ready and /live\n"
