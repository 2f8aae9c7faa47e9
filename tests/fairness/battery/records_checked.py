"""F12 and F13: anybody can check a hand, nobody can change one, and what was not shown stays hidden for ever."""

import copy
import hashlib
import random
from collections.abc import Iterator
from dataclasses import astuple, dataclass

from services.dealer.domain.commitment import prove_deck
from services.dealer.domain.hand import HandRecord
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.proof import own_openings, public_openings
from services.dealer.domain.table_deck import TableDeck, deck_after
from tests.fairness import verifier
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, row
from tests.fairness.published import dealer_record, refuses, table_record
from tests.fairness.records import a_random_hand, proof_json, rules_json
from tests.fairness.tampering import CHANGES, Json

HANDS = 10_000
PORTION = 100
LEAVES_OF_A_HAND = 12


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of some hands."""

    verified: int
    """Hands that the stand-alone verifier proves."""
    verified_too: int
    """Hands that `sevenstud verify` proves."""
    tampered: int
    accepted: int
    """Tampered records that the stand-alone verifier took."""
    accepted_too: int
    """Tampered records that `sevenstud verify` took."""
    messages: int
    """Public records, and openings given to a seat."""
    hidden_shown: int
    """Cards in them that their reader must not see."""
    leaves: int
    """Leaves of hidden cards that were attacked."""
    guessed: int


def accepted(record: Json, rules: Json) -> bool:
    """The stand-alone verifier takes the record."""
    try:
        verifier.verify(record, rules)
    except verifier.Mismatch:
        return False
    return True


def check(first: int, count: int) -> Checked:
    """Some random hands, played to their end."""
    totals = [0] * 9
    for number in range(first, first + count):
        for at, found in enumerate(astuple(_check_one(number))):
            totals[at] += found
    return Checked(*totals)


def _check_one(number: int) -> Checked:
    (record, secrets), rules_of_hand = a_random_hand(number)
    public, rules = proof_json(record, secrets), rules_json(rules_of_hand)
    verified = accepted(public, rules)
    table = table_record(dealer_record((record, secrets)), rules_of_hand)
    verified_too = not refuses(public, rules, table)
    changed, changed_rules = copy.deepcopy(public), copy.deepcopy(rules)
    CHANGES[number % len(CHANGES)](changed, changed_rules, random.Random(number))
    deck = deck_after(record, secrets, record.steps)
    hidden = hidden_positions(record, secrets, deck)
    leaves = sorted(hidden)[:LEAVES_OF_A_HAND]
    return Checked(
        verified=verified,
        verified_too=verified_too,
        tampered=1,
        accepted=accepted(changed, changed_rules),
        accepted_too=not refuses(changed, changed_rules, table),
        messages=1 + len(record.terms.seats),
        hidden_shown=shown_of_hidden(record, secrets, deck),
        leaves=len(leaves),
        guessed=guessed(record, secrets, deck, leaves),
    )


def hidden_positions(record: HandRecord, secrets: HandSecrets, deck: TableDeck) -> frozenset[int]:
    """What nobody but its owner ever saw, and what nobody saw at all: worked out from the steps alone."""
    shown = {seat for step in record.steps if step.step == "open_cards" for seat in step.seats}
    seen = {each.position for each in deck.dealing.given if each.face_up or each.seat in shown}
    assert seen == {each.position for each in public_openings(record, secrets)}
    return frozenset(range(52)) - seen


def shown_of_hidden(record: HandRecord, secrets: HandSecrets, deck: TableDeck) -> int:
    """Hidden cards in the public record, and in what each seat is given, that are not its own."""
    hidden = hidden_positions(record, secrets, deck)
    found = len(hidden & {each.position for each in public_openings(record, secrets)})
    for seat in record.terms.seats:
        own = {each.position for each in deck.dealing.given if each.seat in {seat, 0}}
        found += len({each.position for each in own_openings(record, secrets, seat)} - own)
    return found


def guessed(record: HandRecord, secrets: HandSecrets, deck: TableDeck, positions: list[int]) -> int:
    """All 52 cards tried on leaves of hidden cards, with salts that are known: none, and those of opened cards."""
    proof = prove_deck(record.terms, secrets.seed, record.entropy, deck.fixed)
    known = [bytes(16), *(each.salt for each in public_openings(record, secrets)[:2])]
    hits = 0
    for position in positions:
        leaf, head = proof.levels[0][position], b"\x00" + bytes((position,))
        hits += any(
            hashlib.sha256(head + salt + bytes((card,))).digest() == leaf for salt in known for card in range(1, 53)
        )
    return hits


def rows(sizes: Sizes) -> Iterator[Row]:
    """Two rows for each verifier, two for what stays hidden."""
    hands = sizes.of(HANDS, least=len(CHANGES))
    parts = list(in_portions("F12 and F13, public records", check, hands, PORTION))
    total = Checked(*(sum(column) for column in zip(*map(astuple, parts), strict=True)))
    for who, verified, taken in (
        ("the stand-alone verifier", total.verified, total.accepted),
        ("sevenstud verify", total.verified_too, total.accepted_too),
    ):
        yield row("F12", f"hands that {who} proves", f"{hands:,}", f"{verified:,}", holds=verified == hands)
        what = f"records with one thing changed, {len(CHANGES)} kinds, taken by {who}"
        holds = taken == 0 and total.tampered == hands
        yield row("F12", what, f"0 of {hands:,}", f"{taken} of {total.tampered:,}", holds=holds)
    yield row(
        "F13",
        f"hidden cards in {total.messages:,} messages to others",
        "0",
        str(total.hidden_shown),
        holds=total.hidden_shown == 0,
    )
    yield row(
        "F13",
        f"52 guesses on each of {total.leaves:,} hidden leaves",
        "0 hits",
        str(total.guessed),
        holds=total.guessed == 0 < total.leaves,
    )
