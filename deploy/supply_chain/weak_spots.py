"""bandit: known weak spots of Python code. None of high severity may be there; the rest is counted, for people."""

from collections.abc import Iterator

from deploy.supply_chain.rows import Row, row
from deploy.supply_chain.tools import Json, Tools, files_of

CODE = ("services", "shared", "protos", "deploy")
PLANTED = "import subprocess\n\nsubprocess.run(command, shell=True)\n"


def severities(report: Json) -> dict[str, int]:
    """How many findings there are of each severity, and how many lines were read; all zero without a report."""
    totals: Json = report["metrics"]["_totals"] if report else {}
    names = {"high": "SEVERITY.HIGH", "medium": "SEVERITY.MEDIUM", "low": "SEVERITY.LOW", "lines": "loc"}
    return {name: int(totals.get(key, 0)) for name, key in names.items()}


def unread(report: Json) -> list[str]:
    """Files of our code that it could not read; all of them without a report."""
    faults = {str(each["filename"]) for each in report.get("errors", ())}
    return sorted(path for path in files_of(CODE) if path not in report.get("metrics", {}) or path in faults)


def rows(tools: Tools) -> Iterator[Row]:
    """One row for our code, one for a planted fault."""
    tools.run("bandit", "-q", "--ignore-nosec", "-r", *CODE, "-f", "json", "-o", tools.path("bandit.json"))
    report = tools.read("bandit.json")
    counts, missed = severities(report), unread(report)
    holds = counts["high"] == 0 and not missed
    found = "{high} high, {medium} medium, {low} low in {lines:,} lines".format(**counts)
    found += f", not read: {', '.join(missed[:5])}" if missed else ""
    yield row("weak spots", "bandit: none of high severity", found, holds=holds)
    with tools.planted({"planted.py": PLANTED}) as place:
        tools.run("bandit", "-q", "-r", str(place), "-f", "json", "-o", tools.path("bandit-planted.json"))
    high = severities(tools.read("bandit-planted.json"))["high"]
    yield row("weak spots", "a planted fault is found", f"{high} of 1", holds=high == 1)
