"""Sealed seats over the contract: a player with a key reads the own down cards, the orchestrator cannot."""

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from google.protobuf.message import Message
from sevenstud.common.v1.card_pb2 import CARD_FACE_DOWN
from sevenstud.common.v1.card_pb2 import Card as CardEnum
from sevenstud.common.v1.rule_options_pb2 import (
    ALL_IN_EXPOSURE_IMMEDIATE,
    ASK_TO_SEE_HISTORY,
    MUCKED_IN_HISTORY_PLAYERS_OF_HAND,
)
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.stored.v1 import table_event_pb2 as stored
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.cards import Card, card_text, parse_cards
from shared.kernel.errors import Reason
from tests.support.dealer_calls import wire_cards
from tests.support.ledger_house import fresh, refused
from tests.support.seat_keys import SeatHolder
from tests.support.table_suite import (
    CHECKED_DOWN,
    KINGS_FULL,
    TO_THE_RIVER,
    PlayedTable,
    TableSuite,
    card_room,
    open_table,
    scripted,
)

ANN, BOB = SeatHolder(), SeatHolder()
HIDDEN = [CARD_FACE_DOWN]
QUIET = ("check", "call", "bring_in")


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def register(table: PlayedTable, player_id: str, public_key: bytes) -> table_pb2.TableView:
    request = pb.RegisterSeatKeyRequest(
        request_id=fresh(), table_id=table.table_id, player_id=player_id, public_key=public_key
    )
    return (await table.suite.tables.RegisterSeatKey(request)).table


async def sealed_for(
    suite: TableSuite, holders: dict[str, SeatHolder], *, script: bool = True, **rules: object
) -> PlayedTable:
    """Ann and bob heads up, their keys registered before the first hand."""
    terms = {"scripted_hands": [scripted(KINGS_FULL)]} if script else {}
    table = await open_table(suite, card_room(**rules), hands_max=1, **terms)  # type: ignore[arg-type]  # changes of rules
    await table.sit("ann", "bob")
    for player_id, holder in holders.items():
        await register(table, player_id, holder.public_key)
    await table.resume()
    return table


def seat(view: table_pb2.TableView, number: int) -> table_pb2.SeatView:
    return next(each for each in view.seats if each.seat == number)


def unsealed(holder: SeatHolder, view: table_pb2.TableView, number: int) -> list[Card]:
    """What a player reads of the own seat in a view."""
    sealed = zip(seat(view, number).sealed_down_cards, ("THIRD", "SEVENTH"), strict=False)
    return [card for each, street in sealed for card in holder.unsealed(each, view.hand_id, number, street)]


async def quietly(table: PlayedTable) -> bool:
    """Whoever is to act does the least; False when the hand is over."""
    view = await table.until(lambda each: each.HasField("turn") or each.state == table_pb2.TABLE_STATE_PAUSED)
    if not view.HasField("turn"):
        return False
    kinds = {choice.kind for choice in view.turn.legal.actions}
    for kind in QUIET:
        request = table.action(view.turn, kind)
        if request.kind in kinds:
            request.to_chips = next(each.to_chips_min for each in view.turn.legal.actions if each.kind == request.kind)
            await table.suite.tables.Act(request)
            return True
    raise AssertionError("the turn has no quiet action")


# --- who sees what ----------------------------------------------------------------------------


async def test_a_player_with_a_key_reads_the_own_cards_and_nobody_else_gets_the_bytes(suite: TableSuite) -> None:
    table = await sealed_for(suite, {"ann": ANN})
    await table.turn()
    own, others = await table.view("ann"), [await table.view("bob"), await table.view()]
    assert list(seat(own, 1).down_cards) == HIDDEN * 2
    assert unsealed(ANN, own, 1) == list(parse_cards("AsAd"))
    assert list(seat(others[0], 2).down_cards) == wire_cards("9s 9d")
    for view in others:
        assert seat(view, 1).sealed
        assert not seat(view, 2).sealed
        assert list(seat(view, 1).down_cards) == HIDDEN * 2
        assert not seat(view, 1).sealed_down_cards


