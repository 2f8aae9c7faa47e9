"""Constraints of the contract: what passes, what is named as a breach, and in which words."""

from typing import Any

import pytest
from google.protobuf.message import Message

from shared.kernel.errors import DomainError
from shared.rpc.validation import Validator
from tests.support.scratch_contract import message_classes

CONTRACT = """
syntax = "proto3";
package checked.v1;
import "sevenstud/common/v1/constraint.proto";
enum Street { STREET_UNSPECIFIED = 0; STREET_THIRD = 1; }
message Seat {
  int64 stack_chips = 1 [(sevenstud.common.v1.constraint) = {min: 0 max: 1000}];
  optional int32 bet_chips = 2 [(sevenstud.common.v1.constraint) = {min: 1}];
  string player_id = 3 [(sevenstud.common.v1.constraint) = {required: true id: true}];
  Seat left = 4;
}
message Request {
  string request_id = 1 [(sevenstud.common.v1.constraint) = {uuid: true}];
  Street street = 2 [(sevenstud.common.v1.constraint) = {required: true}];
  repeated Street streets = 3;
  Seat seat = 4 [(sevenstud.common.v1.constraint) = {required: true}];
  repeated Seat seats = 5 [(sevenstud.common.v1.constraint) = {min_items: 1 max_items: 2}];
  repeated int32 amounts = 6 [(sevenstud.common.v1.constraint) = {required: true max: 9}];
  string name = 7 [(sevenstud.common.v1.constraint) = {max_length: 3}];
  bytes salt = 8 [(sevenstud.common.v1.constraint) = {length: 2}];
  bytes note = 9 [(sevenstud.common.v1.constraint) = {max_length: 2}];
  string currency = 10 [(sevenstud.common.v1.constraint) = {currency: true}];
  optional uint32 raises = 11 [(sevenstud.common.v1.constraint) = {required: true}];
  oneof action {
    Seat sit = 12;
    int32 amount = 13 [(sevenstud.common.v1.constraint) = {min: 5}];
  }
  Street free = 14;
  string title = 15 [(sevenstud.common.v1.constraint) = {text: true max_length: 12}];
}
message Unchecked { string text = 1; }
message Sitting {
  string request_id = 1 [(sevenstud.common.v1.constraint) = {required: true uuid: true}];
  Colour colour = 2 [(sevenstud.common.v1.constraint) = {required: true}];
}
enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_RED = 1; COLOUR_BLUE = 2; }
"""
CLASSES = message_classes(CONTRACT)
Request, Unchecked, Sitting = (CLASSES[f"checked.v1.{name}"] for name in ("Request", "Unchecked", "Sitting"))
UUID = "7f1d2c1e-0000-4000-8000-000000000001"
SEAT: dict[str, Any] = {"player_id": "p1"}


def lawful(**changes: Any) -> Message:
    values: dict[str, Any] = {
        "request_id": UUID,
        "street": 1,
        "seat": SEAT,
        "seats": [SEAT],
        "amounts": [1],
        "raises": 0,
    }
    return Request(**(values | changes))


def breaches(request: Message) -> dict[str, str]:
    try:
        Validator().check(request, request.DESCRIPTOR)  # type: ignore[arg-type]  # two types of one class
    except DomainError as error:
        return {each.field: each.description for each in error.violations}
    return {}


def test_a_request_within_its_constraints_passes() -> None:
    assert breaches(lawful()) == {}
    assert breaches(lawful(name="äöü", salt=b"ab", note=b"ab", currency="EUR", raises=3, amount=5)) == {}
    assert breaches(Unchecked(text="anything")) == {}


def test_an_empty_request_is_told_everything_it_lacks() -> None:
    assert breaches(Request()) == {
        "request_id": "is no UUID: give its 36-character form",
        "street": "is required: give one of STREET_THIRD",
        "seat": "is required: set it",
        "seats": "has 0 items: give at least 1",
        "amounts": "is required: give at least one item",
        "raises": "is required: set it",
    }


