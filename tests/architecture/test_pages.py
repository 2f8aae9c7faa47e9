"""Every list in pages is cut where its items are too many bytes to be sent, whatever somebody put into them."""

import ast
from collections.abc import Iterator
from pathlib import Path

SERVICES = Path(__file__).parents[2] / "services"
ASKS, CUTS = "page_of", "fitting"


def lists_in_pages() -> Iterator[tuple[str, set[str]]]:
    """Every function that reads which page is asked for, and the names of what it calls."""
    for path in SERVICES.glob("*/rpc/*.py"):
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(each, ast.AsyncFunctionDef):
                called = {found.func.id for found in ast.walk(each) if _is_named_call(found)}  # type: ignore[attr-defined]
                if ASKS in called:
                    yield f"{path.parent.parent.name} {each.name}", called


def _is_named_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def test_no_page_is_too_large_to_be_sent() -> None:
    found = dict(lists_in_pages())
    assert len(found) >= 7
    assert [name for name, called in found.items() if CUTS not in called] == []
