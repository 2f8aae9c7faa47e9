"""The index function has no bias at all: counted out over every number that it can be given (F1)."""

import ast
from pathlib import Path

import pytest

from services.dealer.domain.shuffle import bucket_of, index_below, shuffle
from tests.fairness.battery.faulty_shuffles import remainder_of
from tests.fairness.battery.index_function import faults_in, is_exact, syntax_of_the_dealer


@pytest.mark.parametrize("bound", range(2, 53))
def test_every_index_of_a_deck_has_the_same_number_of_bytes(bound: int) -> None:
    assert is_exact(bucket_of, bound, 256)


@pytest.mark.parametrize("bound", [257, 300, 511, 512, 513, 777, 999, 1000])
def test_every_index_of_a_long_list_of_lots_has_the_same_number_of_two_byte_numbers(bound: int) -> None:
    assert is_exact(bucket_of, bound, 65536)


@pytest.mark.parametrize("span", [256, 65536])
def test_the_proof_rejects_the_remainder_of_one_byte_and_of_two(span: int) -> None:
    assert not is_exact(remainder_of, 52, span)
    assert is_exact(remainder_of, 32, span)


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


def test_the_dealer_never_takes_a_remainder_and_never_uses_a_user_space_generator() -> None:
    assert faults_in(syntax_of_the_dealer()) == []
    bad = [(Path("bad.py"), node) for node in ast.walk(ast.parse("import random\nx = y % 52"))]
    assert faults_in(iter(bad)) == ["bad.py: random", "bad.py: a remainder"]


def test_there_is_one_shuffle_in_the_house() -> None:
    """Decks, reshuffles, common cards and lots come from the function that is tested here."""
    callers = {
        path.name
        for path, node in syntax_of_the_dealer()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "shuffle"
    }
    assert callers == {"commitment.py", "streets.py", "lots.py"}
