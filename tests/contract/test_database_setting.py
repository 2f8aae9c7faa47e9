"""Where a store is kept, tried on each service as a process: what is taken, what is refused, what is left behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.servers import ANY_PORT

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
STORES = ["dealer", "tournament_ledger", "orchestrator"]
START_SECONDS_MAX = 20.0


def started(service: str, folder: Path, location: str, **settings: str) -> "subprocess.Popen[str]":
    """The service in an empty folder, told where its database is; settings that only the dealer has go to it alone."""
    own = {"LISTEN": ANY_PORT, "METRICS_LISTEN": ANY_PORT, "DATABASE": location}
    own |= settings if service == "dealer" else {}
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    environ |= {f"SEVENSTUD_{service.upper()}_{name}": value for name, value in own.items()}
    environ |= {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", f"services.{service}"]
    return subprocess.Popen(
        command, env=environ, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.mark.parametrize("service", STORES)
def test_a_service_refuses_a_database_it_cannot_open_and_makes_nothing(service: str, tmp_path: Path) -> None:
    process = started(service, tmp_path, "mysql://user:hunter2@db/books")
    output, _ = process.communicate(timeout=START_SECONDS_MAX)
    assert process.returncode == 2
    named = f"settings: SEVENSTUD_{service.upper()}_DATABASE has the scheme mysql, which is not supported"
    assert named in output
    assert "hunter2" not in output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("service", STORES)
def test_a_service_says_when_its_postgresql_cannot_be_reached_and_keeps_the_password(
    service: str, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    process = started(service, tmp_path, "postgresql://user:hunter2@127.0.0.1:1/books", KEY_FILE=str(keys))
    output, _ = process.communicate(timeout=START_SECONDS_MAX)
    assert process.returncode == 1
    assert "cannot start: PostgreSQL 127.0.0.1:1/books cannot be reached" in output
    assert "hunter2" not in output
    assert not keys.exists()


@pytest.mark.parametrize("service", STORES)
def test_a_service_keeps_its_store_where_a_sqlite_location_says(service: str, tmp_path: Path) -> None:
    file = tmp_path / "kept" / "store.sqlite"
    process = started(service, tmp_path, f"sqlite:///{file}")
    try:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not file.is_file() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert file.is_file()
        assert not (tmp_path / "sqlite:").exists()
    finally:
        process.kill()
        process.communicate(timeout=5.0)
