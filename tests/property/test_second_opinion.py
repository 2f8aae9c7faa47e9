"""Fixed-limit hands played by pokerkit too: a small `make second-opinion`."""

from tests.batteries.second_opinion.__main__ import compare_portion


def test_another_library_plays_the_same_hands_to_the_same_stacks() -> None:
    opinions = compare_portion(range(120))
    assert opinions.differences == []
    assert opinions.hands == 120
    assert opinions.whole > 50
    assert opinions.turns > 1_000
