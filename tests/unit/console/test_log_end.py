"""What people read of a service's log when the service has ended."""

import json
from pathlib import Path

from services.console.adapters.service_process import log_end
from services.console.domain.log_end import ending_text, troubles

CALM = '{"event": "rpc", "level": "info"}'


def _warning(**fields: str) -> str:
    return json.dumps({"event": "table_stalled", "level": "warning", "time": "2026", **fields})


def test_a_calm_log_has_nothing_to_tell() -> None:
    assert troubles(f"{CALM}\n{CALM}\n\n") == ""


def test_warnings_and_tracebacks_are_told_and_calm_lines_are_not() -> None:
    told = troubles(f"{CALM}\n{_warning(waiting_for='dealer')}\n{CALM}\nTraceback ...\n[1]")
    assert told == "  warning: table_stalled, waiting_for=dealer\n  Traceback ...\n  [1]"


def test_of_a_long_exception_the_cause_is_told() -> None:
    line = _warning(exception="Traceback (most recent call last):\n  File ...\nValueError: no such seat")
    assert troubles(line) == "  warning: table_stalled: ValueError: no such seat"


def test_what_happened_again_and_again_is_told_once() -> None:
    assert troubles(f"{_warning(time='1')}\nother\n{_warning(time='2')}") == "  other\n  warning: table_stalled"


def test_only_the_last_troubles_are_told() -> None:
    assert troubles("\n".join(map("fault {}".format, range(20))), 2) == "  fault 18\n  fault 19"


def test_an_end_by_a_signal_is_named_as_such() -> None:
    assert (ending_text(-9), ending_text(2)) == ("killed by signal 9", "exit code 2")


def test_a_calm_line_that_the_end_of_a_long_log_cuts_in_two_is_no_trouble(tmp_path: Path) -> None:
    log = tmp_path / "dealer.log"
    log.write_text(f"{CALM}\n" * 4_000)
    assert log_end(log) == f"its log {log} ends without a warning"
