"""Seeded players: they sit, act, dawdle, repeat themselves, ask for what they may not, buy, rest and leave."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from google.protobuf.message import Message
from sevenstud.common.v1 import betting_pb2 as betting
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.errors import Reason
from shared.kernel.seat_keys import PUBLIC_KEY_BYTES
from tests.sim.client import Client, Refused, Sent, Silent
from tests.sim.judge import Judge
from tests.sim.loop import BEGAN, VirtualLoop

_WAGERS: Final = {betting.ACTION_KIND_COMPLETE, betting.ACTION_KIND_BET, betting.ACTION_KIND_RAISE}
_AWAY: Final = {table_pb2.PRESENCE_SITTING_OUT, table_pb2.PRESENCE_TIMED_OUT, table_pb2.PRESENCE_DISCONNECTED}
_FOLDS: Final = 0.25
_HURRIES: Final = 0.4
_FUSSES: Final = 0.2
_FUSSY_SECONDS: Final = 600.0
_RESTLESS_SECONDS: Final = 90.0
"""So long is anybody restless: an evening is to come to its end."""
_FIDGETS: Final = (
    ("buys",),
    ("buys", "leaves"),
    ("buys", "leaves", "returns"),
    ("leaves", "returns"),
    ("leaves", "returns", "buys", "returns"),
    ("leaves", "sits"),
    ("sits out", "returns"),
    ("sits out", "buys", "returns"),
)


Move = Callable[[], Coroutine[Any, Any, None]]


async def in_a_hurry(client: Client, moves: Sequence[Move]) -> None:
    """One after the other, now and then without waiting for the answer to the one before."""
    async with asyncio.TaskGroup() as group:
        for move in moves:
            asked = group.create_task(_never_mind(move()))
            if client.random.random() > _HURRIES:
                await asked
            await asyncio.sleep(client.random.choice((0.0, 0.01, 0.1, 1.0)))


async def _never_mind(move: Coroutine[Any, Any, None]) -> None:
    """The next one comes whatever became of this one."""
    with suppress(Silent):
        await move


@dataclass(slots=True)
class Player:
    """One player at one table at a time."""

    client: Client
    judge: Judge
    loop: VirtualLoop
    table_id: str = ""
    cash: bool = True
    left: bool = False
    restless_rate: float = 0.0
    """Share of the looks at the table that lead to something uncalled for, for a while."""
    buy_in_chips: int = 0
    fussy: bool = False
    """Changes seat key and automatic ante, and asks to see hands."""
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it may be this player's turn."""
    _answered: int = 0
    _added_to: str = ""
    """The last hand whose deck this player added entropy to, or did not care to."""

    @property
    def _restless(self) -> float:
        return self.restless_rate if self.loop.time() < _RESTLESS_SECONDS else 0.0

    @property
    def _in_the_mood(self) -> bool:
        """Not for ever: an evening is to come to its end."""
        return self.fussy and self.loop.time() < _FUSSY_SECONDS and self.client.random.random() < _FUSSES

    @property
    def name(self) -> str:
        return self.client.name

    async def play(self) -> None:
        """Until the world ends."""
        while not self.left:
            with suppress(TimeoutError):
                seconds = (0.2, 3.0) if self._restless else (15.0, 45.0)
                async with asyncio.timeout(self.client.random.uniform(*seconds)):
                    await self.turn.wait()
            self.turn.clear()
            if self.table_id:
                with suppress(Silent, Refused):
                    await self._look_and_act()

    async def _look_and_act(self) -> None:
        request = pb.GetTableRequest(table_id=self.table_id)
        view = (await self.client.read(self.client.tables.GetTable, request)).table
        self.judge.seen(self.name, view.table_id, view)
        seat = next((each for each in view.seats if each.player_id == self.name), None)
        if view.table_id != self.table_id:
            return
        if seat is None:
            await self._come_again()
        elif view.HasField("entropy_asked") and view.entropy_asked.hand_id != self._added_to:
            self._added_to = view.entropy_asked.hand_id
            await self._add_entropy(view.entropy_asked)
        elif view.turn.player_id == self.name and view.turn.turn_id != self._answered:
            self._answered = view.turn.turn_id
            await self._act(view)
        else:
            await (self._fuss(view) if self._in_the_mood else self._between(view, seat))

    # --- in turn ----------------------------------------------------------------------------

    async def _act(self, view: Any) -> None:
        random = self.client.random
        if random.random() < 0.03:
            return  # asleep: the clock decides
        await asyncio.sleep(self._thinks(view.turn))
        if random.random() < 0.06:
            await self._misbehave(view)
        if random.random() < 0.03:
            await self._dare(self.client.tables.UseTimeBank, pb.UseTimeBankRequest(turn_id=view.turn.turn_id))
        request = self._choice(view.turn)
        await self.client.change(self.client.tables.Act, request)
        if random.random() < 0.1:
            await self._again(self.client.sent[-1])

    def _thinks(self, turn: Any) -> float:
        random = self.client.random
        left: float = (turn.deadline.ToDatetime(BEGAN.tzinfo) - self.loop.moment()).total_seconds()
        if random.random() < 0.06:
            return max(0.0, left + random.uniform(-0.01, 0.004))  # a race with the clock
        return min(random.uniform(0.05, 1.5), max(0.0, left))

    def _choice(self, turn: Any) -> pb.ActRequest:
        random = self.client.random
        actions = list(turn.legal.actions)
        if len(actions) > 1 and random.random() > _FOLDS:
            actions = [each for each in actions if each.kind != betting.ACTION_KIND_FOLD]
        action = random.choice(actions)
        return pb.ActRequest(
            table_id=self.table_id,
            player_id=self.name,
            turn_id=turn.turn_id,
            kind=action.kind,
            to_chips=self._amount(action) if action.kind in _WAGERS else 0,
        )

    def _amount(self, action: Any) -> int:
        random = self.client.random
        if action.to_chips_choices:
            return int(random.choice(list(action.to_chips_choices)))
        most = action.to_chips_max
        return int(random.choice((action.to_chips_min, most, random.randint(action.to_chips_min, most))))

    async def _again(self, sent: Sent) -> None:
        """The same request once more, later; or its id with other content, which is refused."""
        await asyncio.sleep(self.client.random.uniform(0.0, 30.0))
        if self.client.random.random() < 0.7:
            await self.client.settle(sent)
            return
        other = type(sent.request)()
        other.CopyFrom(sent.request)
        other.turn_id += 1
        try:
            await self.client.read(sent.call, other)
        except Refused as refused:
            if refused.reason is not Reason.REQUEST_ID_REUSED:
                self.client.complain(f"{self.name}: an id with other content was refused with {refused}")
        else:
            self.client.complain(f"{self.name}: an id with other content was taken")

    async def _misbehave(self, view: Any) -> None:
        """What the rules refuse: a turn that is over, too many chips, somebody else's turn."""
        request = self._choice(view.turn)
        match self.client.random.randrange(3):
            case 0:
                request.turn_id = max(1, view.turn.turn_id - 1)
                await self._refused(request, "an old turn")
            case 1:
                request.kind, request.to_chips = betting.ACTION_KIND_RAISE, 10**9
                await self._refused(request, "a raise of a milliard")
            case _:
                other = next((each for each in view.seats if each.player_id != self.name), None)
                if other is not None:
                    request.player_id = other.player_id
                    await self._refused(request, "acting for somebody else")

    async def _refused(self, request: pb.ActRequest, what: str) -> None:
        with suppress(Refused):
            await self.client.change(self.client.tables.Act, request)
            if request.turn_id < self._answered or request.player_id != self.name or request.to_chips == 10**9:
                self.client.complain(f"{self.name}: {what} was taken")

    # --- between turns ----------------------------------------------------------------------

    async def _between(self, view: Any, seat: Any) -> None:
        random, tables = self.client.random, self.client.tables
        if self._restless and random.random() < (self._restless / 5 if seat.in_hand else self._restless):
            await self._fidget()
        elif seat.presence in _AWAY:
            await self._dare(tables.Return, pb.ReturnRequest())
        elif self.cash and seat.stack_chips < view.stakes.upper_limit_chips and not seat.in_hand:
            await self._dare(tables.AddChips, pb.AddChipsRequest(chips=random.randint(10, 60)))
        elif random.random() < 0.02:
            await self._dare(tables.SetConnection, pb.SetConnectionRequest(connected=random.random() < 0.5))
        elif random.random() < 0.02:
            await self._dare(tables.SitOut, pb.SitOutRequest())
        elif random.random() < 0.05:
            await self._dare(tables.ShowOrMuck, pb.ShowOrMuckRequest(hand_id=view.hand_id, show=random.random() < 0.5))
        elif self.cash and random.random() < 0.01:
            await self._dare(tables.Leave, pb.LeaveRequest())

    async def _add_entropy(self, asked: Any) -> None:
        """In time, at the last moment, a little late, or not at all."""
        left: float = (asked.deadline.ToDatetime(BEGAN.tzinfo) - self.loop.moment()).total_seconds()
        await asyncio.sleep(max(0.0, self.client.random.uniform(0.0, 1.2) * left))
        if self.client.random.random() < 0.8:
            content = self.client.random.randbytes(self.client.random.randint(1, 64))
            request = pb.AddEntropyRequest(hand_id=asked.hand_id, entropy=content)
            await self._dare(self.client.tables.AddEntropy, request)

    async def _fidget(self) -> None:
        """What restless players do: they change their minds before they know what became of it."""
        moves = self.client.random.choice(_FIDGETS)
        await in_a_hurry(self.client, [partial(self._move, move) for move in moves])

    async def _fuss(self, view: Any) -> None:
        """What is allowed at some tables, at some moments, to some."""
        random, tables = self.client.random, self.client.tables
        match random.randrange(3):
            case 0:
                key = random.choice((b"", *(random.randbytes(PUBLIC_KEY_BYTES) for _ in range(2))))
                await self._dare(tables.RegisterSeatKey, pb.RegisterSeatKeyRequest(public_key=key))
            case 1:
                await self._dare(tables.SetAutoAnte, pb.SetAutoAnteRequest(auto_ante=random.random() < 0.6))
            case _:
                seat = random.choice(list(view.seats)).seat
                wanted = pb.AskToSeeRequest(hand_id=view.hand_id or "none", player_id=self.name, seat=seat)
                await self.client.read(tables.AskToSee, wanted)

    async def _move(self, move: str) -> None:
        await self._dare(*self._request(move))

    def _request(self, move: str) -> tuple[Any, Message]:
        tables = self.client.tables
        match move:
            case "buys":
                return tables.AddChips, pb.AddChipsRequest(chips=self.client.random.randint(1, 20))
            case "leaves":
                return tables.Leave, pb.LeaveRequest()
            case "sits out":
                return tables.SitOut, pb.SitOutRequest()
            case "sits":
                return tables.Sit, pb.SitRequest(buy_in_chips=self.buy_in_chips)
            case _:
                return tables.Return, pb.ReturnRequest()

    async def _come_again(self) -> None:
        """Who left a cash table sits down again, now and then."""
        if self._restless and self.client.random.random() < 0.5:
            await self._dare(*self._request("sits"))

    async def _dare(self, call: Any, request: Message) -> None:
        """A request that the moment may not allow."""
        request.table_id, request.player_id = self.table_id, self.name  # type: ignore[attr-defined]  # all have both
        with suppress(Refused):
            await self.client.change(call, request)


