"""The rule reference read as data, and everything in it that is not true of the code and the tests."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import EnumType
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from shared.kernel.rules import CashRules, ClockRules, HandRules, RuleSet, TournamentRules
from tests.support.hand_script import RULES_LAST, read_script

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "shared/kernel/rules/README.md"
DEFINITION, NOT_YET, NOTHING = "definition", "not yet", "-"
GAPS = "## Not implemented yet"
_ROW = re.compile(r"\| (\d+) \| (.*) \| (.*) \| (.*) \|")
_GAP = re.compile(r"\| ([\d ]+) \| (.*) \| (.*) \|")


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the reference."""

    number: int
    text: str
    code: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is not implemented yet."""

    rules: tuple[int, ...]
    options: tuple[str, ...]


def rules_in(text: str) -> tuple[Rule, ...]:
    """The rows of all tables of rules."""
    body = text.split(GAPS, maxsplit=1)[0]
    rows = (matched for line in body.splitlines() if (matched := _ROW.fullmatch(line)))
    return tuple(Rule(int(row[1]), row[2], _listed(row[3]), _listed(row[4])) for row in rows)


def gaps_in(text: str) -> tuple[Gap, ...]:
    """The rows of the list of what is not implemented yet."""
    rows = (matched for line in text.partition(GAPS)[2].splitlines() if (matched := _GAP.fullmatch(line)))
    return tuple(Gap(tuple(map(int, row[1].split())), tuple(re.findall(r"`(\w+)`", row[2]))) for row in rows)


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("`") for part in cell.split(", "))


def faults(text: str) -> Iterator[str]:
    """Every fault of a reference, in words."""
    rules, gaps = rules_in(text), gaps_in(text)
    yield from _numbers(rules)
    for rule in rules:
        yield from _code_faults(rule)
        yield from _test_faults(rule)
    yield from _gap_faults(rules, gaps)
    yield from _option_faults(text, gaps)


def _numbers(rules: Iterable[Rule]) -> Iterator[str]:
    numbers = [rule.number for rule in rules]
    if numbers != list(range(1, RULES_LAST + 1)):
        missing = sorted(set(range(1, RULES_LAST + 1)) - set(numbers))
        yield f"rules stand once each and in order, 1 to {RULES_LAST}; missing: {missing}"


def _code_faults(rule: Rule) -> Iterator[str]:
    if rule.code in {(DEFINITION,), (NOT_YET,)}:
        return
    for place in rule.code:
        path, _, symbol = place.partition("::")
        folder = ROOT if path.startswith("shared/") else ROOT / "services"
        if not symbol or symbol not in symbols_of(folder / path):
            yield f"rule {rule.number}: code {place!r} does not exist{_elsewhere('services', symbol)}"


def _test_faults(rule: Rule) -> Iterator[str]:
    if rule.tests == (NOTHING,):
        if rule.code not in {(DEFINITION,), (NOT_YET,)}:
            yield f"rule {rule.number}: no test"
        return
    for place in rule.tests:
        path, _, symbol = place.partition("::")
        if path.endswith(".hand"):
            yield from _hand_faults(rule, path)
        elif not symbol.startswith("test_") or symbol not in symbols_of(ROOT / "tests" / path):
            yield f"rule {rule.number}: test {place!r} does not exist{_elsewhere('tests', symbol)}"


def _elsewhere(folder: str, symbol: str) -> str:
    """Where a name that moved is now, so that the reference is mended in a moment."""
    found = [path for path in sorted((ROOT / folder).rglob("*.py")) if symbol and symbol in symbols_of(path)]
    return f"; it is in {', '.join(str(path.relative_to(ROOT)) for path in found)}" if found else ""


def _hand_faults(rule: Rule, path: str) -> Iterator[str]:
    if not (ROOT / "tests" / path).is_file():
        yield f"rule {rule.number}: hand {path!r} does not exist"
    elif rule.number not in _proven_by(path):
        yield f"rule {rule.number}: hand {path!r} does not say that it proves it"


def _gap_faults(rules: Iterable[Rule], gaps: Iterable[Gap]) -> Iterator[str]:
    listed = {number for gap in gaps for number in gap.rules}
    for rule in rules:
        if rule.code == (NOT_YET,) and rule.number not in listed:
            yield f"rule {rule.number} is not implemented and not in the list of what is not"
    for number in sorted(listed - set(range(1, RULES_LAST + 1))):
        yield f"there is no rule {number}"


def _option_faults(text: str, gaps: Iterable[Gap]) -> Iterator[str]:
    body, known = text.split(GAPS, maxsplit=1)[0], set(option_names())
    listed = {option for gap in gaps for option in gap.options}
    for option in sorted(known):
        if f"`{option}`" not in body:
            yield f"option {option} is not mentioned"
        if option not in words_of_the_code() and option not in listed | options_of_one_value():
            yield f"no code reads option {option}, and it is not in the list of what is not implemented"
    for option in sorted(listed - known):
        yield f"there is no option {option}"


@cache
def _proven_by(path: str) -> frozenset[int]:
    return read_script(ROOT / "tests" / path).rule_numbers


@cache
def symbols_of(path: Path) -> frozenset[str]:
    """Names that a Python file defines: functions, classes, constants, and members of classes as ``Class.member``."""
    if not path.is_file():
        return frozenset()
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        found |= set(_names(node))
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for inner in node.body for name in _names(inner)}
    return frozenset(found)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def option_names() -> frozenset[str]:
    """Every field of the rule messages, nested ones included."""
    return frozenset(_fields(RuleSet)) - {each.name for each in fields(RuleSet)}


def _fields(data_class: Any) -> Iterator[str]:
    hints = get_type_hints(data_class)
    for each in fields(data_class):
        yield each.name
        for kind in (hints[each.name], *get_args(hints[each.name])):
            if is_dataclass(kind):
                yield from _fields(kind)


@cache
def options_of_one_value() -> frozenset[str]:
    """Options that cannot be chosen otherwise: no code has to read them."""
    hints = get_type_hints(TournamentRules) | get_type_hints(CashRules) | get_type_hints(ClockRules)
    kinds = hints | get_type_hints(HandRules)
    return frozenset(name for name, kind in kinds.items() if isinstance(kind, EnumType) and len(kind) == 1)


@cache
def words_of_the_code() -> frozenset[str]:
    """Every attribute that the services and the checks of the rules read; the console only shows them."""
    folders = [folder for folder in (ROOT / "services").iterdir() if folder.is_dir() and folder.name != "console"]
    files = [path for folder in (*folders, ROOT / "shared/kernel/rules/checks") for path in folder.rglob("*.py")]
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in files)
    return frozenset(node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute))
