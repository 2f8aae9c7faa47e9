"""Nobody is shown a card that is not theirs; nothing is sent that nobody decided to send."""

from dataclasses import fields, replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sevenstud.orchestrator.stored.v1 import table_event_pb2 as stored_pb2
from sevenstud.orchestrator.v1 import table_event_pb2, table_pb2

from services.orchestrator.domain import visibility
from services.orchestrator.domain.dealing import Script, ScriptedSeat
from services.orchestrator.domain.event_views import EventView
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import HandMucked, StreetDealt
from services.orchestrator.domain.table_views import view_table
from services.orchestrator.domain.visibility import DownCards, Viewer, history_sight, sight_of, view_event
from shared.kernel.cards import FACE_DOWN, FULL_DECK, Card, parse_cards
from shared.kernel.game import Street
from shared.kernel.rules import MuckedInHistory
from shared.rpc.mirror import to_proto
from tests.support.table_facts import (
    CARD_ROOM,
    DOWN_CARDS,
    START,
    UP_CARDS,
    ended,
    opened,
    recorded,
    seated,
    showdown,
    shown,
    started,
    table_of,
    to_the_river,
)

EVENTS = recorded((*opened(), *started(), *to_the_river(), showdown(), shown(1), HandMucked(seat=2), *ended(101, 99)))
HIDDEN = [card for card in FULL_DECK if card not in parse_cards("".join(UP_CARDS.values()))]


def sent(viewer: Viewer, down_cards: DownCards) -> list[bytes]:
    """Every event up to the showdown and the table after each of them, as bytes on the wire."""
    found: list[bytes] = []
    for length in range(1, len(EVENTS) - 3):
        table = fold(None, EVENTS[:length])
        sight = sight_of(viewer, table.hand, down_cards)
        found.append(_bytes(view_event(EVENTS[length - 1], sight)))
        found.append(to_proto(view_table(table, sight), table_pb2.TableView).SerializeToString())
    return found


def _bytes(event: object) -> bytes:
    return to_proto(event, table_event_pb2.TableEvent).SerializeToString()


@st.composite
def down_cards(draw: st.DrawFn) -> DownCards:
    """Any down cards for both seats, none of them lying up."""
    cards = draw(st.permutations(HIDDEN))
    return {
        (1, Street.THIRD): tuple(cards[:2]),
        (2, Street.THIRD): tuple(cards[2:4]),
        (1, Street.SEVENTH): tuple(cards[4:5]),
        (2, Street.SEVENTH): tuple(cards[5:6]),
    }


@given(first=down_cards(), second=down_cards())
def test_two_hands_that_differ_in_unseen_cards_send_a_spectator_the_same_bytes(
    first: DownCards, second: DownCards
) -> None:
    assert sent(Viewer(), first) == sent(Viewer(), second)


@given(first=down_cards(), other=down_cards())
def test_two_hands_that_differ_in_the_cards_of_others_send_a_player_the_same_bytes(
    first: DownCards, other: DownCards
) -> None:
    same_for_ann = {place: first[place] if place[0] == 1 else other[place] for place in first}
    assert sent(Viewer("ann"), first) == sent(Viewer("ann"), same_for_ann)


def test_a_player_sees_the_own_down_cards_in_events_and_in_the_table() -> None:
    table = fold(None, EVENTS[:-4])
    view = view_table(table, sight_of(Viewer("bob"), table.hand, DOWN_CARDS))
    assert {seat.seat: seat.down_cards for seat in view.seats} == {
        1: (FACE_DOWN,) * 3,
        2: parse_cards("9s9dQs"),
    }


def test_a_player_who_sits_where_another_was_dealt_in_sees_nothing_of_that_hand() -> None:
    table = fold(None, EVENTS)
    assert sight_of(Viewer("cid"), table.hand, DOWN_CARDS) == visibility.BLIND


