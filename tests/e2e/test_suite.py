"""The suite as processes on this machine: one owner for each port, folder and database; a stop that hurts nobody."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.console.adapters.leftovers import lasting_leftovers
from services.console.adapters.service_process import SuiteFault
from services.console.adapters.suite import Suite
from services.console.domain.suite_plan import SERVICES

pytestmark = pytest.mark.process
START_SECONDS = 60.0
END_SECONDS = 40.0


def _environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}


@asynccontextmanager
async def _up(folder: Path, *options: str) -> AsyncGenerator[asyncio.subprocess.Process, None]:
    """`sevenstud up --json` as a process; killed with the suite's own stop if the test fails."""
    command = (sys.executable, "-m", "services.console", "up", "--json", "--data", str(folder), *options)
    process = await asyncio.create_subprocess_exec(
        *command, env=_environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def _addresses(process: asyncio.subprocess.Process) -> dict[str, dict[str, str]]:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
    services: dict[str, dict[str, str]] = json.loads(line)["services"]
    return services


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def _start_again(suite: Suite, service: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Start a second instance with the settings of the first, some of them changed; it must end by itself."""
    prefix = f"SEVENSTUD_{service.upper()}_"
    environ = suite.environment(service) | {prefix + name: value for name, value in changes.items()}
    del environ[f"{prefix}READY_FILE"]
    return subprocess.run(
        [sys.executable, "-m", f"services.{service}"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=END_SECONDS,
        check=False,
    )


async def test_every_service_drains_on_sigterm_and_ends_with_exit_code_0(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()) as suite:
        addresses = [suite.address(service) for service in SERVICES]
        assert all(_listens(address) for address in addresses)
        for service in reversed(SERVICES):
            assert await suite.stop(service) == 0
            log = suite.log(service).read_text(encoding="utf-8")
            assert '"draining"' in log
            assert '"stopped"' in log
        assert not any(_listens(address) for address in addresses)


async def test_a_second_instance_on_the_same_port_refuses_to_start(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()) as suite:
        for service in SERVICES:
            changes = {"METRICS_LISTEN": "127.0.0.1:0"}
            if f"SEVENSTUD_{service.upper()}_DATABASE" in suite.environment(service):
                changes["DATABASE"] = str(tmp_path / f"another-{service}.sqlite")
            second = await asyncio.to_thread(_start_again, suite, service, **changes)
            assert second.returncode != 0
            assert suite.address(service) in second.stderr
            assert _listens(suite.address(service))


async def test_a_second_instance_on_the_same_database_refuses_to_start(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()) as suite:
        for service in ("dealer", "tournament_ledger", "orchestrator"):
            free = {"LISTEN": "127.0.0.1:0", "METRICS_LISTEN": "127.0.0.1:0"}
            second = await asyncio.to_thread(_start_again, suite, service, **free)
            assert second.returncode != 0
            assert f"{service}.sqlite" in second.stderr


async def test_one_folder_holds_one_suite(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()):
        with pytest.raises(SuiteFault, match=rf"another suite uses.*kill {os.getpid()}\)"):
            await Suite(tmp_path, _environ()).__aenter__()


async def test_a_killed_service_comes_back_where_it_was(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()) as suite:
        address = suite.address("dealer")
        await suite.kill("dealer")
        assert not _listens(address)
        await suite.start("dealer")
        assert suite.address("dealer") == address
        assert _listens(address)


async def test_a_service_that_cannot_start_is_named_with_the_end_of_its_log(tmp_path: Path) -> None:
    wrong = _environ() | {"SEVENSTUD_DEALER_LOG_LEVEL": "loud"}
    with pytest.raises(SuiteFault, match=r"(?s)dealer did not start \(exit code 2\).*LOG_LEVEL is 'loud'"):
        await Suite(tmp_path, wrong).__aenter__()


async def test_up_stops_everything_on_sigterm_and_ends_with_exit_code_0(tmp_path: Path) -> None:
    async with _up(tmp_path, "--base-port", "0") as process:
        services = await _addresses(process)
        assert set(services) == set(SERVICES)
        assert all(_listens(service["address"]) for service in services.values())
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), END_SECONDS) == 0
        assert not any(_listens(service["address"]) for service in services.values())


async def test_up_ends_with_a_clear_message_when_a_service_dies(tmp_path: Path) -> None:
    async with _up(tmp_path, "--base-port", "0") as process:
        services = await _addresses(process)
        os.kill(int(services["betting"]["pid"]), signal.SIGKILL)
        _, errors = await asyncio.wait_for(process.communicate(), END_SECONDS)
        assert process.returncode == 1
        assert errors.decode() == (
            "sevenstud: betting has ended unasked (killed by signal 9); "
            f"its log {tmp_path}/logs/betting.log ends without a warning\n"
            "The other services were stopped. Start again: nothing is lost.\n"
        )
        assert not any(_listens(service["address"]) for service in services.values())


async def test_services_end_with_a_console_that_was_killed(tmp_path: Path) -> None:
    async with _up(tmp_path, "--base-port", "0") as process:
        services = await _addresses(process)
        process.kill()
        await process.wait()
        assert await lasting_leftovers(tmp_path, END_SECONDS) == {}
        assert not any(_listens(service["address"]) for service in services.values())
    async with Suite(tmp_path, _environ()) as suite:
        assert all(_listens(suite.address(service)) for service in SERVICES)


async def test_services_of_an_earlier_suite_are_named_and_left_alone(tmp_path: Path) -> None:
    async with Suite(tmp_path, _environ()) as suite:
        (tmp_path / "suite.lock").unlink()  # as if the console were gone
        pid, ready = suite.pid("dealer"), tmp_path / "run" / "dealer.json"
        with pytest.raises(SuiteFault, match=rf"earlier suite still runs.*dealer \(process {pid}\).*kill {pid} "):
            await Suite(tmp_path, _environ()).__aenter__()
        assert json.loads(ready.read_text(encoding="utf-8"))["pid"] == pid
        assert _listens(suite.address("dealer"))


async def test_up_says_which_port_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        async with _up(tmp_path, "--base-port", str(port - 2)) as process:
            _, errors = await asyncio.wait_for(process.communicate(), END_SECONDS)
    assert process.returncode == 1
    assert f"port {port} (for betting) is taken".encode() in errors
    assert not (tmp_path / "logs").exists()  # nothing has been started
