"""What a list of the revoked may say."""

import json

import pytest

from shared.rpc.identity import Proof
from shared.rpc.revocations import read_revoked

ANN = Proof(
    thumbprint="ERERERERERERERERERERERERERERERERERERERERERE",
    serial=0xA1,
    token_id="t1",
    subject="player:ann",
    issued_at=100,
)
CERTIFICATE, TOKEN, ALL = "the certificate", "the token is revoked", "with all that this caller got before"


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, ""),
        ({"certificates": ["sha256:" + "11" * 32]}, CERTIFICATE),
        ({"certificates": ["sha256:" + "12" * 32]}, ""),
        ({"certificates": ["serial:A1"]}, CERTIFICATE),
        ({"certificates": ["serial:00:a1"]}, CERTIFICATE),
        ({"certificates": ["serial:1a"]}, ""),
        ({"tokens": ["t1"]}, TOKEN),
        ({"tokens": ["t2"]}, ""),
        ({"issued_before": {"player:ann": 101}}, ALL),
        ({"issued_before": {"player:ann": 100}}, ""),
        ({"issued_before": {"observer:ann": 101, "player:an": 101}}, ""),
    ],
)
def test_each_part_takes_what_it_names_and_nothing_else(told: dict[str, object], why: str) -> None:
    found = read_revoked(json.dumps(told).encode()).why(ANN)
    assert found.startswith(why) or why in found
    assert bool(found) is bool(why)


def test_a_service_without_a_token_is_not_taken_by_an_empty_id() -> None:
    service = Proof(thumbprint=ANN.thumbprint, serial=ANN.serial)
    assert read_revoked(b'{"tokens": ["t1"], "issued_before": {"player:ann": 101}}').why(service) == ""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "an object with certificates, issued_before, tokens, and nothing else"),
        (b'{"token": []}', "nothing else"),
        (b'{"tokens": "t1"}', "tokens that are no list of texts"),
        (b'{"tokens": [""]}', "tokens that are no list of texts"),
        (b'{"certificates": ["sha256:11"]}', "give sha256:<64 digits> or serial:<digits>"),
        (b'{"certificates": ["md5:11"]}', "give sha256:<64 digits> or serial:<digits>"),
        (b'{"certificates": ["serial:"]}', "give sha256:<64 digits> or serial:<digits>"),
        (b'{"issued_before": {"player:ann": "now"}}', "issued_before that is not of the form"),
        (b'{"issued_before": {"player:ann": true}}', "issued_before that is not of the form"),
        (b'{"issued_before": []}', "issued_before that is not of the form"),
        (b'{"issued_before": {"ann": 101}}', "give role and id, as in player:ann"),
        (b'{"issued_before": {"Player:ann": 101}}', "give role and id, as in player:ann"),
        (b'{"issued_before": {"player: ann": 101}}', "give role and id, as in player:ann"),
        (b'{"issued_before": {"player:": 101}}', "give role and id, as in player:ann"),
        (b'{"issued_before": {"service:orchestrator": 101}}', "give role and id, as in player:ann"),
    ],
)
def test_a_list_that_says_something_else_is_refused_whole(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_revoked(content)
