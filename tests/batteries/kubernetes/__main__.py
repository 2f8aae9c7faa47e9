"""``make k8s-check``: both overlays rendered, validated, judged, and every reference in them followed."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.batteries.kubernetes import call_graph, references, tools
from tests.batteries.kubernetes.manifests import Manifests
from tests.batteries.kubernetes.probes import probes_are_answered
from tests.batteries.kubernetes.settings_read import settings_are_read

OVERLAYS = ("local", "production")


def _checked(overlay: str, folder: Path) -> tuple[Manifests, int]:
    """An overlay and how many faults it has; each check says what it found."""
    print(f"{overlay}:")
    path, manifests = tools.rendered(overlay, folder)
    count = _told(f"schemas of Kubernetes {tools.KUBERNETES} and of custom kinds", tools.schema_faults(path))
    count += _told("policies (checkov)", tools.policy_faults(path))
    count += _told("settings are read", settings_are_read(manifests, folder / f"{overlay}-mounted"))
    for check in (*references.CHECKS, *call_graph.CHECKS):
        count += _told(check.__name__.replace("_", " "), check(manifests))
    print(f"  {len(manifests.objects)} objects", flush=True)
    return manifests, count


def _told(name: str, faults: Iterable[str]) -> int:
    found = list(faults)
    print(f"  {'FAIL' if found else 'ok  '} {name}", *(f"\n         {fault}" for fault in found), sep="", flush=True)
    return len(found)


def main() -> int:
    """0 where nothing is wrong, 1 where something is, 2 where a tool is missing."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            checked = [_checked(overlay, Path(folder)) for overlay in OVERLAYS]
            faults = sum(count for _, count in checked)
            answered = probes_are_answered([manifests for manifests, _ in checked], Path(folder))
            faults += _told("probes are answered by the real processes", answered)
    except tools.ToolMissing as missing:
        print(f"k8s-check: not run: {missing}")
        return 2
    print(f"k8s-check: {faults} faults" if faults else "k8s-check: all references lead somewhere, nothing is wrong")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
