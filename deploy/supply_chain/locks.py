"""Every package is pinned with hashes, nothing says where it comes from, and what is installed is what is pinned."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.supply_chain.rows import Row, row
from deploy.supply_chain.tools import ROOT, Json

LOCKS = ROOT / "deploy" / "locks"
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")
ADDRESS = re.compile(r"://|--index-url|--extra-index-url|--find-links|--trusted-host|^-[irfe] ", re.MULTILINE)
OWN = frozenset({"sevenstud", "pip", "setuptools", "wheel"})
"""What an environment has besides its lock."""


@dataclass(frozen=True, slots=True)
class Locked:
    """One package of a lock."""

    name: str
    version: str
    hashes: int
    applies: bool
    """Its marker holds here."""


def parse(text: str) -> tuple[Locked, ...]:
    """The packages of a lock; an entry without an exact version has none."""
    entries = re.sub(r"\\\n", " ", text).splitlines()
    return tuple(_entry(line) for line in entries if line.strip() and not line.lstrip().startswith("#"))


def _entry(line: str) -> Locked:
    requirement = Requirement(line.split(" --hash", 1)[0].strip())
    pins = [each.version for each in requirement.specifier if each.operator == "=="]
    applies = requirement.marker is None or requirement.marker.evaluate()
    return Locked(
        canonicalize_name(requirement.name), pins[0] if len(pins) == 1 else "", len(HASH.findall(line)), applies
    )


def faults_of(text: str) -> Iterator[str]:
    """What is wrong with a lock."""
    if ADDRESS.search(text):
        yield "names an address"
        return
    packages = parse(text)
    if not packages:
        yield "holds no package"
    for each in packages:
        if not each.version:
            yield f"{each.name} is not pinned"
        if not each.hashes:
            yield f"{each.name} has no hash"


def unlocked(project: Json, lock: str, extras: tuple[str, ...]) -> list[str]:
    """Requirements of the project that its lock does not meet."""
    locked = {each.name: each.version for each in parse(lock)}
    wanted = [Requirement(text) for text in _requirements(project, extras)]
    return [
        str(each)
        for each in wanted
        if not each.specifier.contains(locked.get(canonicalize_name(each.name)) or "0", prereleases=True)
    ]


def _requirements(project: Json, extras: tuple[str, ...]) -> Iterator[str]:
    table = project["project"]
    yield from table["dependencies"]
    for extra in extras:
        yield from table["optional-dependencies"][extra]


def not_as_locked(lock: str, installed: Mapping[str, str]) -> list[str]:
    """Installed packages of another version than the lock's, missing ones, and ones that it does not know."""
    locked = {each.name: each.version for each in parse(lock) if each.applies}
    other = [f"{name} {installed.get(name, 'missing')}" for name, pin in locked.items() if installed.get(name) != pin]
    return sorted(other + [f"{name} (not locked)" for name in installed if name not in locked and name not in OWN])


def installed_here() -> dict[str, str]:
    """The packages of this environment."""
    return {canonicalize_name(each.metadata["Name"]): each.version for each in metadata.distributions()}


PLANTED: Mapping[str, str] = {
    "no hash": "grpcio==1.78.0\n",
    "no pin": f"grpcio>=1.78 \\\n    --hash=sha256:{'0' * 64}\n",
    "an address": f"--index-url https://example.org\ngrpcio==1.78.0 \\\n    --hash=sha256:{'0' * 64}\n",
    "empty": "# nothing\n",
}


def rows(locks: Path = LOCKS) -> Iterator[Row]:
    """A row for each lock, for the project, and for this environment."""
    paths = sorted(locks.glob("*.txt"))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        faults = list(faults_of(text))
        found = ", ".join(faults[:5]) or _size(parse(text))
        yield row("locks", f"{path.name}: every package pinned with hashes, no address", found, holds=not faults)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    dev, runtime = ((locks / f"{name}.txt").read_text(encoding="utf-8") for name in ("dev", "runtime"))
    missing = [*unlocked(project, dev, ("dev", "console")), *unlocked(project, runtime, ())]
    yield row("locks", "what pyproject.toml wants is locked", ", ".join(missing) or "all of it", holds=not missing)
    other = not_as_locked(dev, installed_here())
    yield row("locks", "what is installed is what is locked", ", ".join(other[:5]) or "all of it", holds=not other)
    caught = [name for name, text in PLANTED.items() if list(faults_of(text))]
    found = f"{len(caught)} of {len(PLANTED)}"
    yield row("locks", "planted faults are found", found, holds=len(caught) == len(PLANTED))


def _size(packages: tuple[Locked, ...]) -> str:
    return f"{len(packages)} pinned, {sum(each.hashes for each in packages):,} hashes"
