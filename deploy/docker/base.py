"""The base image, from Debian's packages: Python and what it needs; no shell, no package manager that could run."""

import shutil
import subprocess
import sys

from deploy.docker.contexts import FOLDER

BASE = "localhost/sevenstud-base:bookworm"
SUITE = "bookworm"
PACKAGES = ("python3.11", "libstdc++6", "netbase")
HOOKS = "/usr/share/mmdebstrap/hooks/merged-usr"
UNNEEDED = (
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "usr/share/perl5",
    "usr/lib/python3.11/idlelib",
    "usr/lib/python3.11/lib2to3",
    "usr/bin/dpkg*",
    "usr/bin/tar",
    "var/lib/apt/lists",
    "var/cache",
)


class BaseMissing(Exception):  # noqa: N818  # read as a sentence
    """The base image cannot be made here; the message says what is needed."""


def make_base(engine: str) -> None:
    """Make it where it is not there yet."""
    there = subprocess.run([engine, "image", "inspect", BASE], capture_output=True, check=False)  # noqa: S603
    if there.returncode == 0:
        return
    if shutil.which("mmdebstrap") is None:
        raise BaseMissing("mmdebstrap is not on the path (Debian: apt-get install mmdebstrap); or give --base IMAGE")
    sys.stdout.write("images: the base, from Debian's packages (a minute)\n")
    FOLDER.mkdir(parents=True, exist_ok=True)
    archive = FOLDER / "base.tar"
    unneeded = " ".join(f'"$1"/{path}' for path in UNNEEDED)
    options = ("--variant=extract", f"--hook-dir={HOOKS}", f"--customize-hook=rm -rf {unneeded}")
    made = ["mmdebstrap", "--quiet", *options, f"--include={','.join(PACKAGES)}", SUITE, str(archive)]
    subprocess.run(made, check=True)  # noqa: S603  # our own words
    subprocess.run([engine, "import", str(archive), BASE], check=True, capture_output=True)  # noqa: S603
    archive.unlink()
