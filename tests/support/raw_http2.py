"""A caller that speaks HTTP/2 by hand, to do what no well-behaved library does: never read, never end."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as it came."""

    kind: int
    flags: int
    stream: int
    payload: bytes

    @property
    def ends_stream(self) -> bool:
        """Whether nothing more comes on its stream."""
        return self.kind == RST_STREAM or (self.kind in {HEADERS, DATA} and bool(self.flags & END_STREAM))


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame on the wire."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def headers(pairs: Sequence[Header]) -> bytes:
    """Header fields as literals that nobody indexes (HPACK 6.2.2), the plainest there is."""
    return b"".join(b"\x00" + _text(name) + _text(value) for name, value in pairs)


def _text(text: str) -> bytes:
    content, out = text.encode(), bytearray()
    length = len(content)
    if length < 127:
        out.append(length)
    else:
        out.append(127)
        length -= 127
        while length >= 128:
            out.append(length % 128 + 128)
            length //= 128
        out.append(length)
    return bytes(out) + content


def call_headers(path: str, token: str, extra: Sequence[Header] = ()) -> bytes:
    """What a gRPC call begins with."""
    return headers(
        (
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("authorization", token),
            *extra,
        )
    )


def message(content: bytes) -> bytes:
    """A message as gRPC frames it."""
    return b"\x00" + len(content).to_bytes(4, "big") + content


class RawConnection:
    """One connection; nothing is answered or read but where a method says so."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self._next_stream = 1

    @classmethod
    async def open(cls, address: str, *, greet: bool = True) -> Self:
        """Connect; ``greet`` says the HTTP/2 preface as well."""
        host, _, port = address.rpartition(":")
        connection = cls(*await asyncio.open_connection(host.strip("[]"), int(port)))
        if greet:
            connection.writer.write(PREFACE + frame(SETTINGS, 0, 0))
            await connection.writer.drain()
        return connection

    async def settle(self, seconds: float = 30.0) -> None:
        """Read the other side's settings and say so: before that it takes few calls."""
        async with asyncio.timeout(seconds):
            while True:
                head = await self.reader.readexactly(9)
                await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                if head[3] == SETTINGS and not head[4] & ACK:
                    break
        self.writer.write(frame(SETTINGS, ACK, 0))

    async def call(self, path: str, token: str, content: bytes) -> int:
        """Begin a call and say all of it; the number of its stream. The answer is not read."""
        stream = self._next_stream
        self._next_stream += 2
        self.writer.write(
            frame(HEADERS, END_HEADERS, stream, call_headers(path, token))
            + frame(DATA, END_STREAM, stream, message(content))
        )
        await self.writer.drain()
        return stream

    def reset(self, stream: int) -> None:
        """Take a call back."""
        self.writer.write(frame(RST_STREAM, 0, stream, (8).to_bytes(4, "big")))

    async def frames(self, seconds: float) -> list[Frame]:
        """What comes within this time, or until the other side closes."""
        found: list[Frame] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    head = await self.reader.readexactly(9)
                    content = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                    found.append(Frame(head[3], head[4], int.from_bytes(head[5:9], "big") & 0x7FFFFFFF, content))
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            return found

    async def closed(self, seconds: float) -> bool:
        """Whether the other side closes within this time; what it says before is thrown away."""
        try:
            async with asyncio.timeout(seconds):
                while await self.reader.read(65536):
                    pass
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return True

    async def close(self) -> None:
        """Hang up."""
        self.writer.close()


def ended(frames: Sequence[Frame]) -> Iterator[int]:
    """The streams that the other side has ended."""
    return (each.stream for each in frames if each.ends_stream)
