"""One eight-seat hand of real processes, its cards chosen beforehand, with one service killed after every event."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

import grpc
from google.protobuf.json_format import MessageToDict
from sevenstud.common.v1 import betting_pb2 as betting
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent

from tests.support.dealer_calls import wire_cards
from tests.support.suite_processes import Processes
from tests.support.table_suite import PlayedTable, card_room, open_table

PLAYERS: Final = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal")
CARDS: Final = (
    "As Ad Kc Kd Kh 2c 3d",
    "9s 9d 4h 7c 8d Jh Qs",
    "Ts Td 5h 6c 3c Jd Qc",
    "2d 3h 7d",
    "4c 5d 8c",
    "6d 7h 9c",
    "8h 2s Tc",
    "Jc 4d Qh",
)
HAND_SECONDS_MAX: Final = 60.0
"""Between two events, whatever was killed."""
_STAY: Final = 3
_KEEP: Final = (betting.ACTION_KIND_CHECK, betting.ACTION_KIND_CALL, betting.ACTION_KIND_BRING_IN)
_OUTAGES: Final = {"table_stalled", "table_resumed", "player_seated", "table_paused"}
_NOT_COMPARED: Final = {"deadline", "seedCommitment", "deckRoot", "openings", "rules"}
_AGAIN: Final = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}

Hurt = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Played:
    """How the hand went."""

    journal: tuple[str, ...] = ()
    events: int = 0
    kills: int = 0
    down_seconds: float = 0.0
    """The longest from a kill until the new process served: the machine's share."""
    action_seconds: float = 0.0
    """The longest from there to the next action that was accepted, where somebody was to act."""
    event_seconds: float = 0.0
    """The longest from there to the next event, where the table goes on by itself."""

    @property
    def voided(self) -> int:
        """Hands that were given up."""
        return sum(line.startswith("hand_voided") for line in self.journal)


async def play(processes: Processes, hurt: Hurt | None = None, every: int = 1) -> Played:
    """The hand from the first ante to its openings; ``hurt`` is done after every event, or every so many."""
    table = await open_table(processes, card_room(clocks=_patient), hands_max=1, scripted_hands=[_script()])
    await table.sit(*PLAYERS)
    before = (await table.view()).version
    await table.resume()
    played, up_at = Played(), 0.0
    async with aclosing(events_of(processes, table.table_id, before)) as events:
        async for event in events:
            name = event.WhichOneof("event")
            if name in _OUTAGES:
                continue
            if up_at:
                played.event_seconds = max(played.event_seconds, time.monotonic() - up_at)
                up_at = 0.0
            played.events += 1
            if hurt is not None and played.events % every == 0:
                hurt_at = time.monotonic()
                await hurt()
                up_at, played.kills = time.monotonic(), played.kills + 1
                played.down_seconds = max(played.down_seconds, up_at - hurt_at)
            if name == "turn_started":
                await act(processes, _action(table, event.turn_started.turn))
                played.action_seconds = max(played.action_seconds, time.monotonic() - up_at if up_at else 0.0)
                up_at = 0.0
            if name == "openings_published":
                break
    played.journal = journal_of((await table.hand(1)).events)
    return played


async def events_of(processes: Processes, table_id: str, after: int) -> AsyncGenerator[TableEvent, None]:
    """Each event once, whoever dies meanwhile; TimeoutError where the table stands still."""
    while True:
        call = processes.tables.Watch(pb.WatchRequest(table_id=table_id, after_version=after))
        while (item := await _next(call)) is not None:
            if item.HasField("event"):
                after = item.event.version
                yield item.event
        await asyncio.sleep(0.02)


async def _next(call: Any) -> pb.WatchResponse | None:
    """The next item of a stream, None where it broke off."""
    try:
        async with asyncio.timeout(HAND_SECONDS_MAX):
            item = await call.read()
    except grpc.aio.AioRpcError as broken:
        if broken.code() not in _AGAIN:
            raise
        return None
    except asyncio.CancelledError:  # the channel was closed, to be opened anew
        if (task := asyncio.current_task()) is None or task.cancelling():
            raise
        return None
    return None if item is grpc.aio.EOF else item


async def act(processes: Processes, request: pb.ActRequest) -> None:
    """Ask until somebody answers: the same request, so that it counts once."""
    async with asyncio.timeout(HAND_SECONDS_MAX):
        while True:
            try:
                await processes.tables.Act(request)
            except grpc.aio.AioRpcError as broken:
                if broken.code() not in _AGAIN:
                    raise
                await asyncio.sleep(0.02)
            else:
                return


def _patient(rules: RuleSet) -> None:
    """Nobody's turn may end while others die; what a clock does then is another row."""
    rules.clock.decision_seconds = 3600


def _script() -> pb.ScriptedHand:
    seats = [pb.ScriptedSeat(seat=seat, cards=wire_cards(cards)) for seat, cards in enumerate(CARDS, start=1)]
    return pb.ScriptedHand(seats=seats)


def _action(table: PlayedTable, turn: table_pb2.Turn) -> pb.ActRequest:
    """Three stay in to the end, the others go at once."""
    kinds = {each.kind for each in turn.legal.actions}
    stays = [kind for kind in _KEEP if kind in kinds]
    goes = turn.seat > _STAY and betting.ACTION_KIND_FOLD in kinds
    kind = "fold" if goes or not stays else betting.ActionKind.Name(stays[0]).removeprefix("ACTION_KIND_").lower()
    return table.action(turn, kind)


def journal_of(events: Sequence[TableEvent]) -> tuple[str, ...]:
    """What happened, without when, without the secrets of the deck, and without what an outage may add."""
    lines: list[str] = []
    for event in events:
        name = event.WhichOneof("event") or ""
        if name not in _OUTAGES:
            lines.append(f"{name} {_compared(MessageToDict(getattr(event, name)))}")
    return tuple(lines)


def difference(wanted: Sequence[str], found: Sequence[str]) -> str:
    """The first line in which two journals differ; nothing where they are equal."""
    pairs = zip_longest(wanted, found, fillvalue="nothing")
    return next((f"{one} / {other}" for one, other in pairs if one != other), "")


def _compared(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: _compared(value) for key, value in found.items() if key not in _NOT_COMPARED}
    return [_compared(each) for each in found] if isinstance(found, list) else found
