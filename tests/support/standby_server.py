"""A hot standby that was left behind: it has what its primary had at one moment, answers reads, and hears no more."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager

from tests.support.postgres_server import NOBODY, PostgresServer


class StandbyServer(PostgresServer):
    """Made of the data of a primary that does not run just now."""

    def __init__(self, primary: PostgresServer) -> None:
        self._primary = primary
        super().__init__()

    def _make_data(self) -> None:
        shutil.copytree(self._primary.data, self.data)
        (self.data / "standby.signal").touch()
        if not self._root:
            return
        for folder, folders, files in os.walk(self.folder):
            for each in ("", *folders, *files):
                os.chown(f"{folder}/{each}", NOBODY, NOBODY, follow_symlinks=False)

    def beside(self, url: str) -> str:
        """The address of a database, with this server after the primary."""
        return url.replace(str(self._primary.folder), f"{self._primary.folder},{self.folder}")

    def instead(self, url: str) -> str:
        """The address of a database at this server alone."""
        return url.replace(str(self._primary.folder), str(self.folder))


@contextmanager
def left_behind(primary: PostgresServer) -> Generator[StandbyServer]:
    """With all that is in the primary now, which is killed and started again; gone at the end."""
    primary.kill()
    standby = StandbyServer(primary)
    try:
        standby.start()
        primary.start()
        yield standby
    finally:
        standby.close()
