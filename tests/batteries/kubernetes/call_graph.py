"""Who may talk to whom is who does: the policies against the addresses in the settings."""

from collections.abc import Iterator

from tests.batteries.kubernetes.manifests import NAME, WORKLOADS, Json, Manifests, labels_of, matches, ports_of, where
from tests.batteries.kubernetes.references import config_of

SUPPLIERS = frozenset({"betting", "dealer", "evaluator", "tournament-ledger"})
FOR_CLIENTS = frozenset({"orchestrator", "tournament-ledger"})
Faults = Iterator[str]


def nothing_is_open_by_default(manifests: Manifests) -> Faults:
    """One policy denies everything to everybody."""
    everything = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    if any(policy["spec"] == everything for policy in manifests.of_kind("NetworkPolicy")):
        return
    yield "no policy denies by default"


def policies_name_pods_and_ports(manifests: Manifests) -> Faults:
    """A policy applies to some pods, and its ports are ports of those it lets in."""
    for policy in manifests.of_kind("NetworkPolicy"):
        spec = policy["spec"]
        applied = manifests.workloads(spec["podSelector"])
        if not applied:
            yield f"{where(policy)} applies to nobody"
        for rule in spec.get("ingress", []):
            for port in rule["ports"]:
                lacking = [where(each) for each in applied if port["port"] not in ports_of(each)]
                if lacking:
                    yield f"{where(policy)} lets in by {port['port']}, which {lacking} do not have"


def targets_are_reached(manifests: Manifests) -> Faults:
    """Each address that a service is given is open from it, and to it; nothing else is."""
    for caller in manifests.of_kind(*WORKLOADS):
        wanted = {value for key, value in config_of(manifests, caller).items() if key.endswith("_TARGET")}
        open_to = set(_open_to(manifests, caller))
        for target in wanted ^ open_to:
            what = "cannot reach" if target in wanted else "may reach without need"
            yield f"{where(caller)} {what} {target}"


def _open_to(manifests: Manifests, caller: Json) -> Iterator[str]:
    """host:port of other services that policies let this one reach, from both ends."""
    for service in manifests.of_kind("Service"):
        callee = manifests.workloads({"matchLabels": service["spec"]["selector"]})[0]
        for name, port in ports_of(callee).items():
            if _lets_out(manifests, caller, callee, port) and _lets_in(manifests, callee, caller, name):
                yield f"{service['metadata']['name']}:{port}"


def _lets_out(manifests: Manifests, caller: Json, callee: Json, port: int) -> bool:
    return any(
        any(one["port"] == port for one in rule["ports"]) and any(_is_peer(peer, callee) for peer in rule["to"])
        for policy in manifests.of_kind("NetworkPolicy")
        if matches(policy["spec"]["podSelector"], labels_of(caller))
        for rule in policy["spec"].get("egress", [])
    )


def _lets_in(manifests: Manifests, callee: Json, caller: Json, port: str) -> bool:
    return any(
        any(one["port"] == port for one in rule["ports"]) and any(_is_peer(peer, caller) for peer in rule["from"])
        for policy in manifests.of_kind("NetworkPolicy")
        if matches(policy["spec"]["podSelector"], labels_of(callee))
        for rule in policy["spec"].get("ingress", [])
    )


def _is_peer(peer: Json, workload: Json) -> bool:
    """Pods of this namespace; peers in other namespaces are not ours."""
    return "namespaceSelector" not in peer and matches(peer["podSelector"], labels_of(workload))


def clients_reach_what_is_for_them(manifests: Manifests) -> Faults:
    """From outside only orchestrator and ledger are open, by their gRPC port."""
    open_from_outside: set[tuple[str, str]] = set()
    for policy in manifests.of_kind("NetworkPolicy"):
        for rule in policy["spec"].get("ingress", []):
            if any("sevenstud-clients" in str(peer.get("namespaceSelector", "")) for peer in rule["from"]):
                for workload in manifests.workloads(policy["spec"]["podSelector"]):
                    open_from_outside |= {(labels_of(workload)[NAME], str(port["port"])) for port in rule["ports"]}
    if open_from_outside != {(name, "grpc") for name in FOR_CLIENTS}:
        yield f"open to clients: {sorted(open_from_outside)}"


CHECKS = (
    nothing_is_open_by_default,
    policies_name_pods_and_ports,
    targets_are_reached,
    clients_reach_what_is_for_them,
)
