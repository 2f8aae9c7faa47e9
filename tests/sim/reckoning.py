"""The end of every world: nothing breaks any more, every open question is asked again, and all is added up."""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

from sevenstud.common.v1.betting_pb2 import ActionKind

from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import ActionTaken
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.caller import Role
from shared.kernel.errors import Reason
from tests.sim.client import Client, Refused, Sent, Silent
from tests.sim.players import Follower
from tests.sim.proofs import proved
from tests.sim.world import World


def follow(world: World, table_id: str) -> None:
    """Somebody watches the table's stream: one of the players, or an observer."""
    viewer = world.plan.players[0] if world.plan.seed % 3 else ""
    client = world.client(f"watcher-{len(world.followers)}", Role.BACKEND if viewer else Role.OBSERVER)
    follower = Follower(client, world.judge, viewer)
    world.followers.append(follower)
    world.spawn(follower.follow(table_id))


async def settle_all(world: World, clients: list[Client]) -> None:
    """The weather is fine, everything is up; nobody plays on; whoever had no answer asks once more."""
    world.heal()
    for player in world.players:
        player.left = True
    await world.until(lambda: all(node.up for node in world.nodes.values()), "the last start", 120)
    for client in clients:
        for sent in client.sent:
            while not sent.known:
                with suppress(Refused, Silent):
                    await client.settle(sent)
    await asyncio.sleep(40.0)  # every message that is still on its way arrives


async def reckoning(world: World, clients: list[Client]) -> None:
    """Every accepted command was applied once, every other not at all; the log tells the same from its beginning."""
    await settle_all(world, clients)
    for truth in world.judge.tables.values():
        assert fold(None, tuple(truth.events)) == truth.table, "the log tells another story from its beginning"
        assert truth.table is not None
        proved(world.judge.dealer, truth)
        world.judge.ledger.agree(truth.table, frozenset(), purchases=world.judge.purchases)
        for follower in world.followers:
            seen_all = follower.table_id != truth.table_id or follower.cursor == truth.table.version
            assert seen_all, f"a watcher saw {follower.cursor} of {truth.table.version} events"
    _acts_once(world, [sent for client in clients for sent in client.sent])
    _money_once(world, [sent for client in clients for sent in client.sent])


def _acts_once(world: World, sent: list[Sent]) -> None:
    """Every accepted action stands in the log once, as it was answered; no other action of a player does."""
    acted = {
        (truth.table_id, turn_id): recorded
        for truth in world.judge.tables.values()
        for turn_id, recorded in truth.acted.items()
        if isinstance(recorded.fact, ActionTaken) and recorded.fact.cause is ActionCause.PLAYER
    }
    acts = [each for each in sent if each.what == "Act"]
    for each in acts:
        if each.answer is not None:
            recorded = acted.pop((each.request.table_id, each.request.turn_id), None)
            assert recorded is not None, f"an accepted action in turn {each.request.turn_id} is not in the log"
            fact: Any = recorded.fact
            answered = (recorded.version, fact.paid_chips)
            assert answered == (each.answer.version, each.answer.paid_chips), "an action was answered otherwise"
            assert f"ACTION_KIND_{fact.kind.name}" == ActionKind.Name(each.request.kind), "another action was taken"
    for each in acts:
        if each.dropped:
            acted.pop((each.request.table_id, each.request.turn_id), None)
    assert not acted, f"turns {sorted(acted)} were answered for players who had no answer"


def _money_once(world: World, sent: list[Sent]) -> None:
    """Every accepted deposit is one entry, every accepted purchase one fact at the table; refused ones are none."""
    entries = world.judge.ledger.requests
    for each in sent:
        if each.what == "Deposit" and not each.dropped:
            wanted = int(each.answer is not None)
            found = sum(count for key, count in entries.items() if key.startswith(each.request.request_id))
            assert found == wanted, f"a deposit was booked {found} times, {wanted} is right"
    bought = Counter[tuple[str, int]]()
    for truth in world.judge.tables.values():
        if truth.cash:
            bought.update(truth.bought)
    accepted = Counter(_asked(each) for each in sent if each.what in _PURCHASES and each.answer is not None)
    perhaps = Counter(_asked(each) for each in sent if each.what in _PURCHASES and _perhaps(world, each))
    assert accepted <= bought <= accepted + perhaps, f"bought {dict(bought)}, accepted {dict(accepted)}"


def _perhaps(world: World, sent: Sent) -> bool:
    """Nobody knows the answer; or it was "not just now", and a copy that was late on its way found another moment."""
    return sent.dropped or (sent.reason in _PASSING and bool(world.network.counted.get("twice")))


_PURCHASES = {"Sit", "AddChips"}
_PASSING = {Reason.LIMIT_REACHED, Reason.VERSION_CONFLICT, Reason.DEPENDENCY_UNAVAILABLE}


def _asked(sent: Sent) -> tuple[str, int]:
    request = sent.request
    return str(request.player_id), int(request.buy_in_chips if sent.what == "Sit" else request.chips)
