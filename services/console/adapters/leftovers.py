"""Services of an earlier suite that still run: found by their ready files, never touched."""

import asyncio
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from services.console.domain.suite_plan import SERVICES, ready_file

DRAIN_SECONDS = 5.0
"""For how long services whose console was killed may still be draining."""
_POLL_SECONDS = 0.1


async def lasting_leftovers(folder: Path, seconds: float = DRAIN_SECONDS) -> Mapping[str, int]:
    """Process ids of the services that still run in this folder after a moment's patience."""
    for _ in range(int(seconds / _POLL_SECONDS)):
        if not leftovers(folder):
            break
        await asyncio.sleep(_POLL_SECONDS)
    return leftovers(folder)


def leftovers(folder: Path) -> Mapping[str, int]:
    """Process ids of the services that run in this folder, as their ready files say."""
    found = {service: _pid(Path(ready_file(service, folder))) for service in SERVICES}
    return {service: pid for service, pid in found.items() if pid is not None and _is_service(service, pid)}


def _pid(path: Path) -> int | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads(path.read_text(encoding="utf-8"))["pid"])
    return None


def _is_service(service: str, pid: int) -> bool:
    """Whether this process is that service, and not another one that got the number later."""
    command = Path(f"/proc/{pid}/cmdline")
    if command.parent.parent.joinpath("self").exists():
        with suppress(OSError):
            return f"services.{service}".encode() in command.read_bytes()
        return False
    with suppress(OSError):
        os.kill(pid, 0)
        return True
    return False
