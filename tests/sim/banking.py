"""An evening of nothing but money: deposits, withdrawals and holds of a few wallets, by several back ends at once.

No other course withdraws or reserves anything. The back ends share their request ids, as those of one house do, and
resolve each other's holds.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.caller import Role
from tests.sim.bank_truth import check_bank
from tests.sim.client import Client, Refused, Sent, Silent
from tests.sim.reckoning import settle_all
from tests.sim.world import World
from tests.support.ledger_house import euro

BACK_ENDS: Final = 4
CHANGES: Final = (8, 24)
"""Of each back end."""
WALLETS: Final = 3
_AMOUNTS: Final = (1, 7, 50, 200)
_MOVES: Final = ("open", "deposit", "deposit", "withdraw", "hold", "hold", "hold", "post", "void")
_LASTS_SECONDS: Final = 20
_PAUSES_SECONDS: Final = (0.0, 0.0, 0.1, 1.0, 3.0)
_AGAIN: Final = 0.15
"""Share of changes that are asked for once more, or with an id that was used before."""
_NEWEST: Final = 4
"""Holds that one is chosen of, so that several choose the same."""


async def bank(world: World) -> None:
    """The whole life of such a world."""
    await world.until(lambda: all(node.up for node in world.nodes.values()), "the first start")
    holds: list[str] = []
    clients = [world.client(f"bank-{number}", Role.BACKEND) for number in range(1, BACK_ENDS + 1)]
    world.asking += clients
    async with asyncio.TaskGroup() as group:
        for client in clients:
            group.create_task(_work(world, client, holds))
    await settle_all(world, clients)
    check_bank(world, [sent for client in clients for sent in client.sent])


async def _work(world: World, client: Client, holds: list[str]) -> None:
    random = client.random
    for _ in range(random.randint(*CHANGES)):
        await asyncio.sleep(random.choice(_PAUSES_SECONDS))
        player_id = random.choice(world.plan.players[:WALLETS])
        call, request = _move(client, random.choice(_MOVES), player_id, holds[-_NEWEST:])
        if client.sent and random.random() < _AGAIN:
            await _again(client, random.choice(client.sent), call, request)
            continue
        with suppress(Refused, Silent):
            answer = await client.change(call, request)
            if isinstance(answer, pb.PlaceHoldResponse):
                holds.append(answer.hold_id)


def _move(client: Client, move: str, player_id: str, holds: list[str]) -> tuple[Callable[..., Any], Any]:
    random, ledger = client.random, client.ledger
    amount = euro(random.choice(_AMOUNTS))
    match move:
        case "open":
            return ledger.OpenAccount, pb.OpenAccountRequest(player_id=player_id, currency="EUR")
        case "deposit":
            return ledger.Deposit, pb.DepositRequest(player_id=player_id, amount=amount, reference="card")
        case "withdraw":
            return ledger.Withdraw, pb.WithdrawRequest(player_id=player_id, amount=amount, reference="bank")
        case "post" if holds:
            return ledger.PostHold, pb.PostHoldRequest(hold_id=random.choice(holds))
        case "void" if holds:
            return ledger.VoidHold, pb.VoidHoldRequest(hold_id=random.choice(holds))
        case _:
            lasts = Duration(seconds=random.randint(1, _LASTS_SECONDS))
            return ledger.PlaceHold, pb.PlaceHoldRequest(player_id=player_id, amount=amount, lasts=lasts)


async def _again(client: Client, before: Sent, call: Callable[..., Any], request: Any) -> None:
    """What was answered has its answer again; other content under its id has none, and moves nothing."""
    if before.answer is None:
        return
    with suppress(Refused, Silent):
        await client.settle(before)
    request.request_id = before.request.request_id
    if request != before.request:
        with suppress(Refused, Silent):
            await client.read(call, request)
            client.complain(f"{client.name}: an id that was used for {before.what} was taken for something else")
