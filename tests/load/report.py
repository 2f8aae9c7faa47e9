"""Reports of load tests for people: Markdown and HTML, with the curve of latency against load."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tests.bench.pictures import draw_lines
from tests.bench.processes import load
from tests.load.knee import busiest, carried, knee_of
from tests.load.outcome import Outcome
from tests.load.playing import SuiteStep
from tests.load.subjects import Subject

HEAD = ("offered /s", "answered /s", "p50 ms", "p99 ms", "refused", "failed", "not made", "processors of the busiest")


def write_report(folder: Path, subject: Subject, steady: Outcome, steps: Sequence[Outcome]) -> None:
    """One service: the steady rate, the steps, the knee, and how it refused."""
    holds = "hold" if carried(steady, subject.p99_ms) else "BREAK"
    knee, last = knee_of([steady, *steps], subject.p99_ms), steps[-1]
    lines = [
        (
            f"At {steady.rate:g} calls a second the thresholds {holds}: "
            f"p99 {steady.p99_ms:.1f} ms, at most {subject.p99_ms:g} allowed; none refused or failed is wanted."
        ),
        f"Knee: {f'{knee:g} calls a second' if knee else 'below the first step'}.",
        f"Processors at the last step: {busiest(last)}.",
        (
            f"Overload ({last.rate:g} a second): {last.refused} calls refused with the time to come back, "
            f"{last.failed} failed otherwise, p99 of those answered {last.p99_ms:.1f} ms."
        ),
        f"Load of the machine at the end: {load():.1f}.",
    ]
    curve = {
        "p99": [(step.rate, step.p99_ms) for step in steps if step.answered],
        "p50": [(step.rate, step.p50_ms) for step in steps if step.answered],
    }
    picture = draw_lines(subject.what, curve, "calls a second offered", "ms") if curve["p99"] else ""
    rows = [_row(step) for step in (steady, *steps)]
    _write(folder, subject.service, subject.what, lines, rows, picture)


def suite_report(folder: Path, steps: Sequence[SuiteStep], p99_ms: float) -> None:
    """The suite under robots: so many tables, twice as many, and so on."""
    knee = max((step.tables for step in steps if step.carried(p99_ms)), default=None)
    faults = [f"{step.tables} tables: {fault}" for step in steps for fault in step.faults]
    lines = [
        f"{steps[0].hands} hands at the first {steps[0].tables} tables, one action every four seconds at each.",
        f"Knee: {f'{knee} tables' if knee else 'below the first step'}; p99 of an action at most {p99_ms:g} ms.",
        f"Processors at the last step: {busiest(steps[-1].outcome)}.",
        f"Refused with the time to come back at {steps[-1].tables} tables: {steps[-1].outcome.refused}.",
        "Versions without a gap, chips conserved, no clock ended: " + ("yes." if not faults else "NO."),
        *faults,
        f"Load of the machine at the end: {load():.1f}.",
    ]
    curve = {
        "p99": [(float(step.tables), step.outcome.p99_ms) for step in steps],
        "p50": [(float(step.tables), step.outcome.p50_ms) for step in steps],
    }
    picture = draw_lines("robots at human pace", curve, "tables", "ms")
    _write(folder, "suite", "robots at human pace", lines, [_row(step.outcome) for step in steps], picture)


def _row(step: Outcome) -> tuple[str, ...]:
    figures = (f"{step.rate:g}", f"{step.served:.1f}", f"{step.p50_ms:.1f}", f"{step.p99_ms:.1f}")
    counts = (str(step.refused), str(step.failed), str(step.dropped))
    return (*figures, *counts, busiest(step) if step.busy else "")


def _write(
    folder: Path, name: str, title: str, lines: Sequence[str], rows: Sequence[tuple[str, ...]], picture: str
) -> None:
    table = [HEAD, tuple("---" for _ in HEAD), *rows]
    text = [f"# Load: {name}", "", title, "", *(f"- {line}" for line in lines), ""]
    text += [f"| {' | '.join(row)} |" for row in table]
    (folder / f"{name}.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    cells = "".join(_html_row(row, "td") for row in rows)
    body = [f"<h1>Load: {escape(name)}</h1><p>{escape(title)}</p><ul>", *(f"<li>{escape(line)}</li>" for line in lines)]
    body += ["</ul>", picture, f"<table border='1' cellpadding='4'>{_html_row(HEAD, 'th')}{cells}</table>"]
    page = f"<!doctype html><meta charset='utf-8'><title>Load: {escape(name)}</title>" + "\n".join(body)
    (folder / f"{name}.html").write_text(page, encoding="utf-8")


def _html_row(row: Sequence[str], cell: str) -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(each)}</{cell}>" for each in row) + "</tr>"
