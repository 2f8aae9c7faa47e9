"""What is below a channel of ours: plain and taken at its word, or with a certificate and a token, renewed on the way.

gRPC keeps the certificate that a channel was made with. So a changed certificate means a new channel: new calls go
there, calls under way end on the old one, which is closed after the last of them. So does a connection whose headers
went out of step: gRPC would use it for ever, and every call over it fails.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import grpc

from shared.rpc.certificates import CertificateFiles, CertificatePaths
from shared.rpc.identity import AUTHORIZATION_HEADER
from shared.rpc.tls import channel_credentials

LOOK_SECONDS = 1.0
"""How often the certificate's files are looked at for changes."""
FRESH_SECONDS = 60.0
"""A token with less life left is replaced, if there is a longer-lived one."""
CALLS_END_SECONDS = 600.0
"""For how long calls that are no streams may go on over a channel that has been replaced."""
DOUBTED_SECONDS = 1.0
"""A channel is given at least so long before it is replaced because calls over it came out garbled."""
Authorization = tuple[tuple[str, str], ...]
Open = Callable[[grpc.ChannelCredentials], grpc.aio.Channel]


@dataclass(frozen=True, slots=True)
class Token:
    """A signed token."""

    text: str
    until: float
    """When it expires, in seconds since 1970."""


class TokenSource(Protocol):
    """Where a caller gets its tokens from."""

    def __call__(self, thumbprint: str) -> Token:
        """One that is bound to the certificate with this thumbprint."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Secured:
    """How a channel proves who calls, and whom it trusts."""

    paths: CertificatePaths
    expect: str | None = None
    """Host name that the service's certificate must have; None: the one in the address."""
    tokens: TokenSource | None = None
    """None for a service of ours: its certificate says who it is."""


class Link(Protocol):
    """The channel of the moment, and what its calls say of the caller."""

    @property
    def channel(self) -> grpc.aio.Channel:
        """The channel for the next call."""
        ...

    @property
    def authorization(self) -> Authorization:
        """The authorization metadata of the next call, which must go over that channel."""
        ...

    def under_way(self, stream: Any) -> None:
        """A stream has begun over the channel."""
        ...

    def doubted(self, channel: grpc.aio.Channel) -> None:
        """A call over this channel came out garbled."""
        ...

    async def close(self, grace: float | None) -> None:
        """Close it."""
        ...


class _Channels:
    """Channels one after the other; calls under way end on the one that they began on."""

    def __init__(self, first: grpc.aio.Channel) -> None:
        self._channel = first
        self._streams = _Streams()
        self._closing: set[asyncio.Task[None]] = set()
        self._since = time.monotonic()

    def _opened(self) -> grpc.aio.Channel:
        """A new one."""
        raise NotImplementedError

    def under_way(self, stream: Any) -> None:
        """Its channel stays open until it ends; the stream itself is not held, so that one who drops it ends it."""
        self._streams.began()
        stream._cython_call.add_done_callback(self._streams.ended)  # noqa: SLF001  # its own would hold it

    def doubted(self, channel: grpc.aio.Channel) -> None:
        """See Link."""
        if channel is self._channel and time.monotonic() - self._since >= DOUBTED_SECONDS:
            self._replace()

    def _replace(self) -> None:
        task = asyncio.get_running_loop().create_task(_close_after(self._channel, self._streams))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        self._channel, self._streams, self._since = self._opened(), _Streams(), time.monotonic()

    async def close(self, grace: float | None) -> None:
        """Close the channel, and those that were kept open for calls under way."""
        for task in tuple(self._closing):
            task.cancel()
        await asyncio.gather(*self._closing, return_exceptions=True)
        await self._channel.close(grace)


class PlainLink(_Channels):
    """On loopback."""

    def __init__(self, open_channel: Callable[[], grpc.aio.Channel], authorization: str) -> None:
        """Call over channels that are opened like this."""
        self._open = open_channel
        super().__init__(open_channel())
        self.authorization: Authorization = ((AUTHORIZATION_HEADER, authorization),)

    def _opened(self) -> grpc.aio.Channel:
        return self._open()

    @property
    def channel(self) -> grpc.aio.Channel:
        """The channel of the moment."""
        return self._channel


class SecuredLink(_Channels):
    """Each channel with the certificate of its time."""

    def __init__(self, secured: Secured, open_channel: Open) -> None:
        """Read the certificate; CertificateFault where there is none."""
        self._files = CertificateFiles(secured.paths)
        self._tokens = secured.tokens
        self._open = open_channel
        super().__init__(self._opened())
        self._look_at = time.monotonic() + LOOK_SECONDS
        self._token: Token | None = None
        self._authorization: Authorization = ()

    def _opened(self) -> grpc.aio.Channel:
        return self._open(channel_credentials(self._files.current))

    @property
    def channel(self) -> grpc.aio.Channel:
        """The channel with the certificate of now."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            if self._files.renew():
                self._replace()
        return self._channel

    @property
    def authorization(self) -> Authorization:
        """A token bound to the certificate of the channel."""
        if self._tokens is None:
            return ()
        if self._token is None or self._token.until < time.time() + FRESH_SECONDS:
            self._token = self._tokens(self._files.current.thumbprint)
            self._authorization = ((AUTHORIZATION_HEADER, f"Bearer {self._token.text}"),)
        return self._authorization

    def _replace(self) -> None:
        super()._replace()
        self._token = None


class _Streams:
    """How many streams go on over a channel."""

    def __init__(self) -> None:
        self._count = 0
        self.none = asyncio.Event()
        self.none.set()

    def began(self) -> None:
        """One more."""
        self._count += 1
        self.none.clear()

    def ended(self) -> None:
        """One less."""
        self._count -= 1
        if not self._count:
            self.none.set()


async def _close_after(channel: grpc.aio.Channel, streams: _Streams) -> None:
    """Close a channel when nothing goes on over it; at once when cancelled."""
    try:
        await streams.none.wait()
        await channel.close(CALLS_END_SECONDS)
    except asyncio.CancelledError:
        await channel.close(None)
        raise
