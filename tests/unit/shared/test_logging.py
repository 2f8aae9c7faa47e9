"""Log lines: JSON, one shape for all, nothing secret."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from shared.observability.logging import configure_logging, get_log


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    configure_logging("dealer", "info", stream)
    yield stream
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)
    structlog.reset_defaults()


def lines(log: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_line_says_who_speaks_and_when(log: io.StringIO) -> None:
    get_log(table_id="t1").info("hand_opened", hand_id="h1")
    (line,) = lines(log)
    assert line["service"] == "dealer"
    assert line["table_id"] == "t1"
    assert str(line["time"]).endswith("Z")


@pytest.mark.parametrize("key", ["cards", "down_cards", "authorization", "sealing_key", "seed", "page_token"])
def test_what_is_secret_by_its_name_is_hidden(log: io.StringIO, key: str) -> None:
    get_log().info("event", **{key: "As Kd"})
    assert "As Kd" not in log.getvalue()
    assert lines(log)[0][key] == "(hidden)"


def test_lines_of_libraries_have_the_same_shape(log: io.StringIO) -> None:
    logging.getLogger("library").warning("watch out: %s", "something")
    (line,) = lines(log)
    assert (line["event"], line["level"], line["service"]) == ("watch out: something", "warning", "dealer")


def test_lines_below_the_level_are_not_written(log: io.StringIO) -> None:
    get_log().debug("nothing")
    assert log.getvalue() == ""
