"""The threat model claims nothing that no test proves: every test and target that it names is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "deploy" / "security" / "README.md"
TEXT = PAGE.read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", TEXT)))
TARGETS = sorted(set(re.findall(r"`make ([a-z-]+)", TEXT)))
ROWS = sorted(set(re.findall(r"\b([FL]\d{1,2})\b", TEXT)))
ACTORS = ("A player", "Colluding players", "An integrator", "An operator", "An insider with the database")


def test_the_page_speaks_of_every_actor_and_names_tests() -> None:
    assert all(f"### {actor}\n" in TEXT for actor in ACTORS)
    assert "### An insider with one service\n" in TEXT
    assert len(TESTS) >= 30


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_every_test_that_it_names_is_there(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert not name or name in functions


def test_every_target_and_every_row_that_it_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [target for target in TARGETS if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
    batteries = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("tests/fairness/battery", "tests/batteries/ledger")
        for path in (ROOT / folder).glob("*.py")
    )
    assert [row for row in ROWS if f'"{row}"' not in batteries] == []


def test_every_page_that_it_points_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)", TEXT)
    assert links
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_the_front_page_leads_to_it() -> None:
    assert "deploy/security/README.md" in (ROOT / "README.md").read_text(encoding="utf-8")
