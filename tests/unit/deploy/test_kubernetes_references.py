"""The check of the manifests finds what it looks for: each planted fault is named, and a suite without one has none."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.batteries.kubernetes import call_graph, references
from tests.batteries.kubernetes.manifests import Json, Manifests
from tests.batteries.kubernetes.settings_read import settings_are_read

Plant = Callable[[dict[str, Json]], object]
PORTS = {"orchestrator": (7100, 7200), "dealer": (7101, 7201)}


def _workload(name: str) -> list[Json]:
    calls, metrics = PORTS[name]
    labels = {"app.kubernetes.io/name": name}
    prefix = f"SEVENSTUD_{name.upper()}"
    data = {
        f"{prefix}_LISTEN": f"0.0.0.0:{calls}",
        f"{prefix}_METRICS_LISTEN": f"0.0.0.0:{metrics}",
        f"{prefix}_INSECURE": "true",
        f"{prefix}_DRAIN_NOTICE_SECONDS": "3",
        f"{prefix}_DRAIN_SECONDS": "15",
    }
    if name == "orchestrator":
        data[f"{prefix}_DEALER_TARGET"] = "dealer:7101"
    container: Json = {
        "name": name,
        "envFrom": [{"configMapRef": {"name": name}}],
        "ports": [{"name": "grpc", "containerPort": calls}, {"name": "metrics", "containerPort": metrics}],
        "lifecycle": {"preStop": {"sleep": {"seconds": 2}}},
    }
    container |= {
        f"{each}Probe": {"httpGet": {"path": "/ready", "port": "metrics"}}
        for each in ("startup", "readiness", "liveness")
    }
    pod: Json = {"serviceAccountName": name, "terminationGracePeriodSeconds": 45, "containers": [container]}
    spec: Json = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
    ports = [
        {"name": port, "port": number, "targetPort": port} for port, number in (("grpc", calls), ("metrics", metrics))
    ]
    return [
        {"kind": "Deployment", "metadata": {"name": name}, "spec": spec},
        {"kind": "Service", "metadata": {"name": name}, "spec": {"selector": labels, "ports": ports}},
        {"kind": "ServiceAccount", "metadata": {"name": name}},
        {"kind": "ConfigMap", "metadata": {"name": name}, "data": data},
        {"kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}}},
    ]


def _policy(name: str, applied: str, **rules: Any) -> Json:
    selector = {"matchLabels": {"app.kubernetes.io/name": applied}} if applied else {}
    spec = {"podSelector": selector, "policyTypes": ["Ingress", "Egress"], **rules}
    return {"kind": "NetworkPolicy", "metadata": {"name": name}, "spec": spec}


def _suite() -> list[Json]:
    orchestrator = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "orchestrator"}}}
    dealer = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "dealer"}}}
    return [
        *_workload("orchestrator"),
        *_workload("dealer"),
        _policy("deny-all", ""),
        _policy("in", "dealer", ingress=[{"from": [orchestrator], "ports": [{"port": "grpc"}]}]),
        _policy("out", "orchestrator", egress=[{"to": [dealer], "ports": [{"port": 7101}]}]),
    ]


def _faults(plant: Plant, check: Callable[[Manifests], references.Faults]) -> list[str]:
    objects = deepcopy(_suite())
    plant({f"{each['kind']} {each['metadata']['name']}": each for each in objects})
    return list(check(Manifests("local", tuple(objects))))


def _container(things: dict[str, Json]) -> Json:
    container: Json = things["Deployment dealer"]["spec"]["template"]["spec"]["containers"][0]
    return container


def _nothing(_: dict[str, Json]) -> None:
    """No fault at all."""


CHECKS = [
    *references.CHECKS,
    *(each for each in call_graph.CHECKS if each.__name__ != "clients_reach_what_is_for_them"),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_suite_without_a_fault_has_none(check: Callable[[Manifests], references.Faults]) -> None:
    assert _faults(_nothing, check) == []


PLANTED: list[tuple[str, Callable[[Manifests], references.Faults], Plant]] = [
    (
        "a service that selects nobody",
        references.services_reach_pods,
        lambda things: things["Service dealer"]["spec"].update(selector={"app.kubernetes.io/name": "delaer"}),
    ),
    (
        "a port that is another",
        references.services_reach_pods,
        lambda things: things["Service dealer"]["spec"]["ports"][0].update(port=7102),
    ),
    (
        "a workload that selects all pods",
        references.workloads_select_their_pods,
        lambda things: things["Deployment dealer"]["spec"].update(selector={}),
    ),
    (
        "a probe on a port without a name",
        references.probes_ask_named_ports,
        lambda things: _container(things)["livenessProbe"]["httpGet"].update(port="metric"),
    ),
    (
        "a config map that is not there",
        references.what_pods_need_is_there,
        lambda things: _container(things)["envFrom"][0]["configMapRef"].update(name="deal"),
    ),
    (
        "a secret that is not there",
        references.what_pods_need_is_there,
        lambda things: _container(things).update(env=[{"name": "X", "valueFrom": {"secretKeyRef": {"name": "keys"}}}]),
    ),
    (
        "a volume that is not mounted",
        references.what_pods_need_is_there,
        lambda things: _container(things).update(volumeMounts=[{"name": "data"}]),
    ),
    (
        "a budget for other pods",
        references.what_stands_beside_a_workload_names_it,
        lambda things: things["PodDisruptionBudget dealer"]["spec"].update(selector={}),
    ),
    (
        "a kill in the middle of the drain",
        references.ends_after_the_drain,
        lambda things: things["ConfigMap dealer"]["data"].update(SEVENSTUD_DEALER_DRAIN_SECONDS="40"),
    ),
    (
        "a policy that lets everybody in",
        call_graph.nothing_is_open_by_default,
        lambda things: things["NetworkPolicy deny-all"]["spec"].update(ingress=[{}]),
    ),
    (
        "a policy for nobody",
        call_graph.policies_name_pods_and_ports,
        lambda things: things["NetworkPolicy in"]["spec"].update(podSelector={"matchLabels": {"app": "dealer"}}),
    ),
    (
        "a target that may not be reached",
        call_graph.targets_are_reached,
        lambda things: things["NetworkPolicy out"]["spec"]["egress"][0]["ports"][0].update(port=7102),
    ),
    (
        "a way that nobody needs",
        call_graph.targets_are_reached,
        lambda things: things["ConfigMap orchestrator"]["data"].pop("SEVENSTUD_ORCHESTRATOR_DEALER_TARGET"),
    ),
]


@pytest.mark.parametrize(("name", "check", "plant"), PLANTED, ids=[each[0] for each in PLANTED])
def test_a_planted_fault_is_found(name: str, check: Callable[[Manifests], references.Faults], plant: Plant) -> None:
    assert _faults(plant, check), name


def test_the_settings_of_a_pod_are_those_that_its_service_reads(tmp_path: Path) -> None:
    assert _faults(_nothing, lambda manifests: settings_are_read(manifests, tmp_path)) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEALER_LISTEN", "0.0.0.0:7109"),
        ("DEALER_INSECURE", "perhaps"),
        ("DEALER_DATABSE", "x"),
        ("DEALER_INSECURE", ""),
    ],
)
def test_a_setting_that_is_wrong_or_unknown_is_found(tmp_path: Path, name: str, value: str) -> None:
    def plant(things: dict[str, Json]) -> None:
        things["ConfigMap dealer"]["data"][f"SEVENSTUD_{name}"] = value

    assert _faults(plant, lambda manifests: settings_are_read(manifests, tmp_path))
