"""What an overlay renders to, and how to look things up in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
WORKLOADS = ("Deployment", "StatefulSet")
NAME = "app.kubernetes.io/name"


@dataclass(frozen=True, slots=True)
class Manifests:
    """The objects of one overlay."""

    overlay: str
    objects: tuple[Json, ...]

    def of_kind(self, *kinds: str) -> Iterator[Json]:
        """All objects of these kinds."""
        return (each for each in self.objects if each["kind"] in kinds)

    def named(self, kind: str, name: str) -> Json | None:
        """One object."""
        return next((each for each in self.of_kind(kind) if each["metadata"]["name"] == name), None)

    def workloads(self, selector: Json) -> list[Json]:
        """The workloads whose pods a label selector matches; an empty selector matches all."""
        return [each for each in self.of_kind(*WORKLOADS) if matches(selector, labels_of(each))]


def labels_of(workload: Json) -> Mapping[str, str]:
    """Labels of the pods of a workload."""
    return dict(workload["spec"]["template"]["metadata"]["labels"])


def container_of(workload: Json) -> Json:
    """Its one container."""
    return dict(workload["spec"]["template"]["spec"]["containers"][0])


def ports_of(workload: Json) -> dict[str, int]:
    """Ports of its container, by name."""
    return {str(each["name"]): int(each["containerPort"]) for each in container_of(workload)["ports"]}


def matches(selector: Json, labels: Mapping[str, str]) -> bool:
    """Whether labels fit a selector of matchLabels and matchExpressions (In only: others are not used)."""
    wanted = selector.get("matchLabels", {})
    expressions = selector.get("matchExpressions", [])
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        each["operator"] == "In" and labels.get(each["key"]) in each["values"] for each in expressions
    )


def where(thing: Json) -> str:
    """An object as people speak of it."""
    return f"{thing['kind']} {thing['metadata']['name']}"
