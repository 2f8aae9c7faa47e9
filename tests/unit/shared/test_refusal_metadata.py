"""The metadata of a refusal names the fields that are wrong, for callers that read nothing else."""

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
