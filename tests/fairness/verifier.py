"""A stand-alone verifier: it imports nothing of ours and knows only what README and contract of the dealer say.

Input is JSON with the field names of the contract, as grpcurl prints it with -emit-defaults and proto names.
"""

import base64
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

raw = base64.b64decode  # bytes of the JSON form
CARDS_IN_DECK, SHUFFLE_VERSION = 52, "sevenstud-fisher-yates-1"
Record = Mapping[str, Any]  # JSON
Records = Sequence[Record]
Place = tuple[int, str, bool]
Places = Mapping[int, Place]
River = tuple[str, int, int]  # source, cards burned now, cards of the stub that are dealt before the rest is mixed
RESHUFFLED, NO_CARD, FACE_DOWN = "RESHUFFLED_STUB_AND_BURNS", "CARD_UNSPECIFIED", "CARD_FACE_DOWN"
RANKS = ["TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING", "ACE"]
SUITS = ["CLUBS", "DIAMONDS", "HEARTS", "SPADES"]
STREETS = ["STREET_THIRD", "STREET_FOURTH", "STREET_FIFTH", "STREET_SIXTH", "STREET_SEVENTH"]


class Mismatch(Exception):  # noqa: N818  # what the house says is not so
    """The record does not prove what it says."""


def require(holds: bool, what: str) -> None:
    """Stop at the first thing that is not so."""
    if not holds:
        raise Mismatch(what)


