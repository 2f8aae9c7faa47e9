"""pip-audit: known vulnerabilities. It exits 0 when it could look up nothing, so what was looked up is counted."""

from collections.abc import Iterator
from dataclasses import dataclass

from deploy.supply_chain.locks import LOCKS, parse
from deploy.supply_chain.rows import Row, Verdict, row
from deploy.supply_chain.tools import Json, Tools

AUDITED = ("runtime", "dev")


@dataclass(frozen=True, slots=True)
class Audit:
    """What came of an audit."""

    audited: int
    vulnerable: tuple[str, ...]
    """Package, version and the ids of what is known of it."""


def read(report: Json) -> Audit:
    """The packages that were really looked up; none without a report."""
    listed: list[Json] = report.get("dependencies", [])
    looked_up = [each for each in listed if "vulns" in each and "skip_reason" not in each]
    vulnerable = tuple(
        f"{each['name']} {each['version']}: {', '.join(known['id'] for known in each['vulns'])}"
        for each in looked_up
        if each["vulns"]
    )
    return Audit(len(looked_up), vulnerable)


def judged(name: str, audit: Audit, packages: int) -> Row:
    """Passed only where every package was looked up and nothing is known of any."""
    what = f"pip-audit: {name}.txt, known vulnerabilities"
    if audit.vulnerable:
        return row("audit", what, "; ".join(audit.vulnerable[:5]), holds=False)
    found = f"{audit.audited} of {packages} packages looked up"
    if audit.audited < packages or not packages:
        return Row("audit", what, f"{found}: no database was reached for the others", Verdict.NOT_AUDITED)
    return row("audit", what, f"{found}, none known", holds=True)


PLANTED: dict[str, tuple[Json, Verdict]] = {
    "nothing looked up": ({"dependencies": [{"name": "a", "skip_reason": "not found"}]}, Verdict.NOT_AUDITED),
    "no report": ({}, Verdict.NOT_AUDITED),
    "no packages": ({"dependencies": []}, Verdict.NOT_AUDITED),
    "a vulnerability": (
        {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-0"}]}]},
        Verdict.FAILED,
    ),
    "all looked up": ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, Verdict.PASSED),
}


def rows(tools: Tools) -> Iterator[Row]:
    """A row for each lock, and one for the gate itself."""
    for name in AUDITED:
        lock, output = LOCKS / f"{name}.txt", f"audit-{name}.json"
        tools.run(
            "pip-audit", "--require-hashes", "--disable-pip", "--progress-spinner", "off", "--timeout", "10",
            "-r", str(lock), "-f", "json", "-o", tools.path(output),
        )  # fmt: skip
        packages = sum(each.applies for each in parse(lock.read_text(encoding="utf-8")))
        yield judged(name, read(tools.read(output)), packages)
    right = [name for name, (report, verdict) in PLANTED.items() if judged(name, read(report), 1).verdict is verdict]
    found = f"{len(right)} of {len(PLANTED)}"
    yield row("audit", "planted reports are judged rightly", found, holds=len(right) == len(PLANTED))
