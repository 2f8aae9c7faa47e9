"""All mutants of a module: where, what it was, what it became, and how to build it."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.batteries.mutants.operators import variants

ROOT = Path(__file__).resolve().parents[3]
DOMAINS = ("services/betting/domain", "services/evaluator/domain")
_UNTOUCHED = {"annotation", "returns", "decorator_list"}
_Site = tuple[str, ast.AST, ast.AST]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed place of one module."""

    module: str
    scope: str
    """Name of the top-level function or class it is in; empty for the module itself."""
    index: int
    """Its place among the mutants of the module."""
    line: int
    key: str
    """Name that outlives changes elsewhere: module, function, before and after."""
    function: bool
    """In the body of a top-level function, so that its code can be exchanged at run time."""


def modules() -> Iterator[str]:
    """Every module of the domains, as a path."""
    for domain in DOMAINS:
        yield from sorted(str(path.relative_to(ROOT)) for path in (ROOT / domain).glob("*.py"))


def mutants_of(module: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the code."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    found: list[Mutant] = []
    for index, (scope, before, after) in enumerate(_sites(tree)):
        key = f"{Path(module).parts[1]}/{Path(module).stem}.{scope or 'module'}: {_text(before)} -> {_text(after)}"
        seen[key] += 1
        name = key if seen[key] == 1 else f"{key} (#{seen[key]})"
        found.append(Mutant(module, scope, index, getattr(before, "lineno", 0), name, _in_body(tree, scope, before)))
    return found


def mutated(mutant: Mutant) -> ast.Module:
    """The module with the one change in it."""
    tree = ast.parse((ROOT / mutant.module).read_text(encoding="utf-8"))
    for index, (_, before, after) in enumerate(_sites(tree)):
        if index == mutant.index:
            _replace(tree, before, after)
            return ast.fix_missing_locations(tree)
    raise LookupError(mutant.key)


def function_source(module: str, scope: str) -> str:
    """The text of a top-level function or class; of the whole module where there is no scope."""
    text = (ROOT / module).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if getattr(node, "name", "") == scope:
            return ast.get_source_segment(text, node) or text
    return text


def _sites(tree: ast.Module) -> Iterator[_Site]:
    for node in tree.body:
        scope = str(getattr(node, "name", ""))
        for each in _walk(node):
            for variant in variants(each):
                yield scope, each, variant


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it that decides something."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr) or _is_guard(node):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in _UNTOUCHED or (isinstance(node, ast.AnnAssign) and name == "annotation"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _is_guard(node: ast.AST) -> bool:
    """A fault of ours that no input can reach."""
    return isinstance(node, ast.Raise) and "AssertionError" in ast.unparse(node)


def _in_body(tree: ast.Module, scope: str, before: ast.AST) -> bool:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == scope:
            return any(each is before for part in node.body for each in ast.walk(part))
    return False


def _replace(tree: ast.AST, before: ast.AST, after: ast.AST) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is before:
                setattr(parent, name, after)
                return
            if isinstance(value, list):
                for at, child in enumerate(value):
                    if child is before:
                        value[at] = after
                        return


def _text(node: ast.AST) -> str:
    """A node in one line, conditions without what they guard."""
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    if isinstance(node, ast.comprehension):
        node = ast.ListComp(elt=ast.Name(id="..."), generators=[node])
    return " ".join(ast.unparse(node).split())