@pytest.mark.parametrize(
    ("changes", "path", "problem"),
    [
        ({"request_id": "7f1d"}, "request_id", "is no UUID"),
        ({"request_id": UUID.replace("-", "")}, "request_id", "is no UUID"),
        ({"street": 7}, "street", "is no value of Street"),
        ({"free": 7}, "free", "is no value of Street"),
        ({"streets": [1, 0]}, "streets[1]", "is unspecified"),
        ({"streets": [1, 9]}, "streets[1]", "is no value of Street"),
        ({"seat": {}}, "seat.player_id", "is required"),
        ({"seat": {"player_id": "a b"}}, "seat.player_id", "is no id"),
        ({"seat": {"player_id": "x" * 65}}, "seat.player_id", "is no id"),
        ({"seat": SEAT | {"stack_chips": -1}}, "seat.stack_chips", "is too small: give 0 to 1000"),
        ({"seat": SEAT | {"stack_chips": 1001}}, "seat.stack_chips", "is too large: give 0 to 1000"),
        ({"seat": SEAT | {"bet_chips": 0}}, "seat.bet_chips", "is too small: give at least 1"),
        ({"seat": SEAT | {"left": {"left": SEAT}}}, "seat.left.player_id", "is required"),
        ({"seats": [SEAT] * 3}, "seats", "has 3 items: give at most 2"),
        ({"seats": [SEAT] * 2 + [{}] * 30}, "seats", "has 32 items: give at most 2"),
        ({"seats": [SEAT, {}]}, "seats[1].player_id", "is required"),
        ({"amounts": [9, 10]}, "amounts[1]", "is too large: give at most 9"),
        ({"name": "abcd"}, "name", "has 4 characters: give at most 3"),
        ({"salt": b"abc"}, "salt", "must have 2 bytes"),
        ({"note": b"abc"}, "note", "has 3 bytes: give at most 2"),
        ({"currency": "eur"}, "currency", "is no currency"),
        ({"sit": {}}, "sit.player_id", "is required"),
        ({"amount": 4}, "amount", "is too small: give at least 5"),
    ],
)
def test_a_breach_is_named_by_path_with_what_is_allowed(changes: dict[str, Any], path: str, problem: str) -> None:
    found = breaches(lawful(**changes))
    assert set(found) == {path}
    assert found[path].startswith(problem)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Table 7",
        "Tisch \u00e4\u00f6\u00fc",
        "e\u0301" * 12,
        "\u5c71\u5ddd",
        "\u2665\ufe0f \U0001f0a1",
        "\u05d0\u05d1",
    ],
)
def test_a_text_for_people_may_be_in_any_script(title: str) -> None:
    assert breaches(lawful(title=title)) == {}


@pytest.mark.parametrize(
    ("title", "problem"),
    [
        ("a\nb", "has a character that cannot be printed (U+000A, the 2. one)"),
        ("\x1b[2J", "has a character that cannot be printed (U+001B, the 1. one)"),
        ("a\0", "has a character that cannot be printed (U+0000"),
        ("a\x7f", "has a character that cannot be printed (U+007F"),
        ("a\x9b2J", "has a character that cannot be printed (U+009B"),
        ("a\u202eb", "has a character that cannot be printed (U+202E"),
        ("a\u2066b", "has a character that cannot be printed (U+2066"),
        ("a\u200bb", "has a character that cannot be printed (U+200B"),
        ("a\ufeff", "has a character that cannot be printed (U+FEFF"),
        ("a\u00adb", "has a character that cannot be printed (U+00AD"),
        ("a\u2028b", "has a character that cannot be printed (U+2028"),
        ("a\u0378", "has a character that cannot be printed (U+0378"),
        ("a\ue000", "has a character that cannot be printed (U+E000"),
        ("Z" + "\u0335" * 5, "has more than 4 marks on one letter (the 6. character)"),
        ("Fin\ufe0f\ufe0f\ufe0f\ufe0f\ufe0f", "has more than 4 marks on one letter (the 8. character)"),
        ("\u3164", "has a character that cannot be printed (U+3164"),
        ("\U000e0041", "has a character that cannot be printed (U+E0041"),
        (" ", "has only blanks"),
        ("\u00a0\u3000\ufe0f", "has only blanks"),
        ("e\u0301" * 13, "has 13 characters: give at most 12"),
    ],
)
def test_a_text_for_people_shows_as_what_it_is(title: str, problem: str) -> None:
    found = breaches(lawful(title=title))
    assert set(found) == {"title"}
    assert found["title"].startswith(problem)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Ta\u0308gl.", "T\u00e4gl."),
        ("\uff34able \uff17", "Table 7"),
        ("\ufb01nal", "final"),
        ("K\u00a0e\u3000y", "K e y"),
        ("plain", "plain"),
    ],
)
def test_a_text_for_people_is_kept_in_its_one_form(sent: str, kept: str) -> None:
    request = lawful(title=sent)
    assert breaches(request) == {}
    assert {field.name: value for field, value in request.ListFields()}["title"] == kept


def test_one_character_that_becomes_eighteen_is_counted_as_eighteen() -> None:
    assert breaches(lawful(title="\ufdfa"))["title"].startswith("has 18 characters")


def test_a_missing_request_id_is_told_once() -> None:
    with pytest.raises(DomainError) as error:
        Validator().check(Sitting(colour=1), Sitting.DESCRIPTOR)  # type: ignore[arg-type]  # two types of one class
    assert [(each.field, each.description) for each in error.value.violations] == [
        ("request_id", "is required: set it")
    ]


@pytest.mark.parametrize("number", [0, 9])
def test_a_wrong_or_missing_enum_is_told_its_values(number: int) -> None:
    found = breaches(Sitting(request_id=UUID, colour=number))
    assert found["colour"].endswith(": give one of COLOUR_RED, COLOUR_BLUE")


def test_the_values_of_a_breach_are_not_repeated() -> None:
    assert "geheim" not in str(breaches(lawful(currency="geheim", name="geheim")))


def test_a_flood_of_breaches_is_cut() -> None:
    request = lawful(amounts=[10] * 10_000)
    with pytest.raises(DomainError, match=r"more$") as error:
        Validator().check(request, request.DESCRIPTOR)  # type: ignore[arg-type]  # two types of one class
    assert len(error.value.violations) == 20
