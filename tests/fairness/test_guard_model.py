"""What the model of the guard goes by, without spin."""

import pytest

from tests.fairness.battery import guard_model


def test_the_model_has_every_claim_that_is_asked_of_it() -> None:
    text = guard_model.MODEL.read_text(encoding="utf-8")
    assert all(f"ltl {claim} " in text for claim in guard_model.CLAIMS)
    assert text.count("ltl ") == len(guard_model.CLAIMS)


def test_a_run_that_did_not_come_to_its_end_is_no_proof() -> None:
    said = "State-vector 64 byte, depth reached 205, errors: 0\n   560310 states, stored"
    assert (guard_model.errors_of(said), guard_model.states_of(said)) == (0, 560_310)
    for broken in ("", "error: max search depth too small\nerrors: 0"):
        with pytest.raises(SystemExit):
            guard_model.errors_of(broken)
