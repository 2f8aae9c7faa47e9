"""The journal's bytes are fixed for ever: golden vectors, every field hashed, text that reads back (rows L6, L10)."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tournament_ledger.application.sealing import sealed
from services.tournament_ledger.domain.accounts import outside, wallet
from services.tournament_ledger.domain.canonical import from_text, to_text
from services.tournament_ledger.domain.facts import (
    KNOWN,
    HandRecorded,
    HandResult,
    MoneyDeposited,
    PlayerBusted,
    TournamentAnnounced,
)
from services.tournament_ledger.domain.journal import (
    EntryKind,
    JournalEntry,
    RawPosting,
    canonical_bytes,
    chain_faults,
    empty_head,
    hash_of,
    micros,
    moment,
    next_moment,
)
from services.tournament_ledger.domain.posting import Posting, redistribution
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.game import Street
from tests.support.ledger_events import NOON, Event, rules_with

GOLDEN = (
    "730aa0a1eeba0b75cb292ce36e8449f8ddc956293d4899f48b32640f77e7f6a2",
    "0878ec664b0858b73a958b649b8eaa7b83ea0bb20b0d53ca58d1989b77c25fe5",
)
REQUEST = "00000000-0000-4000-8000-000000000001"


def deposit(amount: int) -> Draft:
    posting = Posting(outside("EUR"), wallet("ann", "EUR"), amount)
    return Draft(EntryKind.DEPOSITED, (MoneyDeposited("ann", "card"),), (posting,))


def chain() -> tuple[JournalEntry, ...]:
    drafts = tuple(deposit(amount) for amount in (100, 250, 7))
    return sealed(empty_head("wallets"), NOON, REQUEST, drafts)


def test_the_hash_of_an_entry_never_changes_between_releases() -> None:
    first, second, _ = chain()
    assert canonical_bytes(first)[:31] == b"\0\0\0\0\0\0\0\x07wallets" + b"\0\0\0\0\0\0\0\x011" + b"\0\0\0\0\0\0\0"
    assert first.hash.hex() == GOLDEN[0]
    assert second.hash.hex() == GOLDEN[1]


def test_a_chain_as_it_was_written_has_no_fault() -> None:
    assert not list(chain_faults(empty_head("wallets"), chain()))


CHANGES: dict[str, Any] = {
    "book": "other",
    "number": 9,
    "kind": EntryKind.WITHDRAWN,
    "subject": "fact=MoneyDeposited\nplayer_id=bob\nreference=card",
    "postings": (RawPosting("outside/EUR", "wallet/bob/EUR", 250, "EUR"),),
    "at": NOON + timedelta(seconds=1),
    "request_id": "another",
    "previous_hash": bytes(32),
    "hash": bytes(32),
}


@pytest.mark.parametrize("name", [field.name for field in fields(JournalEntry)])
def test_a_change_of_any_field_is_found(name: str) -> None:
    first, second, third = chain()
    tampered = replace(second, **{name: CHANGES[name]})
    assert list(chain_faults(empty_head("wallets"), (first, tampered, third)))


@pytest.mark.parametrize(
    "posting",
    [
        RawPosting("outside/USD", "wallet/ann/EUR", 250, "EUR"),
        RawPosting("outside/EUR", "wallet/bob/EUR", 250, "EUR"),
        RawPosting("outside/EUR", "wallet/ann/EUR", 251, "EUR"),
        RawPosting("outside/EUR", "wallet/ann/EUR", 250, "USD"),
    ],
)
def test_a_change_of_any_part_of_a_posting_is_found(posting: RawPosting) -> None:
    first, second, third = chain()
    assert list(chain_faults(empty_head("wallets"), (first, replace(second, postings=(posting,)), third)))


def test_a_forged_entry_with_a_right_hash_is_found_by_the_next_one() -> None:
    first, second, third = chain()
    forged = replace(second, request_id="another")
    forged = replace(forged, hash=hash_of(forged))
    assert list(chain_faults(empty_head("wallets"), (first, forged, third)))


def test_swapped_and_missing_entries_are_found() -> None:
    first, second, third = chain()
    assert list(chain_faults(empty_head("wallets"), (second, first, third)))
    assert list(chain_faults(empty_head("wallets"), (first, third)))


def test_entries_never_go_back_in_time_even_if_the_clock_does() -> None:
    head = replace(empty_head("wallets"), at=NOON)
    assert next_moment(head, NOON - timedelta(hours=1)) == NOON + timedelta(microseconds=1)
    assert next_moment(head, NOON + timedelta(hours=1)) == NOON + timedelta(hours=1)


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001 - made aware below
def test_moments_survive_as_microseconds(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)
    assert moment(micros(at)) == at


@given(st.text(), st.text(), st.integers(0, 2**63 - 1), st.booleans(), st.sampled_from([None, *Street]))
def test_facts_read_back_from_their_text_whatever_they_hold(
    player_id: str, hand_id: str, chips: int, voided: bool, street: Street | None
) -> None:
    told = (
        HandRecorded(
            hand_id=hand_id,
            table_id="T=1",
            hand_number=3,
            results=(HandResult(player_id, chips, 0), HandResult("b", 0, chips)),
            rake_chips=0,
            street_reached=street,
            feats=(),
            voided=voided,
        ),
        PlayerBusted(player_id, chips, NOON),
    )
    assert from_text(to_text(told), KNOWN) == told


def test_an_announcement_with_all_its_rules_reads_back() -> None:
    state = Event(rules_with()).state
    told = (TournamentAnnounced("event", state.announcement, state.rules),)
    assert from_text(to_text(told), KNOWN) == told


@pytest.mark.parametrize("text", ["player_id=ann", "fact=Nothing", "fact=PlayerBusted\nplayer_id", "fact=PlayerBusted"])
def test_text_that_is_not_ours_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        from_text(text, KNOWN)


@given(st.lists(st.integers(0, 2**60), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_chips_are_redistributed_by_balanced_postings_whatever_the_result(before: list[int], random: Random) -> None:
    accounts = [wallet(f"p{index}", "EUR") for index in range(len(before))]
    total = sum(before)
    cuts = sorted(random.randint(0, total) for _ in before[1:])
    after = [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]
    postings = redistribution(dict(zip(accounts, before, strict=True)), dict(zip(accounts, after, strict=True)))
    balances = dict(zip(accounts, before, strict=True))
    for posting in postings:
        balances[posting.from_account] -= posting.amount
        balances[posting.to_account] += posting.amount
        assert min(balances.values()) >= 0
    assert balances == dict(zip(accounts, after, strict=True))
    assert len(postings) < len(before)


@pytest.mark.parametrize("amount", [0, -1, 2**63])
def test_a_posting_of_nothing_or_too_much_cannot_be_made(amount: int) -> None:
    with pytest.raises(AssertionError):
        Posting(outside("EUR"), wallet("ann", "EUR"), amount)


def test_a_posting_between_units_or_to_itself_cannot_be_made() -> None:
    with pytest.raises(AssertionError):
        Posting(outside("USD"), wallet("ann", "EUR"), 1)
    with pytest.raises(AssertionError):
        Posting(outside("EUR"), outside("EUR"), 1)
