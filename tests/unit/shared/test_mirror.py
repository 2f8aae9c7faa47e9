"""Dataclasses and messages mirror each other without loss, and say which field has no place."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Any, NewType

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.errors import DomainError, Reason
from shared.rpc.mirror import fill_proto, from_proto, to_proto, unmirrored
from tests.support.scratch_contract import message_classes

CONTRACT = """
syntax = "proto3";
package scratch.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
enum Street { STREET_UNSPECIFIED = 0; STREET_THIRD = 1; STREET_FOURTH = 2; }
enum Card { CARD_UNSPECIFIED = 0; CARD_2C = 1; CARD_2D = 2; CARD_FACE_DOWN = 53; }
message Seat {
  int32 seat = 1; int64 stack_chips = 2; optional int64 bet_chips = 3; repeated Card cards = 4; string player_id = 5;
}
message Fold {}
message Bet { int64 amount_chips = 1; }
message Action { oneof action { Fold fold = 1; Bet bet = 2; } }
message Hand {
  string hand_id = 1;
  Street street = 2;
  optional Street last_street = 3;
  repeated Street streets = 4;
  repeated Seat seats = 5;
  Seat turn = 6;
  oneof action { Fold fold = 7; Bet bet = 8; }
  repeated Action history = 9;
  google.protobuf.Timestamp started_at = 10;
  google.protobuf.Duration clock = 11;
  bytes digest = 12;
  bool live = 13;
  map<string, string> notes = 14;
  Card door_card = 15;
  string colour = 16;
  Hand previous = 17;
  uint32 extra = 18;
}
message Edge {
  optional int64 whole = 1; int64 plain = 2; Seat seat = 3; repeated int64 many = 4; Street street = 5; string text = 6;
}
"""
CLASSES = message_classes(CONTRACT)
Hand, Seat, Edge = (CLASSES[f"scratch.v1.{name}"] for name in ("Hand", "Seat", "Edge"))

CardNumber = NewType("CardNumber", int)


class StreetText(StrEnum):
    THIRD = "third"
    FOURTH = "fourth"


class StreetNumber(IntEnum):
    THIRD = 3
    FOURTH = 4


class Colour(StrEnum):
    RED = "red"
    BLACK = "black"


@dataclass(frozen=True, slots=True)
class SeatData:
    seat: int
    stack_chips: int
    bet_chips: int | None = None
    cards: tuple[CardNumber, ...] = ()
    player_id: str | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    pass


@dataclass(frozen=True, slots=True)
class Bet:
    amount_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandData:
    hand_id: str
    street: StreetText
    last_street: StreetNumber | None = None
    streets: tuple[StreetNumber, ...] = ()
    seats: tuple[SeatData, ...] = ()
    turn: SeatData | None = None
    action: Fold | Bet | None = None
    history: tuple[Fold | Bet, ...] = ()
    started_at: datetime | None = None
    clock: timedelta | None = None
    digest: bytes = b""
    live: bool = False
    notes: dict[str, str] = field(default_factory=dict)
    door_card: CardNumber | None = None
    colour: Colour = Colour.RED
    previous: "HandData | None" = None
    cached: int = field(default=7, metadata={"mirror": False})


INT64 = st.integers(-(2**63), 2**63 - 1)
CARDS = st.sampled_from([CardNumber(1), CardNumber(2), CardNumber(53)])
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
SEATS = st.builds(
    SeatData,
    seat=st.integers(-(2**31), 2**31 - 1),
    stack_chips=INT64,
    bet_chips=st.none() | INT64,
    cards=st.lists(CARDS, max_size=7).map(tuple),
    player_id=st.none() | NAMES,
)
ACTIONS = st.builds(Fold) | st.builds(Bet, INT64)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
FLAT_HANDS = st.builds(
    HandData,
    hand_id=NAMES,
    street=st.sampled_from(StreetText),
    last_street=st.none() | st.sampled_from(StreetNumber),
    streets=st.lists(st.sampled_from(StreetNumber), max_size=5).map(tuple),
    seats=st.lists(SEATS, max_size=3).map(tuple),
    turn=st.none() | SEATS,
    action=st.none() | ACTIONS,
    history=st.lists(ACTIONS, max_size=4).map(tuple),
    started_at=st.none() | MOMENTS,
    clock=st.none() | st.timedeltas(timedelta(days=-9), timedelta(days=9)),
    digest=st.binary(max_size=4),
    live=st.booleans(),
    notes=st.dictionaries(NAMES, NAMES, max_size=2),
    door_card=st.none() | CARDS,
    colour=st.sampled_from(Colour),
)


def _with_previous(hand: HandData, previous: HandData | None) -> HandData:
    return replace(hand, previous=previous)


HANDS = st.builds(_with_previous, FLAT_HANDS, st.none() | FLAT_HANDS)


def least(**fields: Any) -> Message:
    return Hand(hand_id="h1", street=1, colour="red", **fields)


@given(HANDS)
def test_every_hand_comes_back_from_the_wire_as_it_went(hand: HandData) -> None:
    wire = Hand.FromString(to_proto(hand, Hand).SerializeToString())
    assert from_proto(wire, HandData) == hand


def test_enums_travel_by_member_name_and_cards_by_number() -> None:
    hand = HandData(hand_id="h", street=StreetText.FOURTH, streets=(StreetNumber.THIRD,), door_card=CardNumber(53))
    wire: Any = to_proto(hand, Hand)
    assert (wire.street, list(wire.streets), wire.door_card) == (2, [1], 53)


def test_an_empty_message_in_a_oneof_is_still_chosen() -> None:
    wire: Any = to_proto(HandData(hand_id="h", street=StreetText.THIRD, action=Fold()), Hand)
    assert wire.WhichOneof("action") == "fold"


def test_a_zero_that_was_set_is_not_an_unset_field() -> None:
    seat = SeatData(seat=1, stack_chips=0, bet_chips=0)
    assert from_proto(to_proto(seat, Seat), SeatData).bet_chips == 0
    assert from_proto(to_proto(SeatData(1, 0), Seat), SeatData).bet_chips is None


def test_a_message_that_exists_is_filled_in_place() -> None:
    wire: Any = Hand()
    fill_proto(SeatData(seat=3, stack_chips=5), wire.turn)
    assert wire.HasField("turn")
    assert wire.turn.seat == 3


REFUSED = [
    (Hand(hand_id="h", colour="red"), "street", "is required"),
    (Hand(hand_id="h", colour="red", street=9), "street", "9 is not in Street"),
    (least(streets=[1, 0]), "streets[1]", "is required"),
    (least(seats=[{"cards": [1]}, {"cards": [1, 2, 52]}]), "seats[1].cards[2]", "52 is not in Card"),
    (least(turn={"cards": [7]}), "turn.cards[0]", "7 is not in Card"),
    (least(history=[{"fold": {}}, {}]), "history[1]", "is required: set one of fold, bet"),
    (Hand(hand_id="h", street=1, colour="green"), "colour", "'green' is not allowed: one of red, black"),
    (least(started_at={"seconds": 2**50}), "started_at", "is out of range"),
    (least(previous={"street": 1, "colour": "blue"}), "previous.colour", "'blue' is not allowed"),
]


@pytest.mark.parametrize(("message", "path", "problem"), REFUSED, ids=[path for _, path, _ in REFUSED])
def test_a_value_without_a_place_in_the_domain_is_refused_with_its_path(
    message: Message, path: str, problem: str
) -> None:
    with pytest.raises(DomainError) as refusal:
        from_proto(message, HandData)
    assert refusal.value.reason is Reason.REQUEST_INVALID
    (violation,) = refusal.value.violations
    assert violation.field == path
    assert violation.description.startswith(problem)


def test_the_path_starts_where_the_caller_says() -> None:
    with pytest.raises(DomainError, match=r"^request\.state\.street: is required"):
        from_proto(Hand(colour="red"), HandData, path="request.state")


@dataclass(frozen=True, slots=True)
class NeedsWhole:
    whole: int
    seat: SeatData


def test_an_unset_optional_number_is_refused_where_the_domain_needs_it() -> None:
    with pytest.raises(DomainError, match="whole: is required"):
        from_proto(Edge(seat={}), NeedsWhole)
    with pytest.raises(DomainError, match="seat: is required"):
        from_proto(Edge(whole=0), NeedsWhole)


@dataclass(frozen=True, slots=True)
class Later:
    whole: int = field(metadata={"when_unset": 0})


def test_a_field_that_came_later_has_its_meaning_in_older_messages() -> None:
    assert from_proto(Edge(), Later) == Later(whole=0)
    assert from_proto(Edge(whole=3), Later) == Later(whole=3)


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(DomainError) as refused:
        from_proto(Edge(), NeedsWhole, "edge")
    assert [each.field for each in refused.value.violations] == ["edge.whole", "edge.seat"]
    assert str(refused.value) == "edge.whole: is required; edge.seat: is required"


@dataclass(frozen=True, slots=True)
class Picky:
    plain: int

    def __post_init__(self) -> None:
        if self.plain < 0:
            raise ValueError("plain is below zero")


def test_a_value_error_of_the_dataclass_is_a_refusal() -> None:
    with pytest.raises(DomainError, match="plain is below zero"):
        from_proto(Edge(plain=-1), Picky)


def make(annotation: Any, name: str) -> type:
    namespace = {"__annotations__": {name: annotation}, "__module__": __name__}
    return dataclass(type("Wrong", (), namespace))


@pytest.mark.parametrize(
    ("name", "annotation"),
    [
        ("unknown", int),
        ("plain", str),
        ("plain", int | None),  # no presence on the wire: None would be lost
        ("plain", tuple[int, ...]),
        ("many", int),
        ("many", tuple[int, int]),
        ("seat", int),
        ("plain", bool),
        ("street", str),
        ("street", Colour),
        ("text", Fold | None),
        ("plain", int | str),
    ],
)
def test_a_dataclass_that_does_not_mirror_its_message_is_a_programming_error(name: str, annotation: Any) -> None:
    with pytest.raises(TypeError):
        from_proto(Edge(), make(annotation, name))


def test_a_naive_moment_never_reaches_the_wire() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001  # the point of the test
    with pytest.raises(ValueError, match="time zone"):
        to_proto(HandData(hand_id="h", street=StreetText.THIRD, started_at=naive), Hand)


def test_what_a_dataclass_leaves_out_of_a_message_can_be_listed() -> None:
    assert unmirrored(HandData, Hand) == {"extra"}
