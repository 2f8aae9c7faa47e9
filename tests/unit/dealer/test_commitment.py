"""What binds the house: the deck follows from seed, entropy and terms, and from nothing else."""

from dataclasses import replace

import pytest

from services.dealer.domain.commitment import fix_deck, prove_deck, seed_commitment
from services.dealer.domain.hand import HandTerms, SeatEntropy
from services.dealer.domain.merkle import card_leaf, climb
from services.dealer.domain.rules import rules_digest
from services.dealer.domain.stream import byte_stream, derive, packed
from shared.kernel.cards import FULL_DECK
from shared.kernel.rules.hand_options import BurnStreets
from shared.kernel.rules.presets import PRESETS
from tests.support.dealer_hands import a_command, seed_of

TERMS = a_command(8).terms()
SEED = seed_of(7)


def test_a_deck_has_52_cards_once_each_and_is_repeatable() -> None:
    deck = fix_deck(TERMS, SEED, ())
    assert sorted(deck.cards) == list(FULL_DECK)
    assert fix_deck(TERMS, SEED, ()) == deck


@pytest.mark.parametrize(
    "terms",
    [
        replace(TERMS, hand_id="hand-2"),
        replace(TERMS, table_id="table-2"),
        replace(TERMS, hand_number=2),
        replace(TERMS, seats=(1, 2)),
        replace(TERMS, rules_digest=bytes(32)),
        replace(TERMS, scripted=True),
    ],
)
def test_other_terms_give_another_deck(terms: HandTerms) -> None:
    assert fix_deck(terms, SEED, ()).cards != fix_deck(TERMS, SEED, ()).cards


def test_another_seed_or_entropy_gives_another_deck_and_another_river_key() -> None:
    decks = [
        fix_deck(TERMS, SEED, ()),
        fix_deck(TERMS, seed_of(8), ()),
        fix_deck(TERMS, SEED, (SeatEntropy(seat=1, entropy=b"x"),)),
        fix_deck(TERMS, SEED, (SeatEntropy(seat=2, entropy=b"x"),)),
    ]
    assert len({deck.cards for deck in decks}) == len({deck.river_key for deck in decks}) == 4


def test_every_position_proves_its_card_and_no_other() -> None:
    deck = fix_deck(TERMS, SEED, ())
    proof = prove_deck(TERMS, SEED, (), deck)
    for position, card in enumerate(deck.cards):
        path = proof.path(position)
        assert climb(card_leaf(position, proof.salts[position], card), position, path) == proof.root
        for other in FULL_DECK:
            if other != card:
                assert climb(card_leaf(position, proof.salts[position], other), position, path) != proof.root


def test_salts_are_all_different_and_follow_from_no_public_value() -> None:
    proof = prove_deck(TERMS, SEED, (), fix_deck(TERMS, SEED, ()))
    assert len(set(proof.salts)) == 52
    assert {len(salt) for salt in proof.salts} == {16}


def test_the_seed_commitment_binds_hand_and_seed() -> None:
    assert len({seed_commitment("a", SEED), seed_commitment("b", SEED), seed_commitment("a", seed_of(8))}) == 3


def test_rules_that_differ_have_another_digest() -> None:
    rules = PRESETS["card_room"].hand
    changed = replace(rules, burn_streets=BurnStreets.NONE)
    assert rules_digest(rules) == rules_digest(replace(rules)) != rules_digest(changed)


def test_key_derivation_is_hkdf_as_published() -> None:
    """RFC 5869, test case 1, first 32 bytes."""
    info = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9")
    key = derive(b"\x0b" * 22, bytes.fromhex("000102030405060708090a0b0c"), info)
    assert key.hex() == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"


def test_parts_that_are_cut_elsewhere_are_packed_differently() -> None:
    assert packed(b"ab", b"c") != packed(b"a", b"bc") != packed(b"abc")


def test_the_stream_goes_on_beyond_its_first_block() -> None:
    source = byte_stream(b"key", b"label")
    first = bytes(next(source) for _ in range(1000))
    again = byte_stream(b"key", b"label")
    assert first == bytes(next(again) for _ in range(1000))
    assert first[:272] != first[272:544]
