"""Hands played anyhow at tables of the house: what an attack looks at while it happens."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from sevenstud.common.v1.betting_pb2 import ACTION_KIND_COMPLETE, ACTION_KIND_FOLD, LegalAction
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Stakes
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from tests.batteries.attack.house import House
from tests.support.ledger_house import euro, fresh

STAKES = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
BUY_IN_CHIPS = 50_000
HAND_SECONDS_MAX = 120.0
Look = Callable[[table_pb2.Turn], Awaitable[None]]
Choose = Callable[[table_pb2.Turn], tuple[LegalAction, int]]


@dataclass
class Table:
    """A table and who sits at it."""

    house: House
    table_id: str
    players: dict[int, str] = field(default_factory=dict[int, str])
    """By seat."""
    events: list[TableEvent] = field(default_factory=list[TableEvent])
    """As a spectator sees them."""


def rules() -> RuleSelection:
    """Fixed limit for cash; nobody waits to show or hide."""
    selection = RuleSelection(preset="card_room")
    selection.overrides.clock.showdown_seconds = 0
    selection.overrides.clock.decision_seconds = 300
    selection.overrides.clock.between_hands_seconds = 0
    selection.overrides.cash.buy_in_min_chips = BUY_IN_CHIPS
    selection.overrides.cash.buy_in_max_chips = BUY_IN_CHIPS
    return selection


async def open_table(
    house: House,
    players: Sequence[str],
    hands: int,
    table_id: str = "",
    scripted: Sequence[pb.ScriptedHand] = (),
) -> Table:
    """A paused table with players who can pay for ever."""
    request = pb.OpenTableRequest(
        request_id=fresh(),
        table_id=table_id,
        name="Table",
        rules=rules(),
        stakes=STAKES,
        chip_value=euro(1),
        start_paused=True,
        hands_max=hands,
        scripted_hands=scripted,
    )
    table = Table(house, (await house.tables.OpenTable(request)).table.table_id)
    for player_id in players:
        await seat(table, player_id)
    return table


async def seat(table: Table, player_id: str) -> None:
    """A player with money takes the next seat."""
    house = table.house
    await open_account(house, player_id)
    deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(BUY_IN_CHIPS))
    await house.ledger.Deposit(deposit)
    sit = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id=player_id, buy_in_chips=BUY_IN_CHIPS)
    table.players[(await house.tables.Sit(sit)).seat] = player_id


async def open_account(house: House, player_id: str) -> None:
    """A wallet for a player, unless there is one."""
    request = ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR")
    await house.ledger.OpenAccount(request)


async def play(table: Table, hands: int, choose: Choose, look: Look | None = None) -> None:
    """Until so many hands are over and proved; ``look`` is called at every turn, before it is answered."""
    stream = table.house.tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=0))
    await table.house.house.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id))
    reader = aiter(stream)
    done = 0
    while done < hands:
        item = await asyncio.wait_for(anext(reader), HAND_SECONDS_MAX)
        if item.WhichOneof("item") != "event":
            continue
        table.events.append(item.event)
        kind = item.event.WhichOneof("event")
        if kind == "turn_started":
            turn = item.event.turn_started.turn
            if look is not None:
                await look(turn)
            await table.house.tables.Act(action(table, turn, choose))
        done += kind in {"openings_published", "hand_voided"}
    stream.cancel()


def action(table: Table, turn: table_pb2.Turn, choose: Choose) -> pb.ActRequest:
    """The request that answers a turn."""
    legal, to_chips = choose(turn)
    return pb.ActRequest(
        request_id=fresh(),
        table_id=table.table_id,
        player_id=turn.player_id,
        turn_id=turn.turn_id,
        kind=legal.kind,
        to_chips=to_chips,
    )


def anyhow(rng: Random, folding_share: float) -> Choose:
    """Any legal action, and any legal amount for it; folds seldom."""

    def choose(turn: table_pb2.Turn) -> tuple[LegalAction, int]:
        actions = list(turn.legal.actions)
        stays = [each for each in actions if each.kind != ACTION_KIND_FOLD or rng.random() < folding_share]
        legal = rng.choice(stays or actions)
        if legal.kind < ACTION_KIND_COMPLETE:
            return legal, 0
        if legal.to_chips_choices:
            return legal, rng.choice(list(legal.to_chips_choices))
        return legal, rng.randint(legal.to_chips_min, legal.to_chips_max)

    return choose


def hands_of(events: Sequence[TableEvent]) -> dict[str, list[TableEvent]]:
    """Events by hand."""
    found: dict[str, list[TableEvent]] = {}
    for event in events:
        if event.hand_id:
            found.setdefault(event.hand_id, []).append(event)
    return found