@pytest.mark.parametrize(
    ("rule", "viewer", "expected"),
    [
        (MuckedInHistory.PLAYERS_OF_HAND, "ann", parse_cards("9s9d")),
        (MuckedInHistory.PLAYERS_OF_HAND, "cid", (FACE_DOWN,) * 2),
        (MuckedInHistory.OWNER_ONLY, "ann", (FACE_DOWN,) * 2),
        (MuckedInHistory.OWNER_ONLY, "bob", parse_cards("9s9d")),
    ],
)
def test_mucked_hands_are_in_the_history_of_whom_the_rules_name(
    rule: MuckedInHistory, viewer: str, expected: tuple[Card, ...]
) -> None:
    rules = replace(CARD_ROOM, hand=replace(CARD_ROOM.hand, mucked_in_history=rule))
    table = table_of(opened(rules), started(rules), to_the_river(), (showdown(), shown(1), HandMucked(seat=2)))
    assert table.hand is not None
    assert history_sight(Viewer(viewer), table.hand, DOWN_CARDS).down(2, Street.THIRD, 2) == expected


# --- closed by default ----------------------------------------------------------------------------


def test_every_kind_of_fact_has_a_rule_and_every_rule_a_kind() -> None:
    assert set(visibility._RULES) == set(get_args(Fact))


def test_a_fact_that_grows_a_field_is_not_shown_before_somebody_decides() -> None:
    class Grown(HandMucked):
        secret: str = "a card"

    rule = visibility._RULES[HandMucked]
    grown = Grown(seat=2)
    Grown.__dataclass_fields__ = {**HandMucked.__dataclass_fields__, "secret": fields(HandMucked)[0]}
    with pytest.raises(KeyError, match="nobody decided"):
        rule(grown, visibility.BLIND)


def test_an_unknown_kind_of_fact_is_not_shown() -> None:
    unknown = Recorded(table_id="t", version=1, at=START, hand_id="", fact=object())  # type: ignore[arg-type]  # on purpose
    with pytest.raises(KeyError):
        view_event(unknown, visibility.BLIND)


def test_no_view_of_an_event_has_a_field_that_the_contract_lacks() -> None:
    members = {
        field.message_type.name: field.message_type
        for field in table_event_pb2.TableEvent.DESCRIPTOR.fields
        if field.message_type is not None
    }
    for view in get_args(EventView):
        assert {each.name for each in fields(view)} == set(members[view.__name__].fields_by_name), view.__name__


def test_the_script_of_a_table_is_shown_to_nobody() -> None:
    def opening(text: str) -> bytes:
        script = Script(seats=(ScriptedSeat(seat=1, cards=parse_cards(text)),))
        return _bytes(view_event(recorded(opened(scripted=True, scripted_hands=(script,)))[0], visibility.BLIND))

    assert opening("AsAd") == opening("2c7h")


def test_a_stored_deal_holds_no_down_card() -> None:
    deals = [event.fact for event in EVENTS if isinstance(event.fact, StreetDealt)]
    assert {name.name for deal in deals for seat in deal.seats for name in fields(seat)} == {
        "seat",
        "down_count",
        "up_cards",
    }


def test_who_sits_down_in_a_hand_brings_no_cards_along() -> None:
    events = recorded((*opened()[:2], *started(), seated(2)))
    assert view_table(fold(None, events), visibility.BLIND).seats[1].down_cards == ()


def test_every_kind_of_event_of_the_contract_has_a_rule_and_every_rule_a_kind() -> None:
    kinds = {field.message_type.name for field in table_event_pb2.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert kinds == {kind.__name__ for kind in visibility._RULES}
    assert kinds == {view.__name__ for view in get_args(EventView)}


def test_every_kind_of_fact_that_is_stored_has_a_rule() -> None:
    kinds = {field.message_type.name for field in stored_pb2.TableFact.DESCRIPTOR.oneofs_by_name["fact"].fields}
    assert kinds == {kind.__name__ for kind in visibility._RULES}
