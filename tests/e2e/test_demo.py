"""The main job, in small: three robots play a tournament to the last chip through five processes."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow]
DEMO_SECONDS = 120.0


@pytest.mark.parametrize("how", [(), ("--tls",)], ids=["taken at their word", "with certificates and tokens"])
def test_three_robots_play_a_tournament_to_the_last_chip(tmp_path: Path, how: tuple[str, ...]) -> None:
    small = ("--players", "3", "--stack", "200", "--level-hands", "2", "--fast")
    options = [*small, *how, "--data", str(tmp_path / "demo")]
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
    places, chips = zip(*_standings(demo.stdout), strict=True)
    assert chips == (600, 0, 0)
    assert places in {(1, 2, 3), (1, 2, 2)}  # who fall in the first hand share a place: their stacks were equal
    assert "600 chips issued, 600 at the end" in demo.stdout
    _check_proof(demo.stdout)
    assert "0 refused by the rules" in demo.stdout
    assert demo.stdout.rstrip().endswith("all services have stopped")
    _check_folder(tmp_path / "demo")


def test_a_demo_whose_service_dies_says_which_and_fails(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    command = [sys.executable, "-m", "services.console", "demo", "--players", "2", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        while not demo.stdout.readline().startswith("hand "):  # who comes to watch a moment late misses the first
            assert demo.poll() is None
        os.kill(json.loads((folder / "run" / "evaluator.json").read_text())["pid"], signal.SIGKILL)
        _, errors = demo.communicate(timeout=DEMO_SECONDS)
    assert demo.returncode == 1
    assert "while playing: evaluator has ended unasked (killed by signal 9)" in errors
    assert not list((folder / "run").glob("betting.json")), "the others have stopped too"


def test_a_demo_that_is_interrupted_stops_everything(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    command = [sys.executable, "-m", "services.console", "demo", "--players", "2", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        while not demo.stdout.readline().startswith("hand "):  # who comes to watch a moment late misses the first
            assert demo.poll() is None
        demo.send_signal(signal.SIGINT)
        _, errors = demo.communicate(timeout=DEMO_SECONDS)
    assert demo.returncode == 1
    assert errors == "sevenstud: stopped\n"
    assert not list((folder / "run").glob("*er.json")), "every service has stopped"


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
