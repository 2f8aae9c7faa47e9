"""``make images-test``: five images built, looked into, and a tournament played through five containers."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from socket import socket

from deploy.docker.contexts import LEFT_OUT, ROOT, SERVICES, image_of
from tests.batteries.images.evening import played
from tests.batteries.images.pod import pod_of
from tests.batteries.kubernetes import tools

TAG = "test"
MEGABYTES_MAX = {"evaluator": 220}
"""With numpy; all others 150."""
PODMAN_CONF = ROOT / "deploy" / "docker" / "containers.conf"
_LOOK = """\
import importlib.util, json, os, pathlib, pkgutil, services
print(json.dumps({
    "services": sorted(m.name for m in pkgutil.iter_modules(services.__path__)),
    "packages": [n for n in ("asyncpg", "numpy", "opentelemetry", "pip", "pytest", "grpc_tools")
                 if importlib.util.find_spec(n) is not None],
    "shells": [str(p) for d in ("/bin", "/usr/bin", "/usr/local/bin") for p in pathlib.Path(d).glob("*sh")],
    "user": [os.getuid(), os.getgid()],
    "writable": [p for p in ("/", "/opt/sevenstud", "/tmp", "/etc", "/var") if os.access(p, os.W_OK)],
}))
"""
Faults = Iterator[str]


def podman(*arguments: str) -> str:
    """What podman says; what it complains of is raised."""
    environ = {"CONTAINERS_CONF": str(PODMAN_CONF)} | dict(os.environ)
    done = subprocess.run(["podman", *arguments], capture_output=True, text=True, check=False, env=environ)
    if done.returncode:
        raise AssertionError(f"podman {' '.join(arguments[:3])}: {done.stderr.strip()[-1500:]}")
    return done.stdout


def built() -> Faults:
    """Builds them; each is small, labelled, and runs as nobody."""
    command = [sys.executable, "-m", "deploy.docker", "--engine", "podman", "--tag", TAG]
    environ = {"CONTAINERS_CONF": str(PODMAN_CONF)} | dict(os.environ)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environ)
    if done.returncode:
        yield done.stdout[-500:] + done.stderr[-1500:]
        return
    for service in SERVICES:
        found = json.loads(podman("image", "inspect", f"localhost/{image_of(service)}:{TAG}"))[0]
        labels, config = found["Labels"], found["Config"]
        if found["Size"] > MEGABYTES_MAX.get(service, 150) * 1_000_000:
            yield f"{service} takes {found['Size'] / 1e6:.0f} MB"
        for label in ("title", "version", "revision"):
            if not labels.get(f"org.opencontainers.image.{label}"):
                yield f"{service} has no label {label}"
        if config["User"] != "10001:10001":
            yield f"{service} runs as {config['User']}"
        print(f"       {image_of(service)}: {found['Size'] / 1e6:.0f} MB", flush=True)


def looked_into() -> Faults:
    """An image holds its own service and no other, no shell, and nothing that it can write to."""
    for service in SERVICES:
        options = ("--rm", "--network=none", "--read-only", "--read-only-tmpfs=false", "--cap-drop=all")
        image = f"localhost/{image_of(service)}:{TAG}"
        seen = json.loads(podman("run", *options, "--entrypoint", "python3.11", image, "-c", _LOOK))
        if seen["services"] != [service]:
            yield f"{service} holds {seen['services']}"
        unneeded = {"pip", "pytest", "grpc_tools", *LEFT_OUT.get(service, ())}
        yield from (f"{service} holds {name}" for name in seen["packages"] if name in unneeded)
        wanted = {"opentelemetry", "numpy"} - LEFT_OUT.get(service, frozenset())
        yield from (f"{service} lacks {name}" for name in wanted - set(seen["packages"]))
        if seen["shells"] or seen["writable"] or seen["user"] != [10001, 10001]:
            yield f"{service}: {seen}"


@contextmanager
def containers(folder: Path) -> Generator[tuple[str, str]]:
    """The pod is up; addresses of orchestrator and ledger."""
    ports = {"7100": _free_port(), "7104": _free_port()}
    _, manifests = tools.rendered("local", folder)
    path = folder / "pod.json"
    path.write_text(json.dumps(pod_of(manifests, TAG, ports)), encoding="utf-8")
    podman("kube", "play", str(path))
    try:
        yield f"127.0.0.1:{ports['7100']}", f"127.0.0.1:{ports['7104']}"
    except BaseException:
        for name in ("orchestrator", "dealer", "tournament-ledger"):
            print(podman("logs", "--tail", "5", f"sevenstud-test-{name}"))
        raise
    finally:
        podman("kube", "down", str(path))


def a_hand_is_played() -> Faults:
    """A tournament of robots from outside through the five containers."""
    with tempfile.TemporaryDirectory() as folder, containers(Path(folder)) as (orchestrator, ledger):
        began = time.monotonic()
        outcome = asyncio.run(played(orchestrator, ledger))
        print(
            f"       {outcome.actions} actions in {time.monotonic() - began:.0f} seconds, pod start included",
            flush=True,
        )
        yield from outcome.faults


def _free_port() -> int:
    with socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def _lint() -> Faults:
    code, text = tools.ran("hadolint", "deploy/docker/Dockerfile")
    if code:
        yield text


def _told(name: str, faults: Iterable[str]) -> int:
    found = list(faults)
    print(f"  {'FAIL' if found else 'ok  '} {name}", *(f"\n         {fault}" for fault in found), sep="", flush=True)
    return len(found)


def main() -> int:
    """0 where nothing is wrong, 1 where something is, 2 where a tool is missing."""
    needed = [name for name in ("podman", "runc") if which(name) is None]
    if needed:
        print(f"images-test: not run: {', '.join(needed)} not on the path (Debian: podman runc netavark aardvark-dns)")
        return 2
    try:
        count = _told("the recipe is clean (hadolint)", _lint())
        count += _told("five images, small, labelled, built without a network", built())
        count = count or _told("each holds its own and nothing to write to", looked_into())
        count = count or _told("a tournament through five containers", a_hand_is_played())
    except tools.ToolMissing as missing:
        print(f"images-test: not run: {missing}")
        return 2
    print(f"images-test: {count} faults" if count else "images-test: nothing is wrong")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
