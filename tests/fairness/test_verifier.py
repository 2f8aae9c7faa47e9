"""Anybody can check a hand (F12), what was not shown stays hidden (F13), and nothing that was changed passes."""

import ast
import copy
import hashlib
import random
from itertools import pairwise
from pathlib import Path

import pytest

from services.dealer.domain.rules import rules_digest
from services.dealer.domain.table_deck import deck_after
from shared.kernel.rules.presets import PRESETS
from tests.fairness import auditor, verifier
from tests.fairness.records import a_random_hand, proof_json, rules_json
from tests.fairness.tampering import CHANGES, Change, Json, change_bytes

HANDS = 300


@pytest.fixture(scope="module")
def records() -> list[tuple[Json, Json, bytes, tuple[int, ...]]]:
    """Public records with their rules; beside them, for the auditor, seed and deck."""
    made: list[tuple[Json, Json, bytes, tuple[int, ...]]] = []
    for number in range(HANDS):
        (record, secrets), rules = a_random_hand(number)
        deck = deck_after(record, secrets, record.steps).fixed.cards
        made.append((proof_json(record, secrets), rules_json(rules), secrets.seed, deck))
    return made


Records = list[tuple[Json, Json, bytes, tuple[int, ...]]]


def test_the_verifier_imports_nothing_of_ours() -> None:
    tree = ast.parse(Path(verifier.__file__).read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert modules | names == {"base64", "hashlib", "json", "sys", "collections.abc", "pathlib", "typing"}


def test_the_verifier_agrees_on_every_random_hand(records: Records) -> None:
    for record, rules, _, _ in records:
        verifier.verify(record, rules)
    sources = {step["source"] for record, *_ in records for step in record["steps"]}
    assert {
        "CARD_SOURCE_STUB",
        "CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS",
        "CARD_SOURCE_COMMON_FROM_BURNS",
        "CARD_SOURCE_COMMON_FROM_STUB",
        "CARD_SOURCE_COMMON_FROM_STUB_AND_BURNS",
    } <= sources


def test_the_seed_gives_an_auditor_the_same_deck_and_river_key(records: Records) -> None:
    for record, _, seed, deck in records:
        cards, river_key = auditor.deck_from_seed(record, seed)
        assert cards == list(deck)
        assert verifier.raw(record["reshuffle_key"]) in {b"", river_key}


@pytest.mark.parametrize("preset", list(PRESETS))
def test_the_digest_of_the_rules_is_made_from_what_the_table_publishes(preset: str) -> None:
    rules = PRESETS[preset].hand
    assert verifier.rules_digest(rules_json(rules)) == rules_digest(rules)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_record_in_which_one_thing_was_changed_is_refused(change: Change, records: Records) -> None:
    for number, (record, rules, _, _) in enumerate(records[:60]):
        changed, changed_rules = copy.deepcopy(record), copy.deepcopy(rules)
        change(changed, changed_rules, random.Random(number))
        with pytest.raises(verifier.Mismatch):
            verifier.verify(changed, changed_rules)


def test_entropy_and_river_key_cannot_be_exchanged(records: Records) -> None:
    pick = random.Random(1)
    tried = 0
    for record, rules, _, _ in records:
        for where in ("entropy", "reshuffle_key"):
            changed = copy.deepcopy(record)
            if not changed[where]:
                continue
            if where == "entropy":
                changed["entropy"][0]["entropy"] = change_bytes(changed["entropy"][0]["entropy"], pick)
            else:
                changed[where] = change_bytes(changed[where], pick)
            tried += 1
            with pytest.raises(verifier.Mismatch):
                verifier.verify(changed, rules)
    assert tried > 100


def test_the_proof_of_one_hand_proves_nothing_in_another(records: Records) -> None:
    for (record, rules, _, _), (other, _, _, _) in pairwise(records):
        changed = copy.deepcopy(record)
        changed["openings"][0] = copy.deepcopy(other["openings"][0])
        with pytest.raises(verifier.Mismatch):
            verifier.verify(changed, rules)


def test_no_hidden_card_can_be_guessed_from_what_is_public(records: Records) -> None:
    """Every sibling leaf of an opened card is tried with all 52 cards and every salt that is known."""
    for record, *_ in records[:20]:
        salts = [verifier.raw(each["salt"]) for each in record["openings"]] + [bytes(16)]
        opened = {each["position"] for each in record["openings"]}
        hidden = {each["position"] ^ 1: verifier.raw(each["path"][0]) for each in record["openings"]}
        for position, leaf in hidden.items():
            if position in opened:
                continue
            for salt in salts:
                for card in range(1, 53):
                    guess = hashlib.sha256(b"\x00" + bytes([position]) + salt + bytes([card])).digest()
                    assert guess != leaf


def test_only_cards_that_everybody_saw_are_in_the_record(records: Records) -> None:
    for record, *_ in records:
        shown = {seat for step in record["steps"] if step["step"] == "open_cards" for seat in step["seats"]}
        for opening in record["openings"]:
            assert opening["face_up"] or opening["seat"] in shown
