"""Calls by the hundred thousand over one connection, made and counted by hand: what they cost is the server's work."""

import asyncio
from collections import Counter
from collections.abc import Callable

from tests.support.raw_http2 import (
    ACK,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    RawConnection,
    call_headers,
    frame,
    message,
)

OPEN_AT_ONCE = 64
SILENCE_SECONDS_MAX = 60.0
_WIDE = (2**30).to_bytes(4, "big")
_HEAD = 9


class Flood:
    """One caller's calls of one RPC, so many under way at a time; answers are counted, not read."""

    def __init__(self, address: str, path: str, token: str) -> None:
        """To this server."""
        self._address = address
        self._headers = call_headers(path, token)
        self._next_stream = 1
        self._open: set[int] = set()
        self._pending = b""
        self.turned_away: Counter[int] = Counter()
        """Calls that the transport ended before anybody looked at them, by the code of HTTP/2."""

    async def send(self, calls: int, content: Callable[[], bytes], told: Callable[[int], None]) -> None:
        """All of them; ConnectionError where the server hangs up, TimeoutError where it falls silent."""
        connection = await RawConnection.open(self._address)
        connection.writer.write(frame(WINDOW_UPDATE, 0, 0, _WIDE))
        left = calls
        while left or self._open:
            begin = min(OPEN_AT_ONCE - len(self._open), left)
            connection.writer.write(b"".join(self._call(content()) for _ in range(begin)))
            left -= begin
            await connection.writer.drain()
            async with asyncio.timeout(SILENCE_SECONDS_MAX):
                heard = await connection.reader.read(1 << 16)
            if not heard:
                raise ConnectionError(f"the server hung up, {left} calls before the end")
            before = len(self._open)
            self._hear(heard, connection)
            told(before - len(self._open))
        await connection.close()

    def _call(self, content: bytes) -> bytes:
        stream = self._next_stream
        self._next_stream += 2
        self._open.add(stream)
        headers = frame(HEADERS, END_HEADERS, stream, self._headers)
        return headers + frame(DATA, END_STREAM, stream, message(content))

    def _hear(self, heard: bytes, connection: RawConnection) -> None:
        """Which calls end with what came; pings and settings are answered, so that it goes on."""
        content, at = self._pending + heard, 0
        while len(content) - at >= _HEAD:
            end = at + _HEAD + int.from_bytes(content[at : at + 3], "big")
            if end > len(content):
                break
            kind, flags = content[at + 3], content[at + 4]
            if kind in {PING, SETTINGS} and not flags & ACK:
                echo = content[at + _HEAD : end] if kind == PING else b""
                connection.writer.write(frame(kind, ACK, 0, echo))
            if kind == GOAWAY:
                raise ConnectionError(f"the server says goodbye: {content[at + _HEAD : end]!r}")
            stream = int.from_bytes(content[at + 5 : at + _HEAD], "big")
            if kind == RST_STREAM and stream in self._open:
                self.turned_away[int.from_bytes(content[at + _HEAD : end], "big")] += 1
            if kind == RST_STREAM or (kind in {HEADERS, DATA} and flags & END_STREAM):
                self._open.discard(stream)
            at = end
        self._pending = content[at:]
