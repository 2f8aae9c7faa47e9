"""Two tables whose hands differ only in cards that one viewer cannot see, and all that the viewer learns of each."""

import re
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from sevenstud.common.v1.betting_pb2 import (
    ACTION_KIND_BET,
    ACTION_KIND_BRING_IN,
    ACTION_KIND_CALL,
    ACTION_KIND_CHECK,
    ACTION_KIND_COMPLETE,
    ACTION_KIND_FOLD,
    ACTION_KIND_RAISE,
    ActionKind,
    LegalAction,
)
from sevenstud.common.v1.card_pb2 import Card
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.attack.house import House
from tests.batteries.attack.play import Choose, Table, hands_of, open_table, play
from tests.support.ledger_house import fresh

SEATS, CARDS_A_SEAT = 4, 7
DOWN = (0, 1, 6)
"""Places of the down cards among the seven of a seat."""
OPEN_KINDS = frozenset({"hand_shown", "showdown_started", "openings_published"})
"""From here on what is sent depends, rightly, on cards that were hidden before."""
_TIMES = re.compile(r'"time": ?"[^"]*"|"milliseconds": ?[0-9.]+|"correlation_id": ?"[^"]*"')
_IDS = re.compile(r"twin-[ab]\d*")
_UUIDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}")


@dataclass
class Seen:
    """What one viewer was sent of one table."""

    items: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    """By hand: every event up to the first hand shown, then tables, answers and refusals asked for at each turn."""

    def add(self, hand: str, content: bytes) -> None:
        """One thing more of a hand."""
        self.items.setdefault(hand, []).append(content)


def decks(rng: Random, hands: int, viewer_seat: int) -> tuple[list[pb.ScriptedHand], list[pb.ScriptedHand]]:
    """Scripts of both tables; what lies up and what the viewer holds is the same, all other down cards are others."""
    first: list[pb.ScriptedHand] = []
    second: list[pb.ScriptedHand] = []
    for _ in range(hands):
        deck = list(range(1, 53))
        rng.shuffle(deck)
        rows = [deck[at * CARDS_A_SEAT : (at + 1) * CARDS_A_SEAT] for at in range(SEATS)]
        hidden = [(seat, place) for seat in range(SEATS) if seat + 1 != viewer_seat for place in DOWN]
        free = [rows[seat][place] for seat, place in hidden] + deck[SEATS * CARDS_A_SEAT :]
        twin = [list(row) for row in rows]
        rng.shuffle(free)
        for (seat, place), card in zip(hidden, free, strict=False):
            twin[seat][place] = card
        first.append(_script(rows))
        second.append(_script(twin))
    return first, second


def _script(rows: Sequence[Sequence[int]]) -> pb.ScriptedHand:
    return pb.ScriptedHand(
        seats=[
            pb.ScriptedSeat(seat=at + 1, cards=[Card.ValueType(card) for card in row]) for at, row in enumerate(rows)
        ],
        common_card=Card.CARD_FACE_DOWN,
    )


def until_one_is_left(rng: Random) -> Choose:
    """One seat bets, the others come along for a while and then fold: no hand gets to the showdown."""
    winner = rng.randint(1, SEATS)
    left = 0

    def choose(turn: table_pb2.Turn) -> tuple[LegalAction, int]:
        nonlocal left
        actions = {each.kind: each for each in turn.legal.actions}
        left = rng.randint(0, 12) if ACTION_KIND_BRING_IN in actions else left - 1
        wanted: tuple[ActionKind.ValueType, ...]
        if turn.seat == winner:
            wanted = (ACTION_KIND_BET, ACTION_KIND_RAISE, ACTION_KIND_COMPLETE, ACTION_KIND_CALL, ACTION_KIND_CHECK)
        elif left < 0:
            wanted = (ACTION_KIND_FOLD, ACTION_KIND_CHECK)
        else:
            wanted = (ACTION_KIND_CALL, ACTION_KIND_CHECK)
        legal = next((actions[kind] for kind in wanted if kind in actions), turn.legal.actions[0])
        return legal, _least(legal)

    return choose


def _least(legal: LegalAction) -> int:
    if legal.kind < ACTION_KIND_COMPLETE:
        return 0
    return legal.to_chips_choices[0] if legal.to_chips_choices else legal.to_chips_min


