"""One pod with the five containers as the overlay for one's own machine has them, for ``podman kube play``."""

from collections.abc import Mapping
from typing import Any

from tests.batteries.kubernetes.manifests import NAME, WORKLOADS, Json, Manifests, container_of, labels_of
from tests.batteries.kubernetes.settings_read import environment_of

ORDER = ("betting", "evaluator", "dealer", "tournament-ledger", "orchestrator")
DATA = "/var/lib/sevenstud"


def pod_of(manifests: Manifests, tag: str, host_ports: Mapping[str, int]) -> Json:
    """The manifest: settings, rights and limits of the overlay; the volumes are empty, other services are localhost."""
    workloads = {labels_of(each)[NAME]: each for each in manifests.of_kind(*WORKLOADS)}
    containers = [_container(manifests, workloads[name], tag, host_ports) for name in ORDER]
    security = workloads[ORDER[0]]["spec"]["template"]["spec"]["securityContext"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "sevenstud-test"},
        "spec": {
            "automountServiceAccountToken": False,
            "securityContext": security,
            "containers": containers,
            "volumes": [{"name": f"{name}-data", "emptyDir": {}} for name in ORDER[2:]],
        },
    }


def _container(manifests: Manifests, workload: Json, tag: str, host_ports: Mapping[str, int]) -> Json:
    name, given = labels_of(workload)[NAME], container_of(workload)
    variables = {key: _here(value) for key, value in environment_of(manifests, workload).items()}
    made: dict[str, Any] = {
        "name": name,
        "image": f"localhost/sevenstud-{name}:{tag}",
        "imagePullPolicy": "Never",
        "env": [{"name": key, "value": value} for key, value in sorted(variables.items())],
        "ports": [{"containerPort": port["containerPort"], **_on_host(port, host_ports)} for port in given["ports"]],
        "resources": {"limits": given["resources"]["limits"]},
        "securityContext": given["securityContext"] | manifests_user(workload),
    }
    if name in ORDER[2:]:
        made["volumeMounts"] = [{"name": f"{name}-data", "mountPath": DATA}]
    return made


def manifests_user(workload: Json) -> Json:
    """The numbers that the process runs under; podman wants them at the container."""
    security = workload["spec"]["template"]["spec"]["securityContext"]
    return {key: security[key] for key in ("runAsUser", "runAsGroup")}


def _here(value: str) -> str:
    """Addresses of other pods are localhost within one pod."""
    host, colon, port = value.partition(":")
    return f"localhost:{port}" if colon and host in ORDER and port.isdigit() else value


def _on_host(port: Json, host_ports: Mapping[str, int]) -> Json:
    number = host_ports.get(str(port["containerPort"]))
    return {"hostPort": number, "hostIP": "127.0.0.1"} if number else {}
