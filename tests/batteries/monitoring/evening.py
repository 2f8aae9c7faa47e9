"""A demo evening of the real suite, and a real Prometheus that reads it every second."""

import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from socket import socket

from services.console.domain.suite_plan import SERVICES
from tests.batteries.monitoring.queries import Prometheus, PrometheusAway

ROOT = Path(__file__).resolve().parents[3]
RULES = ROOT / "deploy" / "monitoring" / "prometheus" / "alerts.yaml"
EVENING_SECONDS_MAX = 300.0
THINKING_SECONDS = "0.3"
"""So that the evening lasts long enough to be read many times."""
_CONFIG = """\
global: {{scrape_interval: 1s, evaluation_interval: 5s}}
rule_files: ["{rules}"]
scrape_configs:
{jobs}
"""
_JOB = """\
  - job_name: {job}
    file_sd_configs: [{{files: ["{targets}"], refresh_interval: 1s}}]
"""


class ToolMissing(Exception):  # noqa: N818  # read as a sentence
    """A tool is not there: nothing was checked."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What was read, and the moment to ask for: the end of the evening, while all was up."""

    prometheus: Prometheus
    pages: dict[str, str]
    """The last page of metrics of each service."""


def tool(name: str) -> str:
    """Where a tool is; ToolMissing says how to get it."""
    found = which(name)
    if found is None:
        raise ToolMissing(f"{name} is not on the path (Debian: apt-get install prometheus)")
    return found


@contextmanager
def evening(folder: Path) -> Generator[Evening]:
    """Plays the evening; Prometheus stays up to be asked."""
    address = f"127.0.0.1:{free_port()}"
    reading = start_prometheus(folder, address)
    try:
        at, pages = _play(folder)
        prometheus = Prometheus(address, at)
        yield Evening(prometheus, pages)
    finally:
        reading.terminate()
        reading.wait(30)


def start_prometheus(folder: Path, address: str) -> "subprocess.Popen[bytes]":
    """A server with our rules; it reads each service where ``folder``/SERVICE.json says."""
    jobs = "".join(_JOB.format(job=_job(service), targets=folder / f"{service}.json") for service in SERVICES)
    (folder / "prometheus.yaml").write_text(_CONFIG.format(rules=RULES, jobs=jobs), encoding="utf-8")
    options = ("config.file=" + str(folder / "prometheus.yaml"), f"storage.tsdb.path={folder / 'tsdb'}")
    command = [tool("prometheus"), *(f"--{each}" for each in options), f"--web.listen-address={address}"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 60
    while not Prometheus(address, None).ready():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise PrometheusAway((folder / "prometheus.log").read_text(encoding="utf-8"))
        time.sleep(0.2)
    return process


def _play(folder: Path) -> tuple[float, dict[str, str]]:
    """The evening from its first to its last card; the last moment at which all services were there."""
    data = folder / "data"
    command = [sys.executable, "-m", "services.console", "demo", "--plain", "--data", str(data)]
    command += ["--players", "8", "--delay", THINKING_SECONDS, "--seed", "7", "--level-hands", "2"]
    with (folder / "demo.log").open("wb") as log:
        demo = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT)
    last, deadline = 0.0, time.monotonic() + EVENING_SECONDS_MAX
    while demo.poll() is None:
        if time.monotonic() > deadline:
            demo.terminate()
            demo.wait(60)
            break
        if _targets(folder, data):
            last = time.time()
        time.sleep(0.5)
    saved = {service: data / "metrics" / f"{service}.prom" for service in SERVICES}
    if not last or not all(path.exists() for path in saved.values()):
        raise PrometheusAway((folder / "demo.log").read_text(encoding="utf-8")[-2000:])
    return last, {service: path.read_text(encoding="utf-8") for service, path in saved.items()}


def _targets(folder: Path, data: Path) -> bool:
    """Tell Prometheus where the services are; False until all are."""
    found: dict[str, str] = {}
    for service in SERVICES:
        ready = data / "run" / f"{service}.json"
        try:
            found[service] = json.loads(ready.read_text(encoding="utf-8"))["metrics_listen"]
        except (OSError, ValueError):
            return False
    for service, address in found.items():
        path = folder / f"{service}.json"
        if not path.exists():
            path.write_text(json.dumps([{"targets": [address]}]), encoding="utf-8")
    return True


def _job(service: str) -> str:
    return service.replace("_", "-")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port
