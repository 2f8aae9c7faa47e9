"""The check of the compose file finds what it looks for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.docker import contexts
from tests.batteries.compose import references
from tests.batteries.compose.references import Json
from tests.batteries.kubernetes.settings_read import READERS

PORTS = {"orchestrator": 7100, "dealer": 7101, "betting": 7102, "evaluator": 7103, "tournament-ledger": 7104}
PROMETHEUS: Json = {
    "scrape_configs": [
        {"job_name": name, "static_configs": [{"targets": [f"{name}:{port + 100}"]}]} for name, port in PORTS.items()
    ]
}
Check = Callable[[Json], references.Faults]


def _compose() -> Json:
    services: Json = {}
    for name, port in PORTS.items():
        prefix = f"SEVENSTUD_{name.upper().replace('-', '_')}"
        environment = {
            f"{prefix}_LISTEN": f"0.0.0.0:{port}",
            f"{prefix}_METRICS_LISTEN": f"0.0.0.0:{port + 100}",
            f"{prefix}_INSECURE": "true",
            f"{prefix}_DRAIN_NOTICE_SECONDS": "3",
            f"{prefix}_DRAIN_SECONDS": "15",
        }
        services[name] = {"environment": environment, "networks": ["suite", "monitoring"], "stop_grace_period": "40s"}
    targets = {
        f"SEVENSTUD_ORCHESTRATOR_{name}_TARGET": f"{name.lower()}:{PORTS[name.lower()]}"
        for name in ("DEALER", "BETTING")
    }
    services["orchestrator"]["environment"] |= targets
    services["orchestrator"]["ports"] = ["127.0.0.1:7100:7100"]
    return {"services": services, "networks": {"suite": {}, "monitoring": {}, "other": {}}, "volumes": {}}


CHECKS: dict[str, Check] = {
    "settings": references.settings_are_read,
    "names": lambda compose: references.names_lead_somewhere(compose, Path()),
    "targets": references.targets_are_reached,
    "metrics": lambda compose: references.metrics_are_read(compose, PROMETHEUS),
    "drain": references.ends_after_the_drain,
    "ports": references.only_this_machine,
}
PLANTED: list[tuple[str, str, Callable[[Json], object]]] = [
    ("a misspelt setting", "settings", lambda dealer: dealer["environment"].update(SEVENSTUD_DEALER_LISTN="x")),
    ("a network that is not there", "names", lambda dealer: dealer.update(networks=["suit"])),
    ("a file that is not there", "names", lambda dealer: dealer.update(volumes=["./nowhere.sh:/x:ro"])),
    ("a service that nobody is", "names", lambda dealer: dealer.update(depends_on={"postgrse": {}})),
    ("a network of its own", "targets", lambda dealer: dealer.update(networks=["other"])),
    ("another port", "targets", lambda dealer: dealer["environment"].update(SEVENSTUD_DEALER_LISTEN="0.0.0.0:7109")),
    ("metrics that nobody reads", "metrics", lambda dealer: dealer.update(networks=["suite"])),
    ("a kill in the drain", "drain", lambda dealer: dealer.update(stop_grace_period="20s")),
    ("a port open to all", "ports", lambda dealer: dealer.update(ports=["7101:7101"])),
]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_file_without_a_fault_has_none(check: Check) -> None:
    assert list(check(_compose())) == []


@pytest.mark.parametrize(("name", "check", "plant"), PLANTED, ids=[each[0] for each in PLANTED])
def test_a_planted_fault_is_found(name: str, check: str, plant: Callable[[Json], object]) -> None:
    compose = _compose()
    plant(compose["services"]["dealer"])
    assert list(CHECKS[check](compose)), name


def test_a_variable_that_the_example_does_not_name_is_found() -> None:
    compose = "".join(f"${{{name}:?set it}}" for name in references.MADE_UP)
    example = "".join(f"{name}=\n" for name in references.MADE_UP)
    assert list(references.variables_are_named(compose, example)) == []
    assert list(references.variables_are_named(compose, example.replace("DEALER_KEYS=", "DEALER_KEY=")))


def test_an_image_holds_the_packages_of_its_own_service_only() -> None:
    assert {contexts.image_of(service).removeprefix("sevenstud-") for service in contexts.SERVICES} == READERS.keys()
    locked = {service: "".join(contexts.locked(service)) for service in contexts.SERVICES}
    for service, lines in locked.items():
        assert "grpcio==" in lines
        assert ("asyncpg==" in lines) == (service not in {"betting", "evaluator"})
        assert ("numpy==" in lines) == (service == "evaluator")
        assert lines.count("--hash=") > lines.count("==")
