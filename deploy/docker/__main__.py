"""``python -m deploy.docker``: build the five images with podman or docker."""

import argparse
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from deploy.docker.base import BASE, BaseMissing, make_base
from deploy.docker.contexts import ROOT, SERVICES, image_of, prepare


def main() -> int:
    """0 when all are built; 2 where no tool that builds images is there."""
    options = _options()
    engine = options.engine or next((each for each in ("podman", "docker") if shutil.which(each)), None)
    if engine is None:
        sys.stderr.write("images: not built: neither podman nor docker is on the path\n")
        return 2
    if options.base == BASE:
        try:
            make_base(engine)
        except BaseMissing as missing:
            sys.stderr.write(f"images: not built: {missing}\n")
            return 2
    commit = _said("git", "rev-parse", "HEAD") + ("-dirty" if _said("git", "status", "--porcelain") else "")
    labels = {"VERSION": version("sevenstud"), "COMMIT": commit, "BASE": options.base}
    for service in options.services:
        context = prepare(service)
        arguments = {**labels, "SERVICE": service}
        tag = f"{image_of(service)}:{options.tag}"
        _build(engine, context, arguments, f"localhost/{tag}" if engine == "podman" else tag)
        sys.stdout.write(f"images: {tag}\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="deploy.docker")
    parser.add_argument("--engine", choices=("podman", "docker"), help="default: the first of the two that is there")
    parser.add_argument(
        "--base", default=BASE, help="an image with python3.11 on its path; default: made from Debian's packages"
    )
    parser.add_argument("--tag", default="local")
    parser.add_argument("services", nargs="*", default=SERVICES)
    return parser.parse_args()


def _build(engine: str, context: Path, arguments: dict[str, str], tag: str) -> None:
    recipe = ROOT / "deploy" / "docker" / "Dockerfile"
    command = [engine, "build", "--network=none", "-q", "-f", str(recipe), "-t", tag]
    for name, value in arguments.items():
        command += ["--build-arg", f"{name}={value}"]
    subprocess.run([*command, str(context)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603  # our own words


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