class Twins:
    """Plays one table of the two, and writes down what its viewer can learn."""

    def __init__(self, house: House, viewer_seat: int, players: Sequence[str]) -> None:
        self._house = house
        self._viewer = players[viewer_seat - 1] if viewer_seat else ""
        self._players = players

    async def stub(self) -> TableServiceStub:
        """The viewer's own calls."""
        caller = Caller(Role.PLAYER, self._viewer) if self._viewer else Caller(Role.OBSERVER, "railbird")
        return TableServiceStub(await self._house.channel("orchestrator", caller))

    async def play(self, name: str, scripts: Sequence[pb.ScriptedHand], choose: Choose) -> tuple[Table, Seen]:
        """All hands of a table."""
        table = await open_table(self._house, self._players, len(scripts), name, scripts)
        stub, seen = await self.stub(), Seen()

        async def look(turn: table_pb2.Turn) -> None:
            hand = table.events[-1].hand_id
            for told in await self._asked(stub, table.table_id, hand, turn):
                seen.add(f"{hand} asked", told)

        await play(table, len(scripts), choose, look)
        for hand, events in hands_of(await self._watched(stub, table)).items():
            for event in events:
                if event.WhichOneof("event") in OPEN_KINDS:
                    break
                seen.add(f"{hand} watched", masked(event))
        return table, seen

    async def _asked(self, stub: TableServiceStub, table_id: str, hand: str, turn: table_pb2.Turn) -> list[bytes]:
        """Answers and refusals of everything that a viewer may ask in the middle of a hand, or may not."""
        me = self._viewer or self._players[0]
        wrong = pb.ActRequest(
            request_id=fresh(), table_id=table_id, player_id=me, turn_id=turn.turn_id + 7, kind=ACTION_KIND_CHECK
        )
        show = pb.ShowOrMuckRequest(request_id=fresh(), table_id=table_id, player_id=me, hand_id=hand, show=True)
        calls: tuple[Awaitable[Message], ...] = (
            stub.GetTable(pb.GetTableRequest(table_id=table_id)),
            stub.ListTables(pb.ListTablesRequest(page_size=1)),
            stub.ListHands(pb.ListHandsRequest(table_id=table_id)),
            stub.GetHand(pb.GetHandRequest(hand_id=hand, phh=True, own_openings=bool(self._viewer))),
            stub.AskToSee(pb.AskToSeeRequest(hand_id=hand, player_id=me, seat=1 + turn.seat % SEATS)),
            stub.GetTable(pb.GetTableRequest(table_id=table_id, player_id=self._players[turn.seat - 1])),
            stub.ShowOrMuck(show),
            stub.Act(wrong),
        )
        return [await told(call) for call in calls]

    async def _watched(self, stub: TableServiceStub, table: Table) -> list[TableEvent]:
        """The whole stream of the table as the viewer sees it afterwards, which is what it saw while it went on."""
        last = table.events[-1].version
        found: list[TableEvent] = []
        stream = stub.Watch(pb.WatchRequest(table_id=table.table_id, after_version=0))
        async for item in stream:
            if item.WhichOneof("item") == "event":
                found.append(item.event)
                if item.event.version >= last:
                    break
        stream.cancel()
        return found


async def told(call: Awaitable[Message]) -> bytes:
    """An answer or a refusal, as bytes without what differs between any two hands."""
    try:
        return masked(await call)
    except grpc.aio.AioRpcError as error:
        details = dict(list(error.trailing_metadata())).get("grpc-status-details-bin", b"")
        return plain(f"{error.code()} {error.details()} {details!r}").encode()


def masked(message: Message) -> bytes:
    """The bytes of a message without times, table and hand ids, and commitments, which differ between any two hands."""
    bare = type(message)()
    bare.CopyFrom(message)
    _mask(bare)
    return bare.SerializeToString(deterministic=True)


_MASKED = frozenset(
    {
        "at",
        "deadline",
        "until",
        "seed_commitment",
        "deck_root",
        "table_id",
        "hand_id",
        "salt",
        "path",
        "next_page_token",
    }
)


def _mask(message: Any) -> None:
    for name, value in [(each.name, content) for each, content in message.ListFields()]:
        if name in _MASKED:
            message.ClearField(name)
        elif isinstance(value, Message):
            _mask(value)
        elif name != "cards" and hasattr(value, "add"):
            for each in value:
                _mask(each)
        elif isinstance(value, str):
            setattr(message, name, plain(value))


def plain(text: str) -> str:
    """A text without times and ids."""
    return _UUIDS.sub("(id)", _IDS.sub("(table)", _TIMES.sub("", text)))


def differing(first: Seen, second: Seen) -> Iterator[str]:
    """What is not the same, in words."""
    names = {"a": _by_place(first.items), "b": _by_place(second.items)}
    for place in sorted(names["a"].keys() | names["b"].keys()):
        one, other = names["a"].get(place, []), names["b"].get(place, [])
        if one != other:
            at = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), -1)
            yield f"{place}: {len(one)} and {len(other)} items, the first that differs is number {at}"


def _by_place(items: Mapping[str, list[bytes]]) -> dict[str, list[bytes]]:
    return {_IDS.sub("", name): content for name, content in items.items()}
