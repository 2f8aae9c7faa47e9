"""Files that a hand is proved from: what an export wrote, or one answer of a service as grpcurl prints it."""

import json
from math import inf
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict, MessageToJson
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer
from sevenstud.orchestrator.v1 import table_event_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as tables

from services.console.adapters.hand_records import FILE_BYTES_MAX, FileRefused, HandRecords, read_records
from services.console.domain.fair_check import check
from services.console.domain.fair_record import Mismatch
from services.dealer.domain.answers import commitment_of
from services.dealer.domain.proof import own_openings, proof_of
from shared.kernel.errors import DomainError
from shared.rpc.mirror import to_proto
from tests.fairness.records import a_random_hand

HAND, _ = a_random_hand(7)
PROOF = to_proto(proof_of(*HAND), dealer.GetProofResponse)
SEAT = HAND[0].terms.seats[0]
OWN = dealer.GetOpeningsResponse(
    openings=[to_proto(each, dealer.Opening) for each in own_openings(*HAND, SEAT)],
    commitment=to_proto(commitment_of(HAND[0]), dealer.Commitment),
)


def test_what_was_exported_reads_back_and_is_proved(tmp_path: Path) -> None:
    file = tmp_path / "hand.json"
    HandRecords(proof=PROOF, own=OWN).write(file)
    read = read_records(file)
    assert (read.proof, read.hand, read.own) == (PROOF, None, OWN)
    assert len(check(read.evidence()).cards) >= len(PROOF.openings)


@pytest.mark.parametrize("proto_names", [True, False])
def test_the_answer_of_the_dealer_alone_is_taken_in_either_spelling(tmp_path: Path, proto_names: bool) -> None:
    file = tmp_path / "proof.json"
    file.write_text(MessageToJson(PROOF, preserving_proto_field_name=proto_names))
    assert read_records(file) == HandRecords(proof=PROOF)


def test_own_openings_alone_are_known_as_such(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(MessageToJson(OWN))
    assert read_records(file) == HandRecords(own=OWN)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "holds no record of a hand"),
        (json.dumps({"proof": {"openings": "many"}}), "holds no GetProofResponse"),
        (json.dumps({"own": {"strange": 1}}), "holds no GetOpeningsResponse"),
        (json.dumps({"proof": MessageToDict(PROOF) | {"seats": [-1]}}), "holds no GetProofResponse"),
        (json.dumps({"proof": 52}), "holds no GetProofResponse"),
        (json.dumps({"proof": {"\ud800": 1}}), "holds no GetProofResponse"),
        (json.dumps({"hand": {"events": [{"hand_started": {"rules": {"modes_allowed": [inf]}}}]}}), "holds no GetHand"),
        (" " * (FILE_BYTES_MAX + 1), "is larger than"),
    ],
)
def test_a_file_that_is_no_record_is_refused_with_the_reason(tmp_path: Path, content: str, why: str) -> None:
    file = tmp_path / "strange.json"
    file.write_text(content)
    with pytest.raises(FileRefused, match=why):
        read_records(file)


def test_own_cards_are_taken_from_what_get_hand_gave_to_a_player(tmp_path: Path) -> None:
    given = tables.GetHandResponse(events=[table_event_pb2.TableEvent()], own_openings=[table_event_pb2.CardOpening()])
    file = tmp_path / "mine.json"
    file.write_text(MessageToJson(given))
    assert HandRecords(proof=PROOF, own=OWN).with_own(file) == HandRecords(proof=PROOF, hand=given)


def test_own_cards_are_taken_from_an_answer_of_the_dealer(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(MessageToJson(OWN))
    assert HandRecords(proof=PROOF).with_own(file) == HandRecords(proof=PROOF, own=OWN)


def test_a_file_without_own_cards_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    file = tmp_path / "spectator.json"
    file.write_text(MessageToJson(PROOF))
    with pytest.raises(FileRefused, match="nobody's own cards"):
        HandRecords(proof=PROOF).with_own(file)


def test_a_file_that_cannot_be_written_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "hand.json"):
        with pytest.raises(FileRefused, match="cannot be written"):
            HandRecords(proof=PROOF).write(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="cannot be read"):
        read_records(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    "change",
    [{"hand_number": "-1"}, {"hand_id": "\ud800"}, {"openings": [MessageToDict(PROOF.openings[0]) | {"card": 300}]}],
    ids=["a number below zero", "half a character", "no card"],
)
def test_what_cannot_be_reckoned_with_is_refused_in_a_sentence_too(tmp_path: Path, change: dict[str, object]) -> None:
    file = tmp_path / "strange.json"
    content = MessageToDict(PROOF, preserving_proto_field_name=True)
    file.write_text(json.dumps({"proof": content | change}))
    with pytest.raises((FileRefused, Mismatch, DomainError)):
        check(read_records(file).evidence())


def test_no_more_of_a_file_is_read_than_may_be(tmp_path: Path) -> None:
    """A name in an archive of somebody else may stand for a source without end, and says that it is of no size."""
    file = tmp_path / "hand.json"
    file.symlink_to("/dev/zero")
    with pytest.raises(FileRefused, match="is larger than"):
        read_records(file)
