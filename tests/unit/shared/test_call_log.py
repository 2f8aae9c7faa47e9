"""One line a call; the frequent ones that went well may be thinned out, the others never, but
for refusals that a caller can have as fast as it sends."""

import pytest
import structlog

from shared.rpc.call_log import WITHOUT_END_A_SECOND, CallLog


def _lines(log: CallLog, *calls: tuple[str, str]) -> list[tuple[str, str]]:
    with structlog.testing.capture_logs() as lines:
        for kind, code in calls:
            log.over(kind=kind, code=code, seconds=0.0012345, method="/a/B")
    assert all(line["milliseconds"] == 1.234 and line["method"] == "/a/B" for line in lines)
    return [(str(line["code"]), str(line["log_level"])) for line in lines]


def test_each_call_has_its_line() -> None:
    calls = [("unary", "OK"), ("unary", "OK"), ("server_stream", "OK")]
    assert _lines(CallLog(), *calls) == [("OK", "info")] * 3


def test_of_calls_that_went_well_one_in_so_many_is_told() -> None:
    assert _lines(CallLog(10), *[("unary", "OK")] * 30) == [("OK", "info")] * 3


def test_what_did_not_go_well_and_streams_are_always_told() -> None:
    calls = [("unary", "FAILED_PRECONDITION"), ("server_stream", "OK"), ("unary", "INTERNAL")]
    assert [code for code, _ in _lines(CallLog(1000), *calls)] == ["FAILED_PRECONDITION", "OK", "INTERNAL"]


@pytest.mark.parametrize(
    ("code", "level"),
    [("FAILED_PRECONDITION", "info"), ("NOT_FOUND", "info"), ("UNAVAILABLE", "warning"), ("INTERNAL", "warning")],
)
def test_a_refusal_by_the_rules_is_no_warning_and_an_outage_is(code: str, level: str) -> None:
    assert _lines(CallLog(), ("unary", code)) == [(code, level)]


@pytest.mark.parametrize("code", ["RESOURCE_EXHAUSTED", "UNAUTHENTICATED"])
def test_who_is_refused_for_its_pace_or_has_no_name_fills_no_log(code: str) -> None:
    now = [0.0]
    log = CallLog(now=lambda: now[0])
    assert len(_lines(log, *[("unary", code)] * 5000)) == WITHOUT_END_A_SECOND
    assert _lines(log, ("unary", "NOT_FOUND"), ("unary", "OK")) == [("NOT_FOUND", "info"), ("OK", "info")]
    now[0] = 1.0
    with structlog.testing.capture_logs() as lines:
        log.over(kind="unary", code=code, seconds=0.0)
        log.over(kind="unary", code=code, seconds=0.0)
    assert [line.get("left_out") for line in lines] == [5000 - WITHOUT_END_A_SECOND, None]
