"""One eight-seat hand of real processes, its cards chosen beforehand, with one service killed after every action."""

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from google.protobuf.json_format import MessageToDict
from sevenstud.common.v1 import betting_pb2 as betting
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.suite import Suite
from shared.rpc.client import open_channel
from tests.support.dealer_calls import wire_cards
from tests.support.table_suite import BACKEND, OPERATOR, PlayedTable, card_room, open_table

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
_STAY: Final = 3
_KEEP: Final = (betting.ACTION_KIND_CHECK, betting.ACTION_KIND_CALL, betting.ACTION_KIND_BRING_IN)
_OUTAGES: Final = {"table_stalled", "table_resumed", "player_seated", "table_paused"}
_NOT_COMPARED: Final = {"deadline", "seedCommitment", "deckRoot", "openings", "rules"}


@dataclass(slots=True)
class Processes:
    """The suite as five processes, called anew after a kill."""

    folder: Path
    environ: dict[str, str]
    suite: Suite = field(init=False)
    _channels: AsyncExitStack = field(default_factory=AsyncExitStack)
    tables: Any = None
    house: Any = None
    ledger: Any = None

    async def __aenter__(self) -> Self:
        self.suite = Suite(self.folder, self.environ, scripted=True)
        await self.suite.__aenter__()
        await self._call()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._channels.aclose()
        await self.suite.__aexit__(None, None, None)

    async def kill_and_start(self, service: str) -> None:
        """kill -9, and whoever watches over processes."""
        await self.suite.kill(service)
        await self.suite.start(service)
        await self._call()

    async def _call(self) -> None:
        await self._channels.aclose()
        self._channels = AsyncExitStack()
        tables, ledger = self.suite.address("orchestrator"), self.suite.address("tournament_ledger")
        opened = self._channels.enter_async_context
        self.tables = TableServiceStub(await opened(open_channel(tables, BACKEND)))
        self.house = TableServiceStub(await opened(open_channel(tables, OPERATOR)))
        self.ledger = TournamentLedgerServiceStub(await opened(open_channel(ledger, BACKEND)))


@dataclass(frozen=True, slots=True)
class Played:
    """How the hand went."""

    journal: tuple[str, ...]
    kills: int
    slowest_seconds: float
    """The longest from a restart to the next accepted action."""


async def play(processes: Processes, victim: str = "", kills_max: int = 1000) -> Played:
    """The hand from the first ante to its booking; the victim dies after every action."""
    table = await open_table(processes, card_room(), hands_max=1, scripted_hands=[_script()])
    await table.sit(*PLAYERS)
    await table.resume()
    turn_id, kills, slowest, up_at = 0, 0, 0.0, time.monotonic()
    while (turn := await _next_turn(table, turn_id)) is not None:
        await processes.tables.Act(_action(table, turn))
        if kills:
            slowest = max(slowest, time.monotonic() - up_at)
        turn_id = turn.turn_id
        if victim and kills < kills_max:
            await processes.kill_and_start(victim)
            kills, up_at = kills + 1, time.monotonic()
    events = (await table.hand(1)).events
    return Played(journal_of(events), kills, slowest)


def _script() -> pb.ScriptedHand:
    seats = [pb.ScriptedSeat(seat=seat, cards=wire_cards(cards)) for seat, cards in enumerate(CARDS, start=1)]
    return pb.ScriptedHand(seats=seats)


async def _next_turn(table: PlayedTable, after: int) -> table_pb2.Turn | None:
    view = await table.until(lambda v: v.turn.turn_id > after or v.state == table_pb2.TABLE_STATE_PAUSED)
    return view.turn if view.HasField("turn") else None


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


def _compared(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: _compared(value) for key, value in found.items() if key not in _NOT_COMPARED}
    return [_compared(each) for each in found] if isinstance(found, list) else found