def packed(*parts: bytes) -> bytes:
    """Each part led by its length in four bytes, big endian."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def sha(*parts: bytes) -> bytes:
    """SHA-256 over the parts, one after another."""
    return hashlib.sha256(b"".join(parts)).digest()


def stream(key: bytes, label: bytes) -> Iterator[int]:
    """SHAKE-256 over key, label and block number, 272 bytes a block."""
    for block in range(2**63):
        yield from hashlib.shake_256(packed(key, label) + block.to_bytes(8, "big")).digest(272)


def shuffled(items: Sequence[int], source: Iterator[int]) -> list[int]:
    """Fisher-Yates from the last place down; a number at or above the largest multiple is thrown away."""
    order = list(items)
    for size in range(len(order), 1, -1):
        width = 1 if size <= 256 else 2
        share, numbers = 256**width // size, map(int.from_bytes, zip(*[source] * width, strict=True))
        at = next(number // share for number in numbers if number < share * size)
        order[size - 1], order[at] = order[at], order[size - 1]
    return order


def rules_digest(rules: Record) -> bytes:
    """One line name=value for each rule, sorted by name."""
    lists = {name: value if isinstance(value, list) else [value] for name, value in rules.items() if value != []}
    text = {name: ",".join(one if isinstance(one, str) else json.dumps(one) for one in lists[name]) for name in lists}
    return sha("".join(f"{name}={text[name]}\n" for name in sorted(text)).encode())


def terms(record: Record) -> bytes:
    """What the deck is bound to."""
    bound, number = record["commitment"], int(record["hand_number"]).to_bytes(8, "big")
    names = [name.encode() for name in (bound["shuffle_version"], record["hand_id"], record["table_id"])]
    return packed(*names, number, bytes(record["seats"]), raw(record["rules_digest"]), bytes([bound["scripted"]]))


def entropy(record: Record) -> bytes:
    """What the seats added, seat by seat, as it is bound into the deck; tables say it since they ask for it."""
    given = sorted((int(each["seat"]), raw(each["entropy"])) for each in record.get("entropy", ()))
    return packed(*(bytes([seat]) + content for seat, content in given))


def public_part(record: Record) -> bytes:
    """What every path of the hand ends in, so that it proves nothing for another hand."""
    seed, bound = (raw(record["commitment"][f"{name}_commitment"]) for name in ("seed", "reshuffle"))
    return sha(b"\x02", packed(terms(record), seed, entropy(record), bound))


def verify(record: Record, rules: Record) -> dict[int, "Place"]:
    """Check a public record against the rules of its hand; where each position went. Mismatch names what is not so."""
    commitment = record["commitment"]
    require(not commitment["scripted"], "a scripted deck proves nothing")
    require(commitment["shuffle_version"] == SHUFFLE_VERSION, "the shuffle is another one")
    seats, adding = record["seats"], [each["seat"] for each in record["entropy"]]
    require(len(set(seats)) == len(seats) and set(seats) <= set(range(1, 9)), "a seat was dealt in twice")
    require(len(set(adding)) == len(adding) and set(adding) <= set(seats), "entropy of a seat twice, or of nobody")
    require(rules_digest(rules) == raw(record["rules_digest"]), "the rules are others")
    for name, value in record["rules"].items():
        require(rules[name] == value, f"the dealer followed another {name!r}")
    key, bound = raw(record["reshuffle_key"]), raw(commitment["reshuffle_commitment"])
    own = sha(packed(b"sevenstud river 1", record["hand_id"].encode(), key))
    require(not key or own == bound, "the river key is another")
    places, public = verify_deal(record, rules), public_part(record)
    for opening in record["openings"]:
        verify_opening(opening, raw(commitment["deck_root"]), public)
        got = (opening["seat"], opening["street"], opening["face_up"])
        require(places.get(opening["position"]) == got, "an opened card was dealt to another place")
    verify_cards(record["openings"])
    verify_complete(record, places)
    return places


def verify_own(record: Record, own: Records, places: Places) -> None:
    """A player's own cards, down cards too, all of them, lay where the seat's cards were dealt from."""
    for opening in own:
        verify_opening(opening, raw(record["commitment"]["deck_root"]), public_part(record))
        require(places.get(opening["position"], [-1])[0] == opening["seat"], "an own card was dealt to another seat")
    verify_cards([*record["openings"], *own])
    mine, opened = {opening["seat"] for opening in own if opening["seat"]}, {opening["position"] for opening in own}
    dealt = {position for position, (seat, _, _) in places.items() if seat in mine}
    require(dealt <= opened, "a card that was dealt to the player is not among its own")


def verify_cards(openings: Records) -> None:
    """A tree of hashes can be grown over any cards: no card may be in two places."""
    cards = {opening["position"]: card_number(opening["card"]) for opening in openings}
    require(len(set(cards.values())) == len(cards), "a card was dealt twice")


def verify_opening(opening: Record, root: bytes, public: bytes) -> None:
    """The card lay at its position when the root was published, in the deck of this hand."""
    position, path = opening["position"], [raw(each) for each in opening["path"]]
    require(len(path) == 7 and path[-1] == public, "the proof is of another hand")
    require(0 <= position < CARDS_IN_DECK, "there is no such position")
    value = sha(b"\x00", bytes([position]), raw(opening["salt"]), bytes([card_number(opening["card"])]))
    for depth, sibling in enumerate(path):
        value = sha(b"\x01", sibling, value) if position >> depth & 1 else sha(b"\x01", value, sibling)
    require(value == root, "the card is not the one committed to")


def card_number(name: str) -> int:
    """The number of a card on the wire."""
    _, rank, _, suit = name.split("_")
    return 1 + 4 * RANKS.index(rank) + SUITS.index(suit)


def verify_deal(record: Record, rules: Record) -> dict[int, Place]:
    """Deal the positions again by the rules; what each position became."""
    places: dict[int, Place] = {}
    stub, burned, live = list(range(CARDS_IN_DECK)), list[int](), list(record["seats"])
    deals = [step for step in record["steps"] if step["step"] == "deal_street"]
    require([step["street"] for step in deals] == STREETS[: len(deals)], "streets out of order")
    for step in deals:
        ordered = [seat for seat in live if seat in step["seats"]]
        require(step["seats"] == ordered, "a folded seat got a card, or one got it out of its turn")
        require(step["street"] != STREETS[0] or ordered == live, "a seat that was dealt in got no cards")
        live = ordered
        if step["street"] == "STREET_SEVENTH":
            verify_river(record, rules, step, stub, burned)
            places |= river_places(step)
            break
        count = 3 * len(live) if step["street"] == "STREET_THIRD" else len(live)
        burns = int(step["street"] != "STREET_THIRD" and rules["burn_streets"] != "BURN_STREETS_NONE")
        used, stub = stub[: count + burns], stub[count + burns :]
        require(step["positions"] == used, "a street was not dealt from the top of the stub")
        burned += used[:burns]
        for at, position in enumerate(used[burns:]):
            up = step["street"] != "STREET_THIRD" or at >= 2 * len(live)
            places[position] = (live[at % len(live)], step["street"], up)
    return places


def river_places(step: Record) -> dict[int, Place]:
    """What the positions of the river became; seat 0 is the common card."""
    seats = [0] if "COMMON" in step["source"] else step["seats"]
    dealt = step["positions"][-len(seats) :]
    return {at: (seat, "STREET_SEVENTH", not seat) for at, seat in zip(dealt, seats, strict=True)}


def verify_river(record: Record, rules: Record, step: Record, stub: list[int], burned: list[int]) -> None:
    """The cards of the river lay where the rules take them from, mixed by the committed key."""
    source = step["source"].removeprefix("CARD_SOURCE_")
    key, count = raw(record["reshuffle_key"]), len(step["seats"])
    expected, burns, head = expected_river(rules, len(stub), len(burned), count)
    require(source == expected and bool(key or source.endswith("STUB")), "the river came from elsewhere, or by no key")
    lines = {
        "STUB": lambda: stub,
        "COMMON_FROM_STUB": lambda: stub,
        "RESHUFFLED_STUB_AND_BURNS": lambda: stub[:head] + shuffled(stub[head:] + burned, stream(key, b"reshuffle")),
        "COMMON_FROM_BURNS": lambda: shuffled(burned, stream(key, b"common")),
        "COMMON_FROM_STUB_AND_BURNS": lambda: shuffled(stub + burned, stream(key, b"common")),
    }
    line, dealt = lines[source](), 1 if "COMMON" in source else count
    require(len(step["positions"]) == burns + dealt, "another number of cards was burned")
    rest = line[:head] + line[head + burns :]
    require(step["positions"] == line[head : head + burns] + rest[:dealt], "the river was not dealt in order")


def expected_river(rules: Record, stub: int, burned: int, count: int) -> River:
    """Rules 84 to 94: the stub, else stub and burns, else one common card, as the rules of the hand say."""
    policy = rules["exhaustion"].removeprefix("EXHAUSTION_")
    burn = int(rules["burn_streets"] == "BURN_STREETS_FOURTH_TO_SEVENTH")
    if policy == "TDA":
        return directors_river(rules, stub, burned, count)
    if stub >= count + burn:
        return "STUB", burn, 0
    spare, after = stub + burned - count, rules["burn_after_reshuffle"].removeprefix("BURN_AFTER_RESHUFFLE_")
    enough = burned > 0 and spare >= int(after == "REQUIRED")
    reshuffled = (RESHUFFLED, int(after != "NEVER" and spare > 0), 0)
    if stub == count:
        mixes = rules["river_burn_shortfall"] == "RIVER_BURN_SHORTFALL_RESHUFFLE" and enough
        return reshuffled if mixes else ("STUB", 0, 0)
    if policy == "RESHUFFLE_ELSE_COMMON" and enough:
        return reshuffled
    if policy == "RRP" and burned > 0 and spare >= 0:
        return RESHUFFLED, int(spare > 0), stub - 1
    return common_river(rules, stub, burned, policy)


def common_river(rules: Record, stub: int, burned: int, policy: str) -> River:
    """One common card; an empty pile gives way to the other one."""
    pile, left = "STUB", stub
    if rules["common_card_source"] == "COMMON_CARD_SOURCE_STUB_AND_BURNS":
        pile, left = "STUB_AND_BURNS", stub + burned
    elif burned and (not stub or rules["common_card_source"] == "COMMON_CARD_SOURCE_BURNS"):
        pile, left = "BURNS", burned
    burns = policy == "RRP" and rules["burn_streets"] != "BURN_STREETS_NONE" and left > 1
    return "COMMON_FROM_" + pile, int(burns), 0


def directors_river(rules: Record, stub: int, burned: int, count: int) -> River:
    """Rule 90: a reserve of two cards."""
    burn = int(rules["burn_streets"] != "BURN_STREETS_NONE")
    if stub >= count + 2:
        return "STUB", int(rules["burn_streets"] == "BURN_STREETS_FOURTH_TO_SEVENTH"), 0
    if burned and stub + burned >= count + 2:
        return RESHUFFLED, burn, 0
    return ("COMMON_FROM_STUB" if stub >= 3 else "COMMON_FROM_STUB_AND_BURNS"), burn, 0


def verify_complete(record: Record, places: Places) -> None:
    """Every up card is opened, and no down card but those of seats that showed."""
    opened = {opening["position"] for opening in record["openings"]}
    shown = {seat for step in record["steps"] if step["step"] == "open_cards" for seat in step["seats"]}
    for position, (seat, _, up) in places.items():
        require(not up or position in opened, "an up card is not opened")
        require(up or seat in shown or position not in opened, "a card that nobody showed is opened")


def verify_hand(hand: Record, record: Record, own: Records) -> None:
    """The table played this hand, was bound before its first card, and showed the cards that are proved."""
    events, steps = hand["events"], [step["step"] for step in record["steps"]]
    begun = verify_beginning(hand, record)
    void = any("hand_voided" in event for event in events)
    require("close_hand" not in steps if void else not record["void_reason"], "one says void, one does not")
    opened = [each for event in events for each in event.get("openings_published", {}).get("openings", ())]
    if void and not begun["deck_root"]:  # called off before the deck was bound to anything
        told_of = any("street_dealt" in event or "hand_shown" in event for event in events) or "deal_street" in steps
        return require(not (told_of or opened or record["openings"] or own), "a hand that was called off was dealt")
    require([each["seat"] for each in begun["seats"]] == record["seats"], "the table dealt other seats in")
    for name in ("shuffle_version", "seed_commitment", "deck_root", "scripted"):
        require(begun[name] == record["commitment"][name], f"the table published another {name}")
    require(entropy(begun) == entropy(record), "the table published other entropy of its players")
    places = verify(record, begun["rules"])
    verify_own(record, own, places)
    verify_live(events, record)
    return verify_given(events, [*own, *verify_shown(events, record, opened, places)], own, places)


def verify_beginning(hand: Record, record: Record) -> Record:
    """The hand begins once, before its first card; its events are of no other hand, each once and in their order."""
    events, own = hand["events"], (hand["hand_id"], hand["table_id"])
    versions = [int(event["version"]) for event in events]
    require(versions == sorted(set(versions)), "the table told events twice, or not in their order")
    require(all((event["hand_id"], event["table_id"]) == own for event in events), "events of another hand are told")
    begun: list[Record] = [event["hand_started"] for event in events if "hand_started" in event]
    require(len(begun) == 1, "the table published no beginning of this hand")
    first = next(event for event in events if event.keys() & {"hand_started", "street_dealt", "action_taken"})
    require("hand_started" in first, "the commitment came after a card")
    for name in ("hand_id", "table_id", "hand_number"):
        require({str(hand[name]), str(begun[0].get(name, hand[name]))} == {str(record[name])}, f"it is another {name}")
    return begun[0]


def verify_live(events: Records, record: Record) -> None:
    """Each street was told as it was dealt, to the seats that had not folded, all of them; who folded shows nothing."""
    live, deals = record["seats"], [step for step in record["steps"] if step["step"] == "deal_street"]
    ahead = len(deals) - sum("street_dealt" in event for event in events)
    require(0 <= ahead <= any("hand_voided" in event for event in events), "the table told other streets than it had")
    for event in events:
        if event.get("action_taken", {}).get("kind") == "ACTION_KIND_FOLD":
            live = [seat for seat in live if seat != event["action_taken"]["seat"]]
        if "street_dealt" in event:
            step, told = deals.pop(0), event["street_dealt"]
            seats, gets = [each["seat"] for each in told["seats"]], [] if "COMMON" in step["source"] else live
            require(step["seats"] == live and seats == gets, "a street was dealt to others than were in it")
            burned = len(step["positions"]) - (len(gets) * (3 if step["street"] == STREETS[0] else 1) or 1)
            same = (told["street"], told["source"], told["burned_count"]) == (step["street"], step["source"], burned)
            require(same, "the table told of another street than was dealt")
            down = {STREETS[0]: 2, STREETS[-1]: 1}.get(step["street"], 0)
            require(all(len(each["down_cards"]) == down for each in told["seats"]), "other down cards are told")
            keyed = {each["seat"] for each in record.get("sealed_seats", {"keys": told["seats"]})["keys"]}
            came = {each["seat"] for each in told["seats"] if each.get("sealed_down_cards")}
            require(came <= keyed, "cards came sealed that the dealer gave in clear: somebody read them")
    told = {seat for step in record["steps"] if step["step"] == "reveal_for_ranking" for seat in step["seats"]}
    order = {seat for event in events for seat in event.get("showdown_started", {}).get("show_order", ())}
    require(order <= told or any("hand_voided" in event for event in events), "hands were compared behind the record")
    shown = [step["seats"] for step in record["steps"] if step["step"] in ("reveal_for_ranking", "open_cards")]
    require({seat for seats in (*shown, shown_hands(events)) for seat in seats} <= set(live), "who folded was shown")


def verify_shown(events: Records, record: Record, opened: Records, places: Places) -> Records:
    """Every card that the table showed to everybody is proved; nothing is proved that it did not show."""
    proved = [*record["openings"], *verify_late(opened, record, places)]
    void = any("hand_voided" in event for event in events)
    up = sorted((each["seat"], each["street"], each["card"]) for each in proved if each["face_up"])
    seen = sorted(each for event in events if "street_dealt" in event for each in up_cards(event["street_dealt"]))
    told = [event["street_dealt"]["street"] for event in events if "street_dealt" in event]
    require(seen == [each for each in up if each[1] in told], "the table showed other up cards")
    shown, known = shown_hands(events), {each["position"]: each["card"] for each in proved}
    for seat, cards in shown.items():
        whole = sorted(cards) == sorted(each["card"] for each in proved if each["seat"] == seat)
        own = [got for got in places.values() if got[0] == seat]
        require(whole or (void and may_hold(own, cards, proved, places)), "the table showed another hand")
    require(void or all(each["face_up"] or each["seat"] in shown for each in proved), "what nobody showed was opened")
    require(bool(opened or void or not seen), "the table opened nothing")
    require(all(known.get(each["position"]) == each["card"] for each in opened), "the table opened another card")
    verify_cards(proved)
    return proved


def may_hold(here: Sequence[Place], cards: Sequence[str], proved: Records, places: Places) -> bool:
    """The cards are proved ones of these places, and no more others than are hidden there, which nobody else has."""
    known = {each["position"]: each["card"] for each in proved}
    unproved = set(cards) - {card for at, card in known.items() if places[at] in here}
    hidden = sum(got in here and position not in known for position, got in places.items())
    return len(unproved) <= hidden and not unproved & set(known.values()) and len(set(cards)) == len(cards)


def verify_late(opened: Records, record: Record, places: Places) -> Iterator[Record]:
    """Cards of hands that were shown when the dealer had closed the hand: the table alone has their proofs."""
    for each in opened:
        verify_opening(each, raw(record["commitment"]["deck_root"]), public_part(record))
        seat, street, up = places.get(each["position"], (-1, "", False))
        require(seat == each["seat"], "an opened card was dealt to another place")
        if each["position"] not in {opening["position"] for opening in record["openings"]}:
            yield {**each, "street": street, "face_up": up}


def up_cards(dealt: Record) -> Iterator[tuple[int, str, str]]:
    """Seat, street and card of what a street showed; seat 0 is the common card."""
    yield from ((each["seat"], dealt["street"], card) for each in dealt["seats"] for card in each["up_cards"])
    if dealt.get("common_card", NO_CARD) != NO_CARD:
        yield 0, dealt["street"], dealt["common_card"]


def shown_hands(events: Records) -> Mapping[int, list[str]]:
    """Hands that were shown, each once, as far as they were shown at last."""
    shown = [event["hand_shown"] for event in events if "hand_shown" in event]
    common = {event.get("street_dealt", {}).get("common_card", NO_CARD) for event in events} - {NO_CARD}
    require(all({*each["best_five"]} <= {*each["cards"], *common} for each in shown), "a seat plays what it never had")
    require(all(len({*each["best_five"]}) == len(each["best_five"]) in {0, 5} for each in shown), "five cards play")
    known = [(each["seat"], [card for card in each["cards"] if card != FACE_DOWN]) for each in shown]
    last = dict(sorted(known, key=lambda each: len(each[1])))
    require(all(set(cards) <= set(last[seat]) for seat, cards in known), "a seat showed one hand, and then another")
    return last


def verify_given(events: Records, proved: Records, own: Records, places: Places) -> None:
    """The down cards that the table gave to the player are its own ones, as far as they are proved."""
    mucked = {event.get("hand_mucked", {}).get("seat") for event in events}
    streets = [event["street_dealt"] for event in events if "street_dealt" in event]
    dealt = [((each["seat"], street["street"], False), each) for street in streets for each in street["seats"]]
    given = [(place, card) for place, each in dealt for card in each["down_cards"] if card != FACE_DOWN]
    clear = {place[0] for place, _ in given}
    mine = clear - mucked | {each["seat"] for _, each in dealt if each.get("sealed_down_cards")}
    require(len(mine) <= 1, "the table gave one player the cards of two seats")
    seats = {each["seat"] for each in own if each["seat"]}
    require(seats <= (mine or clear or seats), "the proofs are of another seat's cards than the table gave")
    require(len({card for _, card in given}) == len(given), "the table gave a card twice")
    for place, _ in given:
        require(may_hold([place], [card for at, card in given if at == place], proved, places), "another card given")


def main(file: str) -> int:
    """Check a file that `sevenstud verify --export` wrote: python verifier.py hand.json."""
    try:
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        own = [*content["hand"].get("own_openings", []), *content.get("own", {}).get("openings", [])]
        verify_hand(content["hand"], content["proof"], own)
    except (Mismatch, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as fault:
        print(f"{file}: NOT PROVED: {fault if isinstance(fault, Mismatch) else f'this is no record: {fault!r}'}")
        return 1
    print(f"{file}: proved, {len({each['position'] for each in (*content['proof']['openings'], *own)})} cards")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
