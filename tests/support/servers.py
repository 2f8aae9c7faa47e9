"""Services for tests: through the real server assembly in the test's own loop, or as real processes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from services.console.adapters.dev_pki import Pki
from services.console.adapters.token_signing import DEV_ISSUER
from shared.kernel.caller import Caller, Role
from shared.rpc.channel import UNARY_SECONDS, CallingChannel
from shared.rpc.client import open_channel
from shared.rpc.drain import Drain
from shared.rpc.server import Assembly, RunningServer, start_server
from shared.rpc.server_settings import ServerSettings
from shared.rpc.tls_settings import TRUST_DOMAIN, TlsSettings
from shared.rpc.tokens import TokenRules

ANY_PORT = "127.0.0.1:0"
SERVICE = Caller(Role.SERVICE, "test")
START_SECONDS_MAX = 60.0


def server_settings(**changes: object) -> ServerSettings:
    """Settings of a server on free ports that stops quickly."""
    values: dict[str, object] = {
        "listen": ANY_PORT,
        "metrics_listen": ANY_PORT,
        "drain_notice_seconds": 0.0,
        "drain_seconds": 2.0,
    }
    return ServerSettings(**(values | changes))  # type: ignore[arg-type]  # names are those of the settings


def tls_of(pki: Pki, service: str, revoked: Path | None = None) -> TlsSettings:
    """A service's own side of TLS, and the tokens that it takes."""
    own = pki.service(service)
    return TlsSettings(
        certificate=own.certificate,
        private_key=own.private_key,
        client_ca=own.authorities,
        server_ca=own.authorities,
        trust_domain=TRUST_DOMAIN,
        token_keys=pki.token_keys,
        token_rules=TokenRules(DEV_ISSUER, "sevenstud", 900),
        revoked=revoked,
    )


@asynccontextmanager
async def serving(
    assembly: Assembly, settings: ServerSettings | None = None, drain: Drain | None = None
) -> AsyncGenerator[RunningServer, None]:
    """The real server with this assembly, on a free port, in this loop."""
    server = await start_server(assembly, settings or server_settings(), drain)
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def calling(
    address: str, caller: Caller = SERVICE, unary_seconds: float = UNARY_SECONDS
) -> AsyncGenerator[CallingChannel, None]:
    """A channel of ours to an address; hand it to a generated stub."""
    channel = open_channel(address, caller, unary_seconds)
    try:
        yield channel
    finally:
        await channel.close()


@dataclass(frozen=True, slots=True)
class ServiceProcess:
    """A service that runs as a process of its own."""

    process: "subprocess.Popen[bytes]"
    address: str
    metrics_address: str
    log: Path

    def stop(self, seconds: float = 15.0) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.kill()
        self.process.wait(5.0)


def start_service(
    service: str,
    folder: Path,
    settings: Mapping[str, str] | None = None,
    module: str | None = None,
    before: Sequence[str] = (),
) -> ServiceProcess:
    """Start ``python -m services.<service>`` on free ports with its files in ``folder``; waits until it serves.

    ``settings`` are variable names without the prefix, as in {"DATABASE": ...}. Stop or kill it in the end. ``before``
    is a command that ends by becoming the one after it, as setpriv does.
    """
    ready = Path(tempfile.mkdtemp(dir=folder)) / "ready.json"
    log = ready.with_name(f"{service}.log")
    own = {"LISTEN": ANY_PORT, "METRICS_LISTEN": ANY_PORT, "READY_FILE": str(ready)} | dict(settings or {})
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    environ |= {f"SEVENSTUD_{service.upper()}_{name}": value for name, value in own.items()}
    command = [*before, sys.executable, "-m", module or f"services.{service}"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environ, stdout=output, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + START_SECONDS_MAX
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise AssertionError(f"{service} did not start, exit code {process.returncode}:\n{log.read_text()}")
        time.sleep(0.02)
    found = json.loads(ready.read_text())
    return ServiceProcess(process, found["listen"], found["metrics_listen"], log)


@asynccontextmanager
async def running(
    service: str,
    folder: Path,
    settings: Mapping[str, str] | None = None,
    module: str | None = None,
    before: Sequence[str] = (),
) -> AsyncGenerator[ServiceProcess, None]:
    """A service process for the length of a test; as start_service."""
    started = await asyncio.to_thread(start_service, service, folder, settings, module, before)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.terminate()
            try:
                await asyncio.to_thread(started.process.wait, 15.0)
            except subprocess.TimeoutExpired:
                started.kill()
