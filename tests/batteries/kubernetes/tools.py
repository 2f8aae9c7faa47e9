"""Tools from outside: kustomize, schemas, policies. Each is run as a program of its own; a missing one is no pass."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.batteries.kubernetes.manifests import Manifests

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ROOT / "build" / "deploy-tools" / "bin"
KUBERNETES = "1.37"
ALLOWED = ROOT / "deploy" / "kubernetes" / "checkov.yaml"
CUSTOM = Path(__file__).with_name("custom_schemas.py")
_TO_JSON = "import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)"


class ToolMissing(Exception):  # noqa: N818  # read as a sentence
    """A tool is not there: nothing was checked."""


def ran(program: str, *arguments: str, given: str = "") -> tuple[int, str]:
    """Exit code and output of a tool."""
    path = TOOLS / program
    if not path.exists():
        raise ToolMissing(f"{program} is not in {TOOLS.relative_to(ROOT)}: make deploy-tools")
    done = subprocess.run([path, *arguments], input=given, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, done.stdout + done.stderr


def rendered(overlay: str, folder: Path) -> tuple[Path, Manifests]:
    """An overlay as kustomize makes it: a file for the tools, and the objects."""
    code, text = ran("kubectl", "kustomize", f"deploy/kubernetes/overlays/{overlay}")
    if code:
        raise AssertionError(text)
    path = folder / f"{overlay}.yaml"
    path.write_text(text, encoding="utf-8")
    code, objects = ran("python", "-c", _TO_JSON, given=text)
    assert code == 0, objects
    path.with_suffix(".json").write_text(objects, encoding="utf-8")
    return path, Manifests(overlay, tuple(json.loads(objects)))


def schema_faults(path: Path) -> Iterator[str]:
    """Against the schemas of Kubernetes, strictly, and those of cert-manager and the Prometheus operator."""
    code, text = ran("kubernetes-validate", "--strict", "-k", KUBERNETES, str(path))
    if code:
        yield from (line for line in text.splitlines() if not line.startswith(("INFO", "WARN")))
    unknown = {line.split(" kind ")[1].split()[0] for line in text.splitlines() if line.startswith("WARN")}
    code, text = ran("python", str(CUSTOM), str(path.with_suffix(".json")), *sorted(unknown))
    if code:
        yield from text.splitlines()


def policy_faults(path: Path) -> Iterator[str]:
    """Checkov, with the exceptions that are written down with their reasons."""
    options = ("--config-file", str(ALLOWED), "--framework", "kubernetes", "--output", "json", "--file", str(path))
    code, text = ran("checkov", *options)
    report, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
    for each in report["results"]["failed_checks"]:
        yield f"{each['check_id']} {each['check_name']}: {each['resource']}"
    if not report["summary"]["passed"]:
        yield f"checkov checked nothing (exit {code})"
