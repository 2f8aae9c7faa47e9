"""semgrep with rules of our own (deploy/semgrep): none may be breached, and each must find the faults planted for it.

A planted file begins with the path that it stands for; lines that end in ``# bad`` must be found, all others must not.
A comment silences no rule: what is none of its business is named in the rule.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from deploy.supply_chain.rows import Row, row
from deploy.supply_chain.tools import ROOT, Json, Tools, files_of

RULES = ROOT / "deploy" / "semgrep"
CODE = ("services", "shared", "protos", "deploy")
OPTIONS = (
    "scan",
    "--metrics",
    "off",
    "--disable-version-check",
    "--no-git-ignore",
    "--disable-nosem",
    "--quiet",
    "--json",
    "--timeout",
    "300",
)
ID = re.compile(r"^  - id: ([a-z-]+)$", re.MULTILINE)
Lines = Mapping[str, frozenset[int]]
"""By rule, the lines on which it found something."""


def rule_ids() -> list[str]:
    """The rules of all files."""
    return sorted(id_ for path in RULES.glob("*.yaml") for id_ in ID.findall(path.read_text(encoding="utf-8")))


def planted() -> dict[str, tuple[str, str]]:
    """By rule, the path that a planted file stands for, and its text."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in RULES.glob("planted/*.txt")}
    return {name: (text.splitlines()[0].removeprefix("# "), text) for name, text in texts.items()}


def bad_lines(text: str) -> frozenset[int]:
    """The lines that must be found."""
    return frozenset(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# bad"))


def found_in(report: Json) -> dict[str, Lines]:
    """By file, what each rule found; SystemExit where the rules could not be run."""
    if not report or report.get("errors"):
        faults = [str(each.get("message") or each.get("long_msg")) for each in report.get("errors", [])]
        raise SystemExit(f"supply-chain: semgrep could not run the rules: {'; '.join(faults) or 'no report'}")
    found: defaultdict[str, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for each in report["results"]:
        found[each["path"]][each["check_id"].rsplit(".", 1)[-1]].add(each["start"]["line"])
    return {path: {rule: frozenset(at) for rule, at in rules.items()} for path, rules in found.items()}


def unseen(report: Json) -> list[str]:
    """Files of our code that it did not look at, as too large ones, or those that a .semgrepignore names."""
    return sorted(set(files_of(CODE)) - set(report["paths"]["scanned"]))


def rows(tools: Tools) -> Iterator[Row]:
    """One row for our code, one for the planted faults."""
    tools.run("semgrep", *OPTIONS, "--config", str(RULES), "--output", tools.path("semgrep.json"), *CODE)
    report = tools.read("semgrep.json")
    found = [f"{path}:{min(at)} {rule}" for path, rules in found_in(report).items() for rule, at in rules.items()]
    found += [f"{path} was not looked at" for path in unseen(report)]
    text = ", ".join(found[:5]) or f"0 breaches of {len(rule_ids())} rules in {len(report['paths']['scanned'])} files"
    yield row("house rules", "semgrep: rules of our own", text, holds=not found)
    yield _planted_row(tools)


def _planted_row(tools: Tools) -> Row:
    """Every rule with faults of its own, each found, and nothing else."""
    faults = planted()
    with tools.planted({_place(name, path): text for name, (path, text) in faults.items()}) as place:
        output = tools.path("semgrep-planted.json")
        tools.run("semgrep", *OPTIONS, "--config", str(RULES), "--output", output, ".", folder=place)
    found = found_in(tools.read("semgrep-planted.json"))
    wrong = sorted(set(rule_ids()) ^ set(faults))
    for name, (path, text) in faults.items():
        if found.get(_place(name, path), {}).get(name, frozenset()) != bad_lines(text) or not bad_lines(text):
            wrong.append(name)
    count = sum(len(bad_lines(text)) for _, text in faults.values())
    text = ", ".join(wrong) or f"{count} faults by {len(faults)} rules, nothing else"
    return row("house rules", "planted faults are found, each by its rule", text, holds=not wrong)


def _place(name: str, path: str) -> str:
    """A file of its own for each rule, in the folder that the rule is about."""
    return path.replace("planted.py", f"planted_{name.replace('-', '_')}.py")
