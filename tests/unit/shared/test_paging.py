"""Pages of a list: bounds, tokens, and tokens that are not ours."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sevenstud.common.v1.money_pb2 import Money

from shared.kernel.errors import DomainError, Reason
from shared.rpc.paging import BYTES_MAX, fitting, page_of

SCOPE = "ListTables open"
TEXTS = st.text(max_size=20).filter(str.isprintable)
KEYS = st.lists(TEXTS | st.integers(0, 2**63 - 1), min_size=1, max_size=4).map(tuple)
ONE = (int,)


@given(KEYS)
def test_a_token_leads_to_the_item_after_the_last_one(key: tuple[str | int, ...]) -> None:
    shape = tuple(map(type, key))
    token = page_of(0, "", SCOPE, shape).next_token(key)
    assert page_of(0, token, SCOPE, shape).after == key


@given(KEYS, KEYS)
def test_a_token_with_a_key_of_another_shape_is_refused(
    key: tuple[str | int, ...], other: tuple[str | int, ...]
) -> None:
    """Anybody can write a token: it is base64, and its mark a hash of what the caller asks for."""
    shapes = tuple(map(type, key)), tuple(map(type, other))
    token = page_of(0, "", SCOPE, shapes[0]).next_token(key)
    if shapes[0] == shapes[1]:
        return
    with pytest.raises(DomainError, match="start again without one"):
        page_of(0, token, SCOPE, shapes[1])


@pytest.mark.parametrize(("asked", "given_size"), [(0, 50), (1, 1), (200, 200), (201, 200), (2**31 - 1, 200)])
def test_a_page_has_the_default_size_or_the_largest_allowed(asked: int, given_size: int) -> None:
    page = page_of(asked, "", SCOPE, ONE)
    assert (page.size, page.after) == (given_size, None)


def test_a_page_size_below_zero_is_refused() -> None:
    with pytest.raises(DomainError, match="page_size is below zero") as refusal:
        page_of(-1, "", SCOPE, ONE)
    assert refusal.value.reason is Reason.REQUEST_INVALID


def _forged(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


FOREIGN = [
    "x",
    "====",
    "ä",
    "a" * 2000,
    _forged("[]"),
    _forged("{}"),
    _forged("[1, 2]"),
    _forged("[" * 500),
    page_of(0, "", "ListHands", ONE).next_token((1,)),
    page_of(0, "", SCOPE, ONE).next_token(()),
    page_of(0, "", SCOPE, ONE).next_token((True,)),
    page_of(0, "", SCOPE, ONE).next_token(("1",)),
    page_of(0, "", SCOPE, ONE).next_token((-1,)),
    page_of(0, "", SCOPE, ONE).next_token((2**63,)),
    page_of(0, "", SCOPE, ONE).next_token((1, 2)),
]


@pytest.mark.parametrize("token", FOREIGN)
def test_a_token_that_is_not_ours_or_of_another_list_is_refused(token: str) -> None:
    with pytest.raises(DomainError, match="start again without one") as refusal:
        page_of(0, token, SCOPE, ONE)
    assert refusal.value.reason is Reason.PAGE_TOKEN_INVALID


@given(st.text(max_size=100))
def test_no_text_whatever_breaks_the_reading_of_a_token(token: str) -> None:
    try:
        page_of(0, token, SCOPE, ONE)
    except DomainError as refusal:
        assert refusal.reason is Reason.PAGE_TOKEN_INVALID  # noqa: PT017  # both outcomes are fine


@given(st.lists(st.sampled_from([10, BYTES_MAX // 3, BYTES_MAX // 2, 2 * BYTES_MAX]), max_size=8))
def test_a_page_has_as_many_items_as_there_is_room_for_and_one_at_least(sizes: list[int]) -> None:
    items = [Money(currency="E" * size) for size in sizes]
    found = fitting(items)
    assert found == items[: len(found)]
    assert bool(found) is bool(items)
    assert len(found) < 2 or sum(each.ByteSize() for each in found) <= BYTES_MAX
    if len(found) < len(items):
        assert sum(each.ByteSize() for each in items[: len(found) + 1]) > BYTES_MAX
