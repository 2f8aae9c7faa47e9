"""Keeping the metrics of services that are about to stop."""

import asyncio
from pathlib import Path

_SECONDS = 5.0
_BYTES_MAX = 4 * 1024 * 1024


async def save_metrics(address: str, path: Path) -> None:
    """Write what a service's /metrics says now into a file."""
    host, _, port = address.rpartition(":")
    async with asyncio.timeout(_SECONDS):
        reader, writer = await asyncio.open_connection(host, int(port), limit=_BYTES_MAX)
        writer.write(f"GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        page = await reader.read(-1)
        writer.close()
    _write(path, page.partition(b"\r\n\r\n")[2])


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