@dataclass(slots=True)
class Follower:
    """Follows the stream of a table, resumes it where it breaks, and lets no event be missing or told twice."""

    client: Client
    judge: Judge
    viewer: str
    table_id: str = ""
    cursor: int = 0

    async def follow(self, table_id: str) -> None:
        """Until the table is closed."""
        self.table_id = table_id
        while not self._has_seen_all():
            request = pb.WatchRequest(table_id=table_id, player_id=self.viewer, after_version=self.cursor)
            call = self.client.tables.Watch(request)
            with suppress(Exception):
                async for item in call:
                    self._take(item)
            call.cancel()
            await asyncio.sleep(self.client.random.uniform(0.2, 2.0))

    def _has_seen_all(self) -> bool:
        """The table is closed, and nothing more is to be told."""
        truth = self.judge.tables.get(self.table_id)
        table = truth.table if truth is not None else None
        return table is not None and table.closed and self.cursor == table.version

    def _take(self, item: pb.WatchResponse) -> None:
        if item.WhichOneof("item") != "event":
            return
        event = item.event
        if event.version != self.cursor + 1:
            self.judge.broken(f"a watcher was sent event {event.version} after {self.cursor}")
        self.cursor = event.version
        self.judge.seen(self.viewer, self.table_id, event)
        self.judge.same_again(self.viewer, self.table_id, event)