async def test_the_cards_read_are_those_shown_and_opened_afterwards(suite: TableSuite) -> None:
    table = await sealed_for(suite, {"ann": ANN, "bob": BOB}, script=False)
    read: dict[int, list[Card]] = {}
    while await quietly(table):
        for number, (player_id, holder) in enumerate({"ann": ANN, "bob": BOB}.items(), start=1):
            read[number] = unsealed(holder, await table.view(player_id), number) or read[number]
    await table.hand(1)
    for number, (player_id, holder) in enumerate({"ann": ANN, "bob": BOB}.items(), start=1):
        request = pb.GetHandRequest(hand_id=f"{table.table_id}.1", player_id=player_id, own_openings=True, phh=True)
        found = await suite.tables.GetHand(request)
        opened = [each for each in found.own_openings if each.seat == number]
        cards = [Card(each.card) for each in opened]
        assert all(each.path for each in opened)
        assert [*cards[:2], *cards[6:]] == read[number]
        assert dealt_in_history(found, number, holder) == read[number]
        shown = [event.hand_shown.cards for event in found.events if event.hand_shown.seat == number]
        assert [[Card(card) for card in each] for each in shown] in ([], [cards])
        words = "".join(map(card_text, read[number][:2])) if shown else "????"
        assert f" {words}{card_text(cards[2])}" in found.phh


def dealt_in_history(found: pb.GetHandResponse, number: int, holder: SeatHolder) -> list[Card]:
    """The own down cards, unsealed from the finished hand."""
    dealt = [each for event in found.events for each in event.street_dealt.seats if each.seat == number]
    sealed = [each.sealed_down_cards for each in dealt if each.sealed_down_cards]
    streets = zip(sealed, ("THIRD", "SEVENTH"), strict=True)
    return [card for each, street in streets for card in holder.unsealed(each, found.hand_id, number, street)]


async def test_after_a_restart_the_same_bytes_come_again(suite: TableSuite) -> None:
    table = await sealed_for(suite, {"ann": ANN})
    await table.turn()
    before = seat(await table.view("ann"), 1)
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    await table.turn()
    after = seat(await table.view("ann"), 1)
    assert list(after.sealed_down_cards) == list(before.sealed_down_cards) != []
    assert after.sealed


# --- registering ------------------------------------------------------------------------------


async def test_a_key_holds_from_the_next_hand_on_and_an_empty_one_ends_it(suite: TableSuite) -> None:
    table = await sealed_for(suite, {})
    await table.turn()
    view = await register(table, "ann", ANN.public_key)
    assert seat(view, 1).sealed
    assert list(seat(view, 1).down_cards) == wire_cards("As Ad")
    assert not seat(view, 1).sealed_down_cards
    version = view.version
    assert (await register(table, "ann", ANN.public_key)).version == version
    assert not seat(await register(table, "ann", b""), 1).sealed


async def test_a_request_repeated_has_one_answer_and_the_event_says_no_key(suite: TableSuite) -> None:
    table = await sealed_for(suite, {})
    await table.turn()
    request = pb.RegisterSeatKeyRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", public_key=ANN.public_key
    )
    async with suite.as_player("ann") as ann:
        first, again = await ann.RegisterSeatKey(request), await ann.RegisterSeatKey(request)
    assert first == again
    async with suite.as_player("bob") as bob:
        await refused(bob.RegisterSeatKey(request), Reason.NOT_PERMITTED)
    watch = aiter(suite.tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=first.table.version - 1)))
    event = (await anext(watch)).event
    assert (event.seat_key_registered.seat, event.seat_key_registered.sealed) == (1, True)
    assert ANN.public_key not in event.SerializeToString()


@pytest.mark.parametrize("public_key", [b"short", b"x" * 33, bytes(32)])
async def test_bytes_that_are_no_key_are_refused(suite: TableSuite, public_key: bytes) -> None:
    table = await sealed_for(suite, {})
    request = pb.RegisterSeatKeyRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", public_key=public_key
    )
    await refused(suite.tables.RegisterSeatKey(request), Reason.REQUEST_INVALID)
    assert not seat(await table.view(), 1).sealed


async def test_leaving_the_seat_forgets_the_key(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann", "bob")
    await register(table, "ann", ANN.public_key)
    await suite.tables.Leave(pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="ann"))
    await table.sit("cid")
    assert table.players[1] == "cid"
    assert not seat(await table.view(), 1).sealed


# --- cards that everybody is to see -----------------------------------------------------------


async def test_sealed_hands_lie_open_when_nobody_can_bet_any_more(suite: TableSuite) -> None:
    def exposed(rules: RuleSet) -> None:
        rules.hand.all_in_exposure = ALL_IN_EXPOSURE_IMMEDIATE
        rules.hand.raise_cap = 0

    table = await sealed_for(suite, {"ann": ANN, "bob": BOB}, exposed=exposed)
    ladder = [f"{2 if to % 10 == 0 else 1} raise {to}" for to in range(10, 100, 5)]
    await table.play("2 bring_in", "1 complete 5", *ladder, "2 raise 99", "1 call")
    found = await table.hand(1)
    shown = [event.hand_shown for event in found.events if event.WhichOneof("event") == "hand_shown"]
    assert [list(each.cards) for each in shown[:2]] == [wire_cards("As Ad Kc"), wire_cards("9s 9d 2h")]
    assert wire_cards("As Ad Kc Kd Kh 2c 3d") in [list(each.cards) for each in shown[2:]]


