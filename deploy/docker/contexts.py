"""What the recipe copies: for each service a folder with its own wheel, its locked packages, and nothing else."""

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from ensurepip import __path__ as ensurepip_path
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "deploy" / "locks" / "runtime.txt"
FOLDER = ROOT / "build" / "images"
SERVICES = ("betting", "dealer", "evaluator", "orchestrator", "tournament_ledger")
LEFT_OUT: Mapping[str, frozenset[str]] = {
    "betting": frozenset({"asyncpg", "numpy"}),
    "dealer": frozenset({"numpy"}),
    "evaluator": frozenset({"asyncpg"}),
    "orchestrator": frozenset({"numpy"}),
    "tournament_ledger": frozenset({"numpy"}),
}
"""Packages that a service has no use for: two keep nothing, and only the evaluator counts over arrays."""
_SHARED = ("pyproject.toml", "README.md", "protos", "shared", "services/__init__.py", "services/py.typed")
_SERVE = """\
import runpy

runpy.run_module("services.{service}", run_name="__main__", alter_sys=True)
"""
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


def image_of(service: str) -> str:
    """The name of the image of a service."""
    return f"sevenstud-{service.replace('_', '-')}"


def prepare(service: str) -> Path:
    """The folder that the recipe is run in; what is in it is made anew."""
    context = FOLDER / service
    shutil.rmtree(context, ignore_errors=True)
    wheels = context / "wheels"
    wheels.mkdir(parents=True)
    (context / "var").mkdir()
    (context / "var" / ".keep").touch()
    (context / "serve.py").write_text(_SERVE.format(service=service), encoding="utf-8")
    lines = list(locked(service))
    own = _own_wheel(service, wheels)
    digest = hashlib.sha256(own.read_bytes()).hexdigest()
    lines.append(f"sevenstud @ file:///wheels/{own.name} --hash=sha256:{digest}\n")
    (context / "requirements.txt").write_text("".join(lines), encoding="utf-8")
    for wheel in _downloaded().glob("*.whl"):
        if _name(wheel.name) in {_name(found) for found in _REQUIREMENT.findall("".join(lines))}:
            shutil.copy(wheel, wheels)
    bundled = next(Path(ensurepip_path[0]).glob("_bundled/pip-*.whl"))
    shutil.copy(bundled, wheels / "pip.whl")
    return context


def _name(text: str) -> str:
    """A package's name as all ways of writing it agree on; of a wheel, its first part."""
    return re.sub(r"[-_.]+", "-", text.partition("-")[0] if text.endswith(".whl") else text).lower()


def locked(service: str) -> Iterator[str]:
    """The lines of the lock without the packages that the service leaves out."""
    leaving = False
    for line in LOCK.read_text(encoding="utf-8").splitlines(keepends=True):
        found = _REQUIREMENT.match(line)
        if found:
            leaving = found[1] in LEFT_OUT.get(service, frozenset())
        if not leaving:
            yield line


def _downloaded() -> Path:
    """All locked wheels, fetched once; the only step that asks the package index."""
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    folder = FOLDER / f"wheels-{digest}"
    if not folder.exists():
        fresh = folder.with_suffix(".fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        _run("download", "--require-hashes", "--no-deps", "--only-binary=:all:", "-d", fresh, "-r", LOCK)
        fresh.rename(folder)
    return folder


def _own_wheel(service: str, folder: Path) -> Path:
    """A wheel of the contract's stubs, the shared code and this one service."""
    source = FOLDER / f"source-{service}"
    shutil.rmtree(source, ignore_errors=True)
    for name in (*_SHARED, f"services/{service}"):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    _run("wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, source)
    shutil.rmtree(source)
    return next(folder.glob("sevenstud-*.whl"))


def _run(command: str, *arguments: str | Path) -> None:
    """Pip of this environment; it stops here where pip fails."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", command]
    subprocess.run([*pip, *map(str, arguments)], check=True, cwd=ROOT)  # noqa: S603  # our own words
