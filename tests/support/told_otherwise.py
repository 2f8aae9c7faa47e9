"""What a table that was bought may tell of a hand otherwise than it was: whoever checks it must refuse each change."""

from collections.abc import Callable
from typing import Any

from sevenstud.common.v1.card_pb2 import Card as CardName

Json = dict[str, Any]


def events_of(content: Json, kind: str) -> list[Json]:
    """What the table published of a kind."""
    return [event[kind] for event in content["hand"]["events"] if kind in event]


def without(content: Json, kind: str, last: int = 1) -> None:
    """The last events of a kind are missing."""
    of_kind = [event for event in content["hand"]["events"] if kind in event]
    for event in of_kind[-last:]:
        content["hand"]["events"].remove(event)


def swap(of_two: list[Json], name: str) -> None:
    """What the first has becomes the second's."""
    first, second = of_two[:2]
    first[name], second[name] = second[name], first[name]


def committed_late(content: Json) -> None:
    """The commitment came after the cards."""
    (begun,) = (event for event in content["hand"]["events"] if "hand_started" in event)
    begun["version"] = "99999"


def voided_with_other_cards(content: Json) -> None:
    """The hand was called off, after cards that were never dealt."""
    swap(events_of(content, "street_dealt")[1]["seats"], "up_cards")
    without(content, "openings_published")
    del content["proof"]["steps"][-1]
    void(content)


def void(content: Json) -> None:
    """The table adds to a hand that was played to its end that it was voided."""
    content["hand"]["events"].append({"version": "99999", "hand_voided": {"hand_number": "1", "cause": "outage"}})


def void_after_another_hand(content: Json) -> None:
    """A hand that nobody was dealt was shown, and then it is said that nothing counts."""
    events_of(content, "hand_shown")[-1].update(cards=others(content))
    void(content)


def one_hand_and_then_another(content: Json) -> None:
    """The pot was given for a hand that was not dealt; the right one is shown afterwards."""
    events = content["hand"]["events"]
    at = next(at for at, event in enumerate(events) if "hand_shown" in event)
    events.insert(at, {**events[at], "hand_shown": {**events[at]["hand_shown"], "cards": others(content)}})


def folded_and_compared(content: Json) -> None:
    """Who folded on the river had the hand compared all the same, for the table to see it."""
    events_of(content, "action_taken")[-1]["kind"] = "ACTION_KIND_FOLD"


def begun_twice(content: Json) -> None:
    """Two beginnings: whoever reads the other one sees another hand."""
    events = content["hand"]["events"]
    (begun,) = (event for event in events if "hand_started" in event)
    events.append(begun | {"hand_started": begun["hand_started"] | {"deck_root": "AAAA"}})


def folded_before_the_river(content: Json) -> None:
    """By its last action on sixth street a seat was out, and got a card all the same."""
    events = content["hand"]["events"]
    river = max(at for at, event in enumerate(events) if "street_dealt" in event)
    last = max(at for at, event in enumerate(events[:river]) if "action_taken" in event)
    events[last]["action_taken"]["kind"] = "ACTION_KIND_FOLD"


def never_shown(content: Json) -> None:
    """The dealer opened a hand that nobody saw at the table."""
    without(content, "hand_shown")


def out_of_order(content: Json) -> None:
    """Two things that happened are told the other way round."""
    events = content["hand"]["events"]
    events[-2], events[-3] = events[-3], events[-2]


def better_five(content: Json) -> None:
    """The five that are said to have won hold a card that was not dealt to the seat."""
    events_of(content, "hand_shown")[0]["best_five"][0] = others(content)[0]


def river(content: Json) -> Json:
    """The river as the table told of it."""
    return events_of(content, "street_dealt")[-1]


def up_for_down(content: Json, street: int) -> None:
    """The player is told that a down card of the own ones was one that came later, or before, for all to see."""
    dealt = events_of(content, "street_dealt")
    seats = [each["seat"] for each in dealt[0]["seats"] if "CARD_FACE_DOWN" not in each["down_cards"]]
    of_player = [next(each for each in told["seats"] if each["seat"] == seats[0]) for told in dealt]
    of_player[street]["down_cards"][0] = of_player[1]["up_cards"][0]


