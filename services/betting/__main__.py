"""Betting as a process: ``python -m services.betting``."""

import os
import sys

from services.betting.rpc.assembly import SERVICE, betting_assembly
from services.betting.settings import Settings
from shared.rpc.main import observe, run_service
from shared.rpc.server import serve


async def main() -> None:
    """Read the settings, put the parts together, serve until asked to stop."""
    settings = Settings.from_env(os.environ)
    observe(SERVICE, settings.server)
    await serve(betting_assembly(), settings.server)


if __name__ == "__main__":
    sys.exit(run_service(main))
