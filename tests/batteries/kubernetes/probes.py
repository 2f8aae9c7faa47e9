"""Every path that a probe or Prometheus asks for is answered by the real process."""

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from tests.batteries.kubernetes.manifests import NAME, WORKLOADS, Manifests, container_of, labels_of, where
from tests.support.servers import ServiceProcess, start_service

ORDER = ("betting", "evaluator", "dealer", "tournament_ledger", "orchestrator")


def probes_are_answered(overlays: Sequence[Manifests], folder: Path) -> Iterator[str]:
    """Starts the five services and asks them."""
    processes: dict[str, ServiceProcess] = {}
    try:
        for service in ORDER:
            settings = {} if service in ORDER[:2] else {"DATABASE": str(folder / f"{service}.sqlite")}
            if service == "orchestrator":
                settings |= {f"{name.upper()}_TARGET": each.address for name, each in processes.items()}
            processes[service] = start_service(service, folder, settings)
        for manifests in overlays:
            yield from _answered(manifests, processes)
    finally:
        for process in processes.values():
            process.stop(60.0)


def _answered(manifests: Manifests, processes: Mapping[str, ServiceProcess]) -> Iterator[str]:
    for workload in manifests.of_kind(*WORKLOADS):
        address = processes[labels_of(workload)[NAME].replace("-", "_")].metrics_address
        container = container_of(workload)
        paths = {container[f"{each}Probe"]["httpGet"]["path"] for each in ("startup", "readiness", "liveness")}
        for path in sorted(paths | {"/metrics"}):
            if (status := _status(f"http://{address}{path}")) != HTTPStatus.OK:
                yield f"{where(workload)} answers {path} with {status}"


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310  # our own process
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
