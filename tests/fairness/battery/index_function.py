"""F1: scaling a byte to an index adds no bias, proven by counting out; no remainder and no generator in the dealer."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import services.dealer
from services.dealer.domain.lots import ENTRIES_MAX
from services.dealer.domain.shuffle import bucket_of
from tests.fairness.battery.rows import Row, Sizes, row

DEALER = Path(services.dealer.__file__).parent
Index = Callable[[int, int, int], int | None]
GENERATORS = frozenset({"random", "numpy", "numpy.random"})


def is_exact(index: Index, bound: int, span: int) -> bool:
    """Every index below the bound has the same number of numbers, and no other index has any."""
    counts = Counter(index(number, bound, span) for number in range(span))
    counts.pop(None, None)
    return set(counts) == set(range(bound)) and len(set(counts.values())) == 1


def syntax_of_the_dealer() -> Iterator[tuple[Path, ast.AST]]:
    """Every node of every module of the dealer."""
    for path in DEALER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def faults_in(nodes: Iterator[tuple[Path, ast.AST]]) -> list[str]:
    """Remainders, and generators that are not the operating system's."""
    faults: list[str] = []
    for path, node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            faults.append(f"{path.name}: a remainder")
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        faults += [f"{path.name}: {name}" for name in names if name in GENERATORS]
    return faults


def rows(sizes: Sizes) -> Iterator[Row]:
    """The rows of F1; the first two are whole at any size."""
    exact = [bound for bound in range(2, 53) if is_exact(bucket_of, bound, 256)]
    found = f"{len(exact)} of 51 bounds, {len(exact) * 256:,} cases"
    yield row("F1", "index of a card, all bytes", "51 bounds exact, 13,056 cases", found, holds=len(exact) == 51)
    faults = faults_in(syntax_of_the_dealer())
    yield row("F1", "remainders or generators in the dealer", "0", ", ".join(faults) or "0", holds=not faults)
    bounds = range(257, ENTRIES_MAX + 1, max(1, round(1 / sizes.share)))
    wrong = [bound for bound in bounds if not is_exact(bucket_of, bound, 65536)]
    yield row(
        "F1",
        f"index of a lot, all two-byte numbers, {len(bounds)} bounds",
        "all exact",
        f"{len(wrong)} not",
        holds=not wrong,
    )
