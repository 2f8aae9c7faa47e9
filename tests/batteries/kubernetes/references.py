"""Every name in the manifests leads somewhere: ports, labels, config, secrets, accounts, volumes, scaling targets."""

from collections.abc import Callable, Iterator

from tests.batteries.kubernetes.manifests import (
    WORKLOADS,
    Json,
    Manifests,
    container_of,
    labels_of,
    ports_of,
    where,
)

MADE_BEFOREHAND = {
    "local": frozenset[str](),
    "production": frozenset(
        {
            "ConfigMap revoked",
            "ConfigMap token-keys",
            "Secret dealer-database",
            "Secret dealer-keys",
            "Secret orchestrator-database",
            "Secret sevenstud-authority",
            "Secret tournament-ledger-database",
        }
    ),
}
"""What an overlay expects to find; its kustomization says so in words."""
RESERVE_SECONDS = 5
Faults = Iterator[str]


def services_reach_pods(manifests: Manifests) -> Faults:
    """A Service selects the pods of one workload, and its ports are theirs."""
    for service in manifests.of_kind("Service"):
        found = manifests.workloads({"matchLabels": service["spec"]["selector"]})
        if len(found) != 1:
            yield f"{where(service)} selects {len(found)} workloads"
            continue
        ports = ports_of(found[0])
        for port in service["spec"]["ports"]:
            if ports.get(port["targetPort"]) != port["port"]:
                yield f"{where(service)} leads port {port['port']} to {port['targetPort']}, which is {ports}"


def workloads_select_their_pods(manifests: Manifests) -> Faults:
    """A workload selects its own pods and no other's."""
    for workload in manifests.of_kind(*WORKLOADS):
        found = manifests.workloads(workload["spec"]["selector"])
        if found != [workload]:
            yield f"{where(workload)} selects {[where(each) for each in found]}"
        if workload["kind"] == "StatefulSet" and not manifests.named("Service", workload["spec"]["serviceName"]):
            yield f"{where(workload)} names no Service"


def probes_ask_named_ports(manifests: Manifests) -> Faults:
    """All three probes, over HTTP on the metrics port."""
    for workload in manifests.of_kind(*WORKLOADS):
        container = container_of(workload)
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            port = container.get(probe, {}).get("httpGet", {}).get("port")
            if port != "metrics" or port not in ports_of(workload):
                yield f"{where(workload)} has no {probe} on the port metrics"


def what_pods_need_is_there(manifests: Manifests) -> Faults:
    """Config maps, secrets, accounts and volumes."""
    made = MADE_BEFOREHAND[manifests.overlay] | {where(each) for each in manifests.objects}
    made |= {f"Secret {each['spec']['secretName']}" for each in manifests.of_kind("Certificate")}
    for workload in manifests.of_kind(*WORKLOADS):
        yield from (f"{where(workload)} needs {need}" for need in _needs(workload) if need not in made)
        spec, container = workload["spec"]["template"]["spec"], container_of(workload)
        volumes = {each["name"] for each in spec.get("volumes", [])}
        volumes |= {each["metadata"]["name"] for each in workload["spec"].get("volumeClaimTemplates", [])}
        mounts = {each["name"] for each in container.get("volumeMounts", [])}
        if mounts != volumes:
            yield f"{where(workload)} mounts {sorted(mounts)} and has {sorted(volumes)}"
    for issuer in manifests.of_kind("Issuer"):
        if f"Secret {issuer['spec']['ca']['secretName']}" not in made:
            yield f"{where(issuer)} needs its secret"
    for certificate in manifests.of_kind("Certificate"):
        if manifests.named("Issuer", certificate["spec"]["issuerRef"]["name"]) is None:
            yield f"{where(certificate)} names no Issuer"


def _needs(workload: Json) -> Iterator[str]:
    spec, container = workload["spec"]["template"]["spec"], container_of(workload)
    yield f"ServiceAccount {spec['serviceAccountName']}"
    for source in container.get("envFrom", []):
        yield f"ConfigMap {source['configMapRef']['name']}"
    for variable in container.get("env", []):
        if "valueFrom" in variable:
            yield f"Secret {variable['valueFrom']['secretKeyRef']['name']}"
    for volume in spec.get("volumes", []):
        if "secret" in volume:
            yield f"Secret {volume['secret']['secretName']}"
        for source in volume.get("projected", {}).get("sources", [volume]):
            if "configMap" in source:
                yield f"ConfigMap {source['configMap']['name']}"


def what_stands_beside_a_workload_names_it(manifests: Manifests) -> Faults:
    """Budgets, autoscalers and monitors."""
    for workload in manifests.of_kind(*WORKLOADS):
        name = workload["metadata"]["name"]
        budget = manifests.named("PodDisruptionBudget", name)
        if budget is None or manifests.workloads(budget["spec"]["selector"]) != [workload]:
            yield f"{where(workload)} has no budget of its own"
    for scaler in manifests.of_kind("HorizontalPodAutoscaler"):
        target = scaler["spec"]["scaleTargetRef"]
        found = manifests.named(target["kind"], target["name"])
        if found is None or "replicas" in found["spec"]:
            yield f"{where(scaler)} has no target that leaves its replicas open"
    for monitor in manifests.of_kind("ServiceMonitor"):
        names = {port["name"] for each in manifests.of_kind("Service") for port in each["spec"]["ports"]}
        for endpoint in monitor["spec"]["endpoints"]:
            if endpoint["port"] not in names:
                yield f"{where(monitor)} reads the port {endpoint['port']}, which no Service has"


def ends_after_the_drain(manifests: Manifests) -> Faults:
    """The grace covers the hook before the stop, the notice, and twice the drain: calls, then handlers cut off."""
    for workload in manifests.of_kind(*WORKLOADS):
        data = config_of(manifests, workload)
        prefix = prefix_of(workload)
        hook = container_of(workload)["lifecycle"]["preStop"]["sleep"]["seconds"]
        notice, drain = (float(data[f"{prefix}_{name}"]) for name in ("DRAIN_NOTICE_SECONDS", "DRAIN_SECONDS"))
        grace = workload["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        if grace < hook + notice + 2 * drain + RESERVE_SECONDS:
            yield f"{where(workload)} is killed after {grace} seconds, in the middle of its drain"


def config_of(manifests: Manifests, workload: Json) -> dict[str, str]:
    """The variables that a workload takes from config maps."""
    found: dict[str, str] = {}
    for source in container_of(workload).get("envFrom", []):
        config = manifests.named("ConfigMap", source["configMapRef"]["name"])
        found |= config["data"] if config else {}
    return found


def prefix_of(workload: Json) -> str:
    """The prefix of the variables of a service."""
    return f"SEVENSTUD_{labels_of(workload)['app.kubernetes.io/name'].upper().replace('-', '_')}"


CHECKS: tuple[Callable[[Manifests], Faults], ...] = (
    services_reach_pods,
    workloads_select_their_pods,
    probes_ask_named_ports,
    what_pods_need_is_there,
    what_stands_beside_a_workload_names_it,
    ends_after_the_drain,
)
