"""Objects of cert-manager and of the Prometheus operator against their models; run by the tools' own Python.

python custom_schemas.py FILE KIND...
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

cert_manager: Any = import_module("cloudcoil.models.cert_manager.v1")  # not in the project's own environment
prometheus: Any = import_module("cloudcoil.models.prometheus_operator.v1")
MODELS = {
    "Certificate": cert_manager.Certificate,
    "Issuer": cert_manager.Issuer,
    "PrometheusRule": prometheus.PrometheusRule,
    "ServiceMonitor": prometheus.ServiceMonitor,
}


def lost(given: Any, kept: Any, path: str = "") -> list[str]:
    """Fields that the model does not know: it leaves them out."""
    if isinstance(given, dict):
        if not isinstance(kept, dict):
            return [path]
        return [each for key, value in given.items() for each in lost(value, kept.get(key), f"{path}.{key}")]
    if isinstance(given, list):
        pairs = zip(given, kept or [None] * len(given), strict=False)
        return [each for at, (one, other) in enumerate(pairs) for each in lost(one, other, f"{path}[{at}]")]
    return [] if kept is not None or given is None else [path]


def faults(file: str, kinds: list[str]) -> list[str]:
    """What is wrong with the objects of these kinds."""
    found = [f"no schema for the kind {kind}" for kind in kinds if kind not in MODELS]
    objects = [each for each in json.loads(Path(file).read_text(encoding="utf-8")) if each["kind"] in MODELS]
    for thing in objects:
        name = f"{thing['kind']} {thing['metadata']['name']}"
        try:
            model = MODELS[thing["kind"]].model_validate(thing)
        except ValueError as fault:
            found.append(f"{name}: {fault}")
            continue
        kept = model.model_dump(by_alias=True, mode="json", exclude_none=True)
        found += [f"{name}: the field {path[1:]} is unknown" for path in lost(thing, kept)]
    return found


if __name__ == "__main__":
    problems = faults(sys.argv[1], sys.argv[2:])
    sys.stderr.write("\n".join(problems))
    sys.exit(bool(problems))
