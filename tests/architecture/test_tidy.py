"""The house rules that a machine can check, so that nobody argues about them."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE_LINES_MAX, FILE_LINES_WANTED = 400, 150
FUNCTION_LINES_MAX, FUNCTION_LINES_WANTED = 70, 25
PARAMETERS_MAX = 6
MARKERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
TEXT_SUFFIXES = {".py", ".proto", ".sql", ".md", ".toml", ".yaml", ".yml", ".sh", ".html", ".css", ".js", ""}
AMOUNT = re.compile(r"(^|_)(chips|minor)$")
RANDOM_ALLOWED = ("services/console/", "services/evaluator/adapters/", "tests/")
"""Robots, samples for equity and tests may be random; the game's own chance comes from the dealer alone."""
ESTIMATES = ("tests/", "services/console/domain/robot.py")
"""Places where a ratio of amounts is an opinion, never an amount."""
ENVIRON_ALLOWED = re.compile(r"(.*/)?__main__\.py|tests/.*|protos/generate\.py|services/console/.*")
PRINT_ALLOWED = ("services/console/", "tests/", "protos/generate.py", "deploy/")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def _files() -> list[Path]:
    """What git tracks or would track: generated and built files are ignored there, and so here."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


FILES = _files()
PYTHON = [path for path in FILES if path.suffix == ".py"]
TREES = {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in PYTHON}


def _nodes(name: str) -> Iterator[ast.AST]:
    return ast.walk(TREES[name])


def _functions() -> Iterator[tuple[str, Function]]:
    for name in TREES:
        for node in _nodes(name):
            if isinstance(node, Function):
                yield f"{name}:{node.lineno} {node.name}", node


def _length(function: Function) -> int:
    """Lines of a function without its docstring."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def _calls(name: str, *wanted: str) -> list[int]:
    return [
        node.lineno
        for node in _nodes(name)
        if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) in wanted
    ]


def test_there_is_something_to_check() -> None:
    assert len(PYTHON) > 50


def test_no_file_is_too_long() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in PYTHON}
    too_long = {name: lines for name, lines in lengths.items() if lines > FILE_LINES_MAX}
    assert not too_long


def test_no_function_is_too_long() -> None:
    too_long = {name: _length(node) for name, node in _functions() if _length(node) > FUNCTION_LINES_MAX}
    assert not too_long


def test_no_function_takes_too_many_parameters() -> None:
    """Tests and factories of values aside: keyword-only parameters say what they are."""
    found: dict[str, int] = {}
    for name, node in _functions():
        positional = [each.arg for each in (*node.args.posonlyargs, *node.args.args) if each.arg not in {"self", "cls"}]
        if len(positional) > PARAMETERS_MAX and not name.startswith("tests/"):
            found[name] = len(positional)
    assert not found


def test_what_is_longer_than_wanted_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Not a limit: a figure that whoever runs the check sees."""
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in PYTHON]
    files = sum(lines > FILE_LINES_WANTED for lines in lengths)
    functions = [_length(node) for _, node in _functions()]
    long = sum(lines > FUNCTION_LINES_WANTED for lines in functions)
    with capsys.disabled():
        print(f"\ntidy: {files} of {len(lengths)} files over {FILE_LINES_WANTED} lines, ", end="")
        print(f"{long} of {len(functions)} functions over {FUNCTION_LINES_WANTED}")
    assert functions


def test_no_marker_of_unfinished_work_is_left() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in FILES
        if path.suffix in TEXT_SUFFIXES and "locks" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if MARKERS.search(line)
    ]
    assert not found


def test_only_main_reads_the_environment() -> None:
    found = {
        name: lines
        for name in TREES
        if not ENVIRON_ALLOWED.fullmatch(name) and (lines := _calls(name, "os.environ", "os.getenv", "environ"))
        if any("os" in ast.unparse(node) for node in _nodes(name) if isinstance(node, ast.Import | ast.ImportFrom))
    }
    assert not found


def test_only_the_console_prints() -> None:
    found = {name: lines for name in TREES if not name.startswith(PRINT_ALLOWED) and (lines := _calls(name, "print"))}
    assert not found


def test_no_moment_is_without_a_time_zone() -> None:
    wanted = ("datetime.utcnow", "datetime.datetime.utcnow", "datetime.utcfromtimestamp", "date.today")
    assert not {name: lines for name in TREES if (lines := _calls(name, *wanted))}


def test_chance_comes_from_where_it_may() -> None:
    found = {
        name: node.lineno
        for name in TREES
        if not name.startswith(RANDOM_ALLOWED)
        for node in _nodes(name)
        if (isinstance(node, ast.Import) and any(alias.name == "random" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "random")
    }
    assert not found


def test_no_amount_is_ever_a_float() -> None:
    """Neither declared as one nor made by a true division."""
    found: list[str] = []
    for name in TREES:
        if name.startswith(ESTIMATES):
            continue
        for node in _nodes(name):
            declared = isinstance(node, ast.AnnAssign | ast.arg) and _declares_float_amount(node)
            divided = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _mentions_amount(node)
            if declared or divided:
                found.append(f"{name}:{getattr(node, 'lineno', 0)}")
    assert not found


def _declares_float_amount(node: ast.AnnAssign | ast.arg) -> bool:
    if node.annotation is None or "float" not in ast.unparse(node.annotation):
        return False
    name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
    return bool(AMOUNT.search(name))


def _mentions_amount(node: ast.BinOp) -> bool:
    names = [
        each.attr if isinstance(each, ast.Attribute) else each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute | ast.Name)
    ]
    return any(AMOUNT.search(name) for name in names)


def test_locks_hold_hashes_and_no_address() -> None:
    for lock in (ROOT / "deploy/locks").glob("*.txt"):
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text
        pinned = re.findall(r"^\S+==\S+(?: ; .+)? \\$", text, re.MULTILINE)
        assert pinned
        assert len(pinned) == len(re.findall(r"^\S+==", text, re.MULTILINE)), "a package without a hash"
