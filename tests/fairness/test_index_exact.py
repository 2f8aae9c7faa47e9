"""The index function has no bias at all: counted out over every number that it can be given (F1)."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import services.dealer
from services.dealer.domain.shuffle import bucket_of, index_below, shuffle

DEALER = Path(services.dealer.__file__).parent


def is_exact(index: Callable[[int, int, int], int | None], bound: int, span: int) -> bool:
    """Every index below the bound has the same number of numbers, and no other index has any."""
    counts = Counter(index(number, bound, span) for number in range(span))
    counts.pop(None, None)
    return set(counts) == set(range(bound)) and len(set(counts.values())) == 1


@pytest.mark.parametrize("bound", range(2, 53))
def test_every_index_of_a_deck_has_the_same_number_of_bytes(bound: int) -> None:
    assert is_exact(bucket_of, bound, 256)


@pytest.mark.parametrize("bound", [257, 300, 511, 512, 513, 777, 999, 1000])
def test_every_index_of_a_long_list_of_lots_has_the_same_number_of_two_byte_numbers(bound: int) -> None:
    assert is_exact(bucket_of, bound, 65536)


def remainder(number: int, bound: int, span: int) -> int:
    """The usual fault: what is left of a division, nothing thrown away."""
    del span
    return number % bound


@pytest.mark.parametrize("span", [256, 65536])
def test_the_proof_rejects_the_remainder_of_one_byte_and_of_two(span: int) -> None:
    assert not is_exact(remainder, 52, span)
    assert is_exact(remainder, 32, span)


def test_the_proof_rejects_the_remainder_of_four_bytes() -> None:
    """Counted by arithmetic: an index i has floor((2^32 - 1 - i) / n) + 1 numbers."""
    counts = {(2**32 - 1 - index) // 52 + 1 for index in range(52)}
    assert len(counts) == 2


@pytest.mark.parametrize(("bound", "width"), [(2, 1), (52, 1), (256, 1), (257, 2), (1000, 2)])
def test_an_index_takes_as_few_bytes_as_hold_it_and_skips_what_is_beyond_the_last_bucket(
    bound: int, width: int
) -> None:
    assert index_below(bound, iter([0] * width)) == 0
    beyond = iter([255] * width + [0] * width)
    assert index_below(bound, beyond) == (bound - 1 if 256**width % bound == 0 else 0)


def test_a_shuffle_takes_one_index_for_each_place_from_the_last_to_the_second() -> None:
    assert shuffle("abcd", iter([0, 0, 0])) == ("b", "c", "d", "a")
    assert shuffle("abcd", iter([255, 254, 255])) == ("a", "b", "c", "d")


def syntax_of_the_dealer() -> Iterator[tuple[Path, ast.AST]]:
    for path in DEALER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def test_the_dealer_never_takes_a_remainder_and_never_uses_a_user_space_generator() -> None:
    found = 0
    for path, node in syntax_of_the_dealer():
        found += 1
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)), f"{path}: a remainder"
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {"random", "numpy", "numpy.random"} & set(names), f"{path}: a generator of its own"
    assert found > 1000


def test_there_is_one_shuffle_in_the_house() -> None:
    """Decks, reshuffles, common cards and lots come from the function that is tested here."""
    callers = {
        path.name
        for path, node in syntax_of_the_dealer()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "shuffle"
    }
    assert callers == {"commitment.py", "streets.py", "lots.py"}
