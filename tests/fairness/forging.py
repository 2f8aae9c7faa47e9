"""Records of a dealer that cheats and keeps the sums right: a tree of hashes grown anew over what it would like."""

import hashlib
from collections.abc import Callable

from tests.fairness import auditor, verifier
from tests.fairness.tampering import Json

Forgery = Callable[[Json, list[int]], None]
"""Changes a record and its deck before the tree is grown."""
LEAVES = 64


def grown(record: Json, forgery: Forgery) -> None:
    """Forge the record, and make every proof in it right again."""
    opened = {each["position"]: verifier.card_number(each["card"]) for each in record["openings"]}
    rest = [card for card in range(1, 53) if card not in opened.values()]
    deck = [opened[at] if at in opened else rest.pop() for at in range(52)]
    forgery(record, deck)
    salts = [hashlib.sha256(bytes([at])).digest()[:16] for at in range(52)]
    levels = [[verifier.sha(b"\x00", bytes([at]), salts[at], bytes([deck[at]])) for at in range(52)]]
    levels[0] += [bytes(32)] * (LEAVES - 52)
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([verifier.sha(b"\x01", below[at], below[at + 1]) for at in range(0, len(below), 2)])
    public = _public(record)
    record["commitment"]["deck_root"] = auditor.text(verifier.sha(b"\x01", levels[-1][0], public))
    for each in record["openings"]:
        at = each["position"]
        path = [level[at >> depth ^ 1] for depth, level in enumerate(levels[:-1])]
        each["card"], each["salt"] = _name(deck[at]), auditor.text(salts[at])
        each["path"] = [auditor.text(node) for node in (*path, public)]


def _public(record: Json) -> bytes:
    bound = record["commitment"]
    seed, river = verifier.raw(bound["seed_commitment"]), verifier.raw(bound["reshuffle_commitment"])
    return verifier.sha(b"\x02", verifier.packed(verifier.terms(record), seed, verifier.entropy(record), river))


def _name(card: int) -> str:
    return f"CARD_{verifier.RANKS[(card - 1) // 4]}_OF_{verifier.SUITS[(card - 1) % 4]}"


def nothing(_: Json, __: list[int]) -> None:
    """The honest record: the forger's sums are right."""


def a_card_twice(record: Json, deck: list[int]) -> None:
    first, second = (each["position"] for each in record["openings"][:2])
    deck[second] = deck[first]


def nothing_but_aces(_: Json, deck: list[int]) -> None:
    deck[:] = [49 + at % 4 for at in range(52)]


def a_seat_twice(record: Json, _: list[int]) -> None:
    record["seats"].append(record["seats"][0])


def entropy_twice(record: Json, _: list[int]) -> None:
    seat = record["seats"][0]
    record["entropy"] = [{"seat": seat, "entropy": auditor.text(bytes([at]) * 32)} for at in (1, 2)]


def entropy_of_nobody(record: Json, _: list[int]) -> None:
    record["entropy"] = [{"seat": 9, "entropy": auditor.text(bytes(32))}]


def another_shuffle(record: Json, _: list[int]) -> None:
    record["commitment"]["shuffle_version"] = "sevenstud-fisher-yates-0"


def cards_to_each_others_seats(record: Json, _: list[int]) -> None:
    """Two seats exchange third street, and the record says that they were dealt to in that order."""
    step = next(each for each in record["steps"] if each["step"] == "deal_street")
    one, two = step["seats"][:2]
    step["seats"][:2] = two, one
    for each in record["openings"]:
        if each["street"] == "STREET_THIRD":
            each["seat"] = {one: two, two: one}.get(each["seat"], each["seat"])


FORGERIES: list[Forgery] = [
    a_card_twice,
    nothing_but_aces,
    a_seat_twice,
    entropy_twice,
    entropy_of_nobody,
    another_shuffle,
    cards_to_each_others_seats,
]