async def test_an_uncontested_winner_shows_a_sealed_hand(suite: TableSuite) -> None:
    table = await sealed_for(suite, {"ann": ANN})
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    await table.hand(1)
    show = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", hand_id=f"{table.table_id}.1", show=True
    )
    await suite.tables.ShowOrMuck(show)
    found = await suite.tables.GetHand(pb.GetHandRequest(hand_id=show.hand_id))
    (shown,) = (event.hand_shown for event in found.events if event.WhichOneof("event") == "hand_shown")
    assert list(shown.cards) == wire_cards("As Ad Kc")


async def test_a_sealed_hand_that_was_mucked_is_given_to_whom_the_rules_give_it(suite: TableSuite) -> None:
    def given(rules: RuleSet) -> None:
        rules.hand.ask_to_see = ASK_TO_SEE_HISTORY
        rules.hand.mucked_in_history = MUCKED_IN_HISTORY_PLAYERS_OF_HAND

    table = await sealed_for(suite, {"bob": BOB}, given=given)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    found = await table.hand(1, "ann")
    deals = [event.street_dealt for event in found.events if event.WhichOneof("event") == "street_dealt"]
    down = [card for deal in deals for each in deal.seats if each.seat == 2 for card in each.down_cards]
    assert down == wire_cards("9s 9d Qs")
    ask = pb.AskToSeeRequest(hand_id=found.hand_id, player_id="ann", seat=2)
    assert list((await suite.tables.AskToSee(ask)).cards) == wire_cards("9s 9d 2h 7c 8d Jh Qs")


# --- the canary -------------------------------------------------------------------------------


async def test_the_orchestrator_does_not_have_a_sealed_card_before_the_showdown(
    suite: TableSuite, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same search finds the cards of bob, who has no key, in memory, and ann's in the log once she showed."""
    table = await sealed_for(suite, {"ann": ANN}, script=False)
    logs = ""
    read: list[Card] = []
    while True:
        await table.until(lambda each: each.HasField("turn") or each.state == table_pb2.TABLE_STATE_PAUSED)
        view = await table.view("ann")
        if not view.HasField("turn"):
            break
        read = unsealed(ANN, view, 1)
        bobs = {*seat(await table.view("bob"), 2).down_cards}
        held = await memory_of(suite, table)
        assert not held & {*read}
        assert bobs <= held
        assert not stored_cards(tmp_path) & {*read, *bobs}
        logs += "".join(capfd.readouterr())
        await quietly(table)
    assert len(read) == 3
    assert not [word for word in map(card_text, read) if re.search(rf"(?<![0-9A-Za-z]){word}(?![0-9A-Za-z])", logs)]
    found = await table.hand(1)
    shown = {event.hand_shown.seat for event in found.events if event.WhichOneof("event") == "hand_shown"}
    assert ({*read} <= stored_cards(tmp_path)) == (1 in shown)


async def memory_of(suite: TableSuite, table: PlayedTable) -> set[int]:
    """Every card that the table's actor holds: its table, its down cards, all that waits for watchers."""
    actor = await suite.orchestrator.tables.actor(table.table_id)
    happenings = actor.feed.after(0)
    assert happenings
    down = [card for cards in actor.down_cards.values() if isinstance(cards, tuple) for card in cards]
    return {*down, *cards_in(actor.table), *cards_in(happenings)}


def cards_in(value: object, name: str = "") -> Iterator[int]:
    """Cards anywhere in a value of the domain: numbers in fields that are named for cards."""
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from cards_in(getattr(value, each.name), each.name)
    elif isinstance(value, dict):
        for each in value.values():
            yield from cards_in(each, name)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from cards_in(each, name)
    elif isinstance(value, int) and (name == "card" or name.endswith(("_card", "cards", "five"))):
        yield value


def stored_cards(folder: Path, table_id: str = "") -> set[int]:
    """Every card in the log of the orchestrator's database, read as a thief would; of one table or of all."""
    with sqlite3.connect(f"file:{folder / 'orchestrator.sqlite'}?mode=ro", uri=True) as connection:
        sql = "SELECT payload FROM events WHERE instr(stream, ?)"
        rows = connection.execute(sql, (table_id,)).fetchall()
    connection.close()
    assert rows
    return {card for (payload,) in rows for card in wire_cards_in(stored.TableFact.FromString(payload))}


def wire_cards_in(message: Message) -> Iterator[int]:
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.message_type is not None:
            for each in values:
                yield from wire_cards_in(each)
        elif field.enum_type is CardEnum.DESCRIPTOR:
            yield from values
