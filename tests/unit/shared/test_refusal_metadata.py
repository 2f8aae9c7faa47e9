"""The metadata of a refusal names the fields that are wrong, for callers that read nothing else."""

import pytest
from google.rpc import error_details_pb2, status_pb2

from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.rpc.errors import FIELDS_CHARACTERS_MAX, refusal_of
from shared.rpc.validation import invalid_request


def metadata_of(error: DomainError) -> dict[str, str]:
    """What a caller of the refused call reads in its ErrorInfo."""
    status, info = status_pb2.Status(), error_details_pb2.ErrorInfo()
    (packed,) = [value for key, value in refusal_of(error, "dealer").trailer if key == "grpc-status-details-bin"]
    assert isinstance(packed, bytes)
    status.ParseFromString(packed)
    assert status.details[0].Unpack(info)
    return dict(info.metadata)


def wrong(*paths: str) -> DomainError:
    violations = tuple(FieldViolation(path, "is wrong") for path in paths)
    return DomainError(Reason.RULES_INVALID, "rules make no sense together", violations=violations)


def test_one_breach_is_named_once() -> None:
    assert metadata_of(invalid_request([("name", "is required")])) == {"field": "name"}
    assert metadata_of(wrong("rules.raise_cap")) == {"fields": "rules.raise_cap"}


def test_several_breaches_are_all_named_by_their_paths() -> None:
    several = invalid_request([("seat.player_id", "is no id"), ("name", "is required"), ("name", "is too long")])
    assert metadata_of(several) == {"field": "seat.player_id", "fields": "seat.player_id,name"}
    assert metadata_of(wrong("a", "b[0].c")) == {"fields": "a,b[0].c"}


def test_a_refusal_of_no_field_names_none() -> None:
    refusal = DomainError(Reason.NOT_FOUND, "there is no table t", {"kind": "table", "id": "t"})
    assert metadata_of(refusal) == {"kind": "table", "id": "t"}


def test_paths_that_do_not_fit_are_left_to_the_violations() -> None:
    paths = [f"seats[{number}].{'x' * 100}" for number in range(20)]
    named = metadata_of(wrong(*paths))["fields"]
    assert len(named) <= FIELDS_CHARACTERS_MAX
    assert named.split(",") == paths[: len(named.split(","))]


HEADERS_BYTES_MAX = 8192
"""What gRPC clients take of headers unasked."""


def on_the_wire(error: DomainError) -> int:
    """Bytes of the headers that end the call: the message percent-encoded, the status in base64."""
    refusal = refusal_of(error, "tournament_ledger")
    told = sum(1 if " " <= each <= "~" else 3 * len(each.encode()) for each in refusal.message)
    return told + sum(len(key) + 32 + 4 * -(-len(value) // 3) for key, value in refusal.trailer)


LONG_PATH = "rules.overrides.tournament.levels[59].stakes.ante_chips" * 4
LONG_TEXT = "is no card: give one of " + "CARD_QUEEN_OF_DIAMONDS, " * 20


@pytest.mark.parametrize("description", ["is wrong", LONG_TEXT, "\u5c71" * 500])
@pytest.mark.parametrize("path", ["a", "hands[7].cards[6]", LONG_PATH])
def test_a_refusal_with_everything_wrong_still_reaches_its_caller(path: str, description: str) -> None:
    breaches = [(f"{path}[{number}]", description) for number in range(60)]
    error = invalid_request(breaches)
    assert on_the_wire(error) < HEADERS_BYTES_MAX
    assert metadata_of(error)["field"] == breaches[0][0]


def test_a_single_breach_is_cut_as_well() -> None:
    assert on_the_wire(wrong("a" * 1500)) < HEADERS_BYTES_MAX
    assert on_the_wire(invalid_request([("name", "\u5c71" * 3000)])) < HEADERS_BYTES_MAX


def test_a_refusal_that_fits_says_everything() -> None:
    error = wrong(*(f"seats[{number}].chips" for number in range(20)))
    (packed,) = [value for key, value in refusal_of(error, "dealer").trailer if key == "grpc-status-details-bin"]
    status, found = status_pb2.Status(), error_details_pb2.BadRequest()
    status.ParseFromString(packed if isinstance(packed, bytes) else b"")
    assert status.details[1].Unpack(found)
    assert [each.field for each in found.field_violations] == [each.field for each in error.violations]


def test_a_message_in_other_letters_is_cut_by_what_it_takes() -> None:
    assert on_the_wire(DomainError(Reason.NOT_FOUND, "\U0001f0a1" * 1000)) < HEADERS_BYTES_MAX
    assert refusal_of(DomainError(Reason.NOT_FOUND, "there is none"), "dealer").message == "there is none"
