"""The main job, in small: three robots play a tournament to the last chip through five processes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow]
DEMO_SECONDS = 120.0


def test_three_robots_play_a_tournament_to_the_last_chip(tmp_path: Path) -> None:
    options = ["--players", "3", "--stack", "200", "--level-hands", "2", "--fast", "--data", str(tmp_path / "demo")]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    demo = subprocess.run(
        [sys.executable, "-m", "services.console", "demo", *options],
        env=environ,
        capture_output=True,
        text=True,
        timeout=DEMO_SECONDS,
        check=False,
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert _standings(demo.stdout) == [(1, 600), (2, 0), (3, 0)]
    assert "600 chips issued, 600 at the end" in demo.stdout
    _check_proof(demo.stdout)
    assert "0 refused by the rules" in demo.stdout
    assert demo.stdout.rstrip().endswith("all services have stopped")
    _check_folder(tmp_path / "demo")


def _standings(output: str) -> list[tuple[int, int]]:
    lines = re.findall(r"^ +(\d+)  (?:ada|bruno|carla) +([\d,]+) chips", output, re.MULTILINE)
    return [(int(place), int(chips.replace(",", ""))) for place, chips in lines]


def _check_proof(output: str) -> None:
    assert re.search(r"^ledger: sound, [1-9]\d* entries", output, re.MULTILINE)
    sums = re.findall(r"^  sum of (\S+): (-?\d+) over", output, re.MULTILINE)
    assert "EUR" in dict(sums)
    assert {total for _, total in sums} == {"0"}
    heads = re.findall(r"^  head of (\S+): entry \d+, [0-9a-f]{64}$", output, re.MULTILINE)
    assert "wallets" in heads


def _check_folder(folder: Path) -> None:
    for service in ("dealer", "betting", "evaluator", "tournament_ledger", "orchestrator"):
        assert (folder / "logs" / f"{service}.log").stat().st_size > 0
        assert b"grpc_server_handled_total" in (folder / "metrics" / f"{service}.prom").read_bytes()