def nowhere_in_print(content: Json) -> None:
    """Neither the cards nor the numbers of a record are what such things are; a program may not fall over them."""
    content["proof"]["openings"][0].update(card="CARD_FACE_DOWN", position="?")


def one_is_missing(content: Json) -> None:
    """A down card of the player's own is kept back."""
    opened = {each["position"] for each in content["proof"]["openings"]}
    own = content["hand"]["own_openings"]
    own.remove(next((each for each in own if each["position"] not in opened), own[0]))


PUBLISHED: dict[str, Callable[[Json], None]] = {
    "another hand": lambda content: content["hand"].update(hand_id="another.7"),
    "another table": lambda content: content["hand"].update(table_id="another"),
    "another number": lambda content: events_of(content, "hand_started")[0].update(hand_number="7"),
    "other seats": lambda content: swap(events_of(content, "hand_started")[0]["seats"], "seat"),
    "another root": lambda content: events_of(content, "hand_started")[0].update(deck_root="AAAA"),
    "another seed": lambda content: events_of(content, "hand_started")[0].update(seed_commitment="AAAA"),
    "another shuffle": lambda content: events_of(content, "hand_started")[0].update(shuffle_version="1"),
    "no beginning": lambda content: without(content, "hand_started"),
    "a late commitment": committed_late,
    "up cards of the neighbour": lambda content: swap(events_of(content, "street_dealt")[1]["seats"], "up_cards"),
    "a street that nobody saw": lambda content: without(content, "street_dealt", 2),
    "a hand that was not dealt": lambda content: events_of(content, "hand_shown")[-1].update(cards=others(content)),
    "a card opened as another": lambda content: swap(events_of(content, "openings_published")[0]["openings"], "card"),
    "a proof that is none": lambda content: events_of(content, "openings_published")[0]["openings"][0].update(
        salt="AAAA"
    ),
    "a street for who had folded": folded_before_the_river,
    "a river for one alone": lambda content: events_of(content, "street_dealt")[-1]["seats"].pop(),
    "nothing opened": lambda content: without(content, "openings_published"),
    "called off, other cards": voided_with_other_cards,
    "void for the table alone": void,
    "void for the dealer alone": lambda content: content["proof"].update(void_reason="outage"),
    "void after another hand": void_after_another_hand,
    "one hand and then another": one_hand_and_then_another,
    "folded and compared": folded_and_compared,
    "begun twice": begun_twice,
    "a hand opened that was never shown": never_shown,
    "an own card missing": one_is_missing,
    "another number outside": lambda content: content["hand"].update(hand_number="7"),
    "an event of another hand": lambda content: content["hand"]["events"][-2].update(hand_id="another.7"),
    "an event of another table": lambda content: content["hand"]["events"][-2].update(table_id="another"),
    "an event told twice": lambda content: content["hand"]["events"].append(content["hand"]["events"][-1]),
    "an event out of order": out_of_order,
    "a river of another name": lambda content: river(content).update(street="STREET_SIXTH"),
    "a river of no name": lambda content: river(content).update(street="STREET_UNSPECIFIED"),
    "a river from elsewhere": lambda content: river(content).update(source="CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS"),
    "a river that was never told of": lambda content: without(content, "street_dealt"),
    "a river for nobody": lambda content: river(content).update(seats=[]),
    "other cards burned": lambda content: events_of(content, "street_dealt")[1].update(burned_count=0),
    "chosen cards": lambda content: events_of(content, "hand_started")[0].update(scripted=True),
    "five that it never had": better_five,
    "no record at all": nowhere_in_print,
    "an up card for a down card": lambda content: up_for_down(content, street=0),
    "an up card for the river": lambda content: up_for_down(content, street=-1),
}


def others(content: Json) -> list[str]:
    """Seven cards that nobody was seen to have."""
    seen = {each["card"] for each in content["proof"]["openings"]}
    return [name for name in CardName.keys()[1:53] if name not in seen][:7]
