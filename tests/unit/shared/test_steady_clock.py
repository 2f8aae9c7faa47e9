"""The clock that services count by."""

import ast
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from shared.observability import clock

ROOT = Path(__file__).resolve().parents[3]
WALL = {"datetime.now", "datetime.utcnow", "time.time", "time.time_ns"}
GAME = ("services", "shared/kernel", "shared/storage")
"""What is left out: certificates and tokens, which are good until a moment of the world, and the times of log lines."""


class _Jumping(datetime):
    """A wall clock that somebody sets."""

    ahead = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "_Jumping":
        return cls.fromtimestamp((datetime.now(tz) + cls.ahead).timestamp(), tz)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_moves_nothing(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    monkeypatch.setattr(clock, "datetime", _Jumping)
    monkeypatch.setattr(_Jumping, "ahead", timedelta())
    steady = clock.SteadyClock()
    before = steady.now()
    monkeypatch.setattr(_Jumping, "ahead", timedelta(hours=hours))
    assert timedelta() <= steady.now() - before < timedelta(minutes=30)


def test_a_clock_that_several_share_is_gone_on_with_whatever_this_machine_takes_the_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "datetime", _Jumping)
    monkeypatch.setattr(_Jumping, "ahead", timedelta(hours=7))
    shared = datetime(2026, 1, 1, tzinfo=UTC)
    assert timedelta() <= clock.SteadyClock(shared).now() - shared < timedelta(minutes=30)


def test_no_service_asks_the_wall_clock_for_the_time_of_the_game() -> None:
    asked: list[str] = []
    for folder in GAME:
        for path in (ROOT / folder).rglob("*.py"):
            name = str(path.relative_to(ROOT))
            if name.startswith("services/console/"):
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            asked += [
                f"{name}:{node.lineno}"
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute) and ast.unparse(node) in WALL
            ]
    assert asked == []
