"""The bill of materials: what an image holds besides our code, package by package, with its hashes (CycloneDX)."""

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from deploy.supply_chain.locks import LOCKS, Locked, parse
from deploy.supply_chain.rows import Row, row
from deploy.supply_chain.tools import ROOT, Json, Tools

NAME = "sbom.cdx.json"


def faults_of(bill: Json, locked: tuple[Locked, ...]) -> list[str]:
    """Where a bill is not what the lock of the images says."""
    if bill.get("bomFormat") != "CycloneDX":
        return ["no bill was written"]
    components: dict[str, Json] = {canonicalize_name(each["name"]): each for each in bill.get("components", [])}
    found = [f"{each.name} is missing" for each in locked if each.name not in components]
    found += [f"{name} is not in the lock" for name in components if name not in {each.name for each in locked}]
    for each in locked:
        component = components.get(each.name)
        if component is not None:
            found += [f"{each.name} has another version"] if component.get("version") != each.version else []
            found += [f"{each.name} has no hash"] if not list(_hashes(component)) else []
    return found


def _hashes(component: Json) -> Iterator[str]:
    """Of the package itself, or of what it may be fetched as."""
    for place in (component, *component.get("externalReferences", [])):
        yield from (each["content"] for each in place.get("hashes", []))


def rows(tools: Tools) -> Iterator[Row]:
    """One row for the bill, one for a bill with a fault."""
    lock = LOCKS / "runtime.txt"
    said = tools.run(
        "cyclonedx-py", "requirements", str(lock), "--pyproject", str(ROOT / "pyproject.toml"), "--validate",
        "--output-reproducible", "--output-format", "JSON", "--output-file", tools.path(NAME),
    )  # fmt: skip
    bill, locked = tools.read(NAME), parse(lock.read_text(encoding="utf-8"))
    faults = faults_of(bill, locked) if said.code == 0 else [said.errors.strip()[-200:] or "the tool failed"]
    found = ", ".join(faults[:5]) or f"{len(locked)} components in {tools.path(NAME)}"
    yield row("materials", "bill of materials, as the lock of the images", found, holds=not faults)
    planted = [faults_of(each, locked) for each in _planted(bill)] if not faults else []
    caught = sum(bool(each) for each in planted)
    yield row("materials", "planted faults are found", f"{caught} of {len(planted)}", holds=caught == len(planted) > 0)


def _planted(bill: Json) -> Iterator[Json]:
    """Bills with one fault each."""
    first, *rest = bill["components"]
    yield bill | {"components": rest}
    yield bill | {"components": [first | {"version": "0"}, *rest]}
    yield bill | {"components": [{"name": first["name"], "version": first["version"]}, *rest]}
    yield {}
