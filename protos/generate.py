"""Turn the contracts in protos/ into the typed Python package `sevenstud`.

Runs in two ways: as hatchling's build hook (every install and wheel), and as a script
(`python protos/generate.py`, that is `make proto`). Output: build/stubs/sevenstud, emptied first.
The folders under protos/ are named like the proto packages, so the imports that protoc writes are
right as they are. Only grpc.aio stubs are typed: the suite has no other kind of server.
"""

import os
import shutil
import sys
import sysconfig
from importlib import resources
from pathlib import Path
from typing import Any

from grpc_tools import protoc  # type: ignore[import-untyped]  # grpcio-tools ships no types
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
STUBS = ROOT / "build" / "stubs"


class GenerateStubs(BuildHookInterface[Any]):
    """hatchling calls this before it packs a wheel or installs in editable mode."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  # hatchling's signature
        """Build the stubs so that they are packed with the code that needs them."""
        if self.target_name == "wheel":
            generate()


def plugin(name: str) -> Path:
    """Full path of a protoc plugin: beside this interpreter first, then on PATH.

    A build without isolation does not put the environment's scripts on PATH.
    """
    beside = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    found = shutil.which(name, path=os.pathsep.join(map(str, beside))) or shutil.which(name)
    if found is None:
        raise SystemExit(f"protoc plugin {name} is not installed; `make setup` installs it")
    return Path(found)


def generate() -> int:
    """Write build/stubs/sevenstud anew and return how many contract files went in."""
    sources = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.glob("sevenstud/**/*.proto"))
    fresh = STUBS.with_name(f"stubs.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    (fresh / "sevenstud").mkdir(parents=True)
    if sources:
        _run_protoc(sources, fresh)
    _make_packages(fresh / "sevenstud")
    _replace(fresh)
    return len(sources)


def _run_protoc(sources: list[str], out: Path) -> None:
    well_known = resources.files("grpc_tools") / "_proto"
    arguments = [
        "protoc",
        f"-I{PROTOS}",
        f"-I{well_known}",
        f"--plugin=protoc-gen-mypy={plugin('protoc-gen-mypy')}",
        f"--plugin=protoc-gen-mypy_grpc={plugin('protoc-gen-mypy_grpc')}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out=quiet:{out}",
        f"--mypy_grpc_out=quiet,only_async:{out}",
        *sources,
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc refused the contracts in protos/ (see above)")


def _make_packages(package: Path) -> None:
    """Every folder becomes a typed package, so that nothing depends on namespace rules."""
    (package / "py.typed").touch()
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").write_text('"""Generated from protos/; see protos/README.md."""\n', encoding="utf-8")


def _replace(fresh: Path) -> None:
    """Swap the new stubs in; a reader sees the old ones or the new ones."""
    old = STUBS.with_name(f"stubs.old.{os.getpid()}")
    if STUBS.exists():
        STUBS.rename(old)
    fresh.rename(STUBS)
    shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    print(f"proto: {generate()} contract files -> {STUBS.relative_to(ROOT)}/sevenstud")
