"""Every five-card hand, one by one: a small `make frequencies`."""

from tests.batteries.frequencies import count_under, differences


def test_every_five_card_hand_is_of_the_kind_that_was_counted_long_ago() -> None:
    found = count_under((51, 5))[1]
    for top in range(50, 3, -1):
        found.update(count_under((top, 5))[1])
    assert differences(5, found) == []
