"""``make compose-check``: the compose file's form, its references, and what Prometheus and Grafana find."""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.batteries.compose import references
from tests.batteries.kubernetes import tools

FOLDER = tools.ROOT / "deploy" / "compose"
MONITORING = tools.ROOT / "deploy" / "monitoring"
_TO_JSON = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"


def _read(path: Path) -> dict[str, object]:
    code, text = tools.ran("python", "-c", _TO_JSON, given=path.read_text(encoding="utf-8"))
    assert code == 0, text
    found: dict[str, object] = json.loads(text)
    return found


def _form(compose: dict[str, object]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "compose.json"
        path.write_text(json.dumps(compose), encoding="utf-8")
        code, text = tools.ran("python", str(Path(__file__).with_name("form.py")), str(path))
    if code:
        yield from text.splitlines()


def main() -> int:
    """0 where nothing is wrong, 1 where something is, 2 where a tool is missing."""
    try:
        compose = _read(FOLDER / "compose.yaml")
        prometheus = _read(MONITORING / "prometheus" / "prometheus.yaml")
        checks = {
            "form of the file": _form(compose),
            "variables of .env": references.variables_are_named(
                (FOLDER / "compose.yaml").read_text(encoding="utf-8"),
                (FOLDER / ".env.example").read_text(encoding="utf-8"),
            ),
            "settings are read": references.settings_are_read(compose),
            "names lead somewhere": references.names_lead_somewhere(compose, FOLDER),
            "targets are reached": references.targets_are_reached(compose),
            "metrics are read": references.metrics_are_read(compose, prometheus),
            "ends after the drain": references.ends_after_the_drain(compose),
            "only this machine": references.only_this_machine(compose),
        }
        found = {name: list(faults) for name, faults in checks.items()}
    except tools.ToolMissing as missing:
        print(f"compose-check: not run: {missing}")
        return 2
    for name, faults in found.items():
        print(f"  {'FAIL' if faults else 'ok  '} {name}", *(f"\n         {fault}" for fault in faults), sep="")
    count = sum(map(len, found.values()))
    print(f"compose-check: {count} faults" if count else "compose-check: nothing is wrong; it was not started here")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
