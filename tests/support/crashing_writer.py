"""A process that appends to a store until it is killed, and says on its output what was acknowledged."""

import asyncio
import os
import sys

from shared.config.location import location_of
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.opening import open_database


async def main(path: str) -> None:
    store = await open_database(location_of(path), "test")
    log = EventLog(store)

    async def run(stream: str) -> None:
        version = await log.version(stream)
        while True:
            await store.write(log.append(stream, version, [NewEvent("fact", b"x" * 200)], 1))
            version += 1
            os.write(1, f"{stream} {version}\n".encode())

    await asyncio.gather(*(run(f"stream-{number}") for number in range(8)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
