"""The robots in a process of their own, as somebody else's back end would be."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.console.adapters.service_process import log_end, tied
from services.console.domain.log_end import ending_text
from services.console.domain.results import RobotFigures

_GRACE_SECONDS = 5.0


@dataclass(slots=True)
class RobotsProcess:
    """The running robots."""

    process: asyncio.subprocess.Process
    log: Path
    figures_file: Path

    async def failure(self) -> str:
        """What happened, should the robots end before their work is done; a good end never returns."""
        code = await self.process.wait()
        if code != 0:
            return f"the robots failed ({ending_text(code)}); {log_end(self.log)}"
        await asyncio.Event().wait()
        return ""

    async def figures(self, seconds: float) -> RobotFigures:
        """What they report at their end, waited for this long at most."""
        async with asyncio.timeout(seconds):
            await self.process.wait()
        return _read_figures(self.figures_file)

    async def stop(self) -> None:
        """End them if they still play."""
        if self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


async def start_robots(arguments: Sequence[str], environ: Mapping[str, str], folder: Path) -> RobotsProcess:
    """Start ``sevenstud robots`` with these arguments; its log and figures go into the data folder."""
    log, figures_file = folder / "logs" / "robots.log", folder / "run" / "robots.json"
    with log.open("a", encoding="utf-8") as errors, figures_file.open("w", encoding="utf-8") as figures:
        process = await asyncio.create_subprocess_exec(
            *tied(sys.executable, "-m", "services.console", "robots", *arguments),
            env=dict(environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=figures,
            stderr=errors,
            start_new_session=True,
        )
    return RobotsProcess(process, log, figures_file)


def _read_figures(path: Path) -> RobotFigures:
    return RobotFigures(**json.loads(path.read_text(encoding="utf-8")))
