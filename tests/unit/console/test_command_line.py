"""The command line answers before anything is started."""

from pathlib import Path

import pytest

from services.console.__main__ import build_parser, run


@pytest.mark.parametrize("command", ["up", "demo", "robots", "replay", "verify", "table", "audit", "version"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: sevenstud {command}" in capsys.readouterr().out


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([], {}) == 2
    assert "demo" in capsys.readouterr().err


def test_no_more_of_a_record_is_read_than_may_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name in an archive of somebody else may stand for a source without end."""
    (tmp_path / "hand.phh").symlink_to("/dev/zero")
    assert run(["replay", str(tmp_path / "hand.phh")], {}) == 1
    assert "it is larger than" in capsys.readouterr().out


def test_version_names_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version"], {}) == 0
    assert capsys.readouterr().out.startswith("sevenstud 0.")


def test_a_table_cannot_seat_nine_robots(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--players", "9"], {}) == 2
    assert "from 2 to 8" in capsys.readouterr().err


@pytest.mark.parametrize("delay", ["-1", "6", "nan", "slow"])
def test_a_delay_beyond_what_the_rules_give_is_refused(delay: str) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["demo", f"--delay={delay}"])
    assert ended.value.code == 2


@pytest.mark.parametrize("option", ["--stack", "--level-hands"])
@pytest.mark.parametrize("number", ["0", "-1", "1.5", "many", "1000000000", "\u0661"])
def test_a_stack_or_a_level_of_nothing_is_refused(option: str, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["demo", f"{option}={number}"])
    assert ended.value.code == 2
    assert "a whole number from 1 to 999999999" in capsys.readouterr().err


def test_a_stack_and_a_level_are_whole_numbers() -> None:
    options = build_parser().parse_args(["demo", "--stack", "500", "--level-hands", "1"])
    assert (options.stack, options.level_hands) == (500, 1)


@pytest.mark.parametrize("port", ["80", "70000", "seven"])
def test_a_base_port_that_cannot_be_is_refused(port: str) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["up", "--base-port", port])
    assert ended.value.code == 2
