"""S7 and S16: the tests that attack rights, tokens and certificates, as one row."""

import re
import subprocess
import sys
from collections.abc import Iterator

from tests.batteries.report import Row, judged

MARKER = "attack"


def rights_and_identities() -> Iterator[Row]:
    """Rows S7 and S16: every test with the marker."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", MARKER, "-s", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-300:]
    passed = re.search(r"(\d+) passed", last)
    for line in done.stdout.splitlines():
        if line.startswith(("FAILED", "figure: ")):
            print(f"  {line}")
    yield judged(
        "S7",
        "S7 and S16: each RPC x role x subject, default deny; certificates and tokens wrong in every way: 0 accepted",
        f"pytest -m {MARKER}: {last.strip('= ')}",
        holds=done.returncode == 0 and passed is not None and int(passed[1]) > 0,
    )
