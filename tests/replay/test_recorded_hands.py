"""Recorded hands through the services, as processes of their own: they agree, or it is said where they part."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

HANDS = Path(__file__).parent / "hands"
SECONDS = 240


def replay(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """Run the command as a user would: exit code and one line of JSON a hand."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    command = (sys.executable, "-m", "services.console", "replay", "--json", *arguments)
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def special(name: str) -> str:
    """The text of one of the hands worked out on paper."""
    sections = (HANDS / "special.phhs").read_text().split("\n[")
    (found,) = (section for section in sections if f"_id = '{name}'" in section)
    return found.split("]\n", 1)[1]


def test_every_hand_kept_here_agrees() -> None:
    code, lines = replay(*(str(file) for file in sorted(HANDS.glob("*.phhs"))))

    assert [line for line in lines if not line["ok"]] == []
    assert len(lines) == 68
    assert all(line["final_stacks"] == line["expected_stacks"] for line in lines)
    assert code == 0


OPEN_PAIR = "open-pair-doubles-fourth-street"
EIGHT = "eight-to-the-river"
HIDDEN = "hidden-loser-mucks-and-the-house-takes-three"
CHANGES: tuple[tuple[str, str, str, int | None, str], ...] = (
    (OPEN_PAIR, "'p3 cc',\n  'p1 cc',\n  'd dh p1 9c'", "'p1 cc',\n  'p3 cc',\n  'd dh p1 9c'", 5, "ask p3"),
    (OPEN_PAIR, "'p1 cbr 10',\n  'p2 cbr 20'", "'p1 cbr 15',\n  'p2 cbr 20'", 10, "BET to 5 or 10"),
    (OPEN_PAIR, "  'p2 f',\n", "", 17, "no action left"),
    (OPEN_PAIR, "  'p2 f',\n", "  'p2 f',\n  'p1 cc',\n", 19, "over for the services"),
    (OPEN_PAIR, "[236, 167, 197]", "[235, 168, 197]", None, "final stacks differ"),
    (OPEN_PAIR, "_open_pair = true", "_open_pair = false", 10, "BET to 5"),
    (OPEN_PAIR, "'d dh p2 4s'", "'d dh p2 9c'", None, "twice"),
    (OPEN_PAIR, "winnings = [69, 0, 0]", "winnings = [0, 69, 0]", None, "pots differ"),
    (OPEN_PAIR, "'d dh p2 Ks'", "'d dh p3 Ks'", 16, "deal fifth street to p1, p2"),
    (OPEN_PAIR, "  'd dh p1 9c',\n  'd dh p2 4s',\n  'd dh p3 Tc',\n", "", 7, "deal fourth street"),
    (OPEN_PAIR, "  'p2 f',\n", "  'p2 f',\n  'd dh p1 2d',\n", 19, "over for the services"),
    (HIDDEN, "'p1 sm AsAd3cKh7dAc6s'", "'p1 sm QsQd3cKh7dAc6s'", None, "not the cards that were dealt"),
    (EIGHT, "'d db ", "'d dh p1 ", None, "no cards are left"),
)
"""Hand, what is changed in its record, into what, and where and how that must be noticed."""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the command says of all changed records, played in one go."""
    records = [special(name).replace(old, new) for name, old, new, _, _ in CHANGES]
    file = tmp_path_factory.mktemp("changed") / "changed.phhs"
    file.write_text("".join(f"[{number}]\n{record}\n" for number, record in enumerate(records, start=1)))
    code, lines = replay(str(file))
    assert code == 1
    assert len(lines) == len(CHANGES)
    return lines


@pytest.mark.parametrize("number", range(len(CHANGES)), ids=lambda number: CHANGES[number][4])
def test_where_a_record_parts_from_the_rules_the_action_is_named(number: int, changed: list[dict[str, Any]]) -> None:
    name, old, _, at, says = CHANGES[number]
    assert old in special(name)

    line = changed[number]

    assert (line["id"], line["ok"], line["diverged_at"]) == (name, False, at)
    assert says in line["reason"]


def test_rules_can_be_set_by_option_and_what_cannot_be_read_does_not_hide_the_rest(tmp_path: Path) -> None:
    broken = tmp_path / "broken.phh"
    broken.write_text("variant = 'F7S'\nstarting_stacks = 1\n")
    missing = tmp_path / "missing.phh"

    code, lines = replay(str(broken), str(missing), str(HANDS / "special.phhs"), "--set", "open_pair_fourth=off")

    assert code == 1
    assert [line["ok"] for line in lines] == [False, False, False, *[True] * 7]
    assert "line 2" in lines[0]["reason"]
    assert "cannot be read" in lines[1]["reason"]
    assert lines[2]["diverged_at"] == 10
