"""What goes wrong between services that are up: answers that are not heard, garbled or refused, hosts cut off."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Final

import grpc

from shared.kernel.errors import DomainError, Reason
from shared.rpc.errors import refusal_of
from shared.storage.database import Statement
from tests.sim.network import Answer, Sickness
from tests.sim.nodes import BETTING, DEALER, EVALUATOR, LEDGER, ORCHESTRATOR

if TYPE_CHECKING:
    from tests.sim.world import World

SERVES_THE_TABLE: Final = (DEALER, BETTING, EVALUATOR, LEDGER)
_DEAF_SECONDS: Final = ((0.0, 0.02), (0.5, 9.0))
"""One answer is not heard, or none for a while."""
_CUT_SECONDS: Final = (0.5, 12.0)
_SICK_SECONDS: Final = (2.0, 20.0)
_STRANDED_SECONDS: Final = (0.5, 20.0)
_STRANDED_MEAN_SECONDS: Final = 30.0
_HEARD_OF: Final = {LEDGER: "INSERT INTO ledger_journal ", DEALER: "INSERT INTO dealer_requests "}
"""Writes that somebody waits for."""


def _busy() -> Sickness:
    full = DomainError(Reason.LIMIT_REACHED, "too many calls are being worked on", {"limit": "unary_calls_max"})
    refusal = refusal_of(full, "sim")
    return Sickness(Answer(None, refusal.code, refusal.message, refusal.trailer), heeded_rate=0.0)


GARBLED: Final = Sickness(Answer(None, grpc.StatusCode.UNKNOWN, "Stream removed"), heeded_rate=0.5)
BUSY: Final = _busy()


class Trouble:
    """Of one world; every part draws from lots of its own."""

    def __init__(self, world: "World") -> None:
        """In this world."""
        self._world = world
        self._deaf = Random(f"deaf {world.plan.seed}")
        self._sick = Random(f"sick {world.plan.seed}")
        self._stranded = Random(f"stranded {world.plan.seed}")

    def begin(self) -> None:
        """From now on, until the world is calm."""
        if self._world.plan.traits.sick_mean_seconds:
            self._world.spawn(self._sicken())
        if self._world.plan.traits.unclear:
            self._world.spawn(self._strand())

    def written(self, node: str, statements: Sequence[Statement]) -> None:
        """Perhaps whoever waits for this write does not hear of it, nor of anything else from there for seconds."""
        world, rate = self._world, self._world.plan.traits.deaf_rate
        begins = _HEARD_OF.get(world.nodes[node].kind)
        if not rate or world.calm or begins is None or not any(each.sql.startswith(begins) for each in statements):
            return
        if self._deaf.random() < rate:
            world.judge.tell(f"{ORCHESTRATOR} does not hear {node}")
            callers = world.network.hosts_of(ORCHESTRATOR)
            ways = [(node, caller) for caller in callers]
            if self._deaf.random() < 0.5:
                ways += [(caller, node) for caller in callers]
            world.network.cut.update(ways)
            world.loop.call_later(
                self._deaf.uniform(*self._deaf.choice(_DEAF_SECONDS)), world.network.cut.difference_update, ways
            )

    async def part(self, random: Random) -> None:
        """Two that talk with each other cannot, or one of them is not heard."""
        world = self._world
        others = (*SERVES_THE_TABLE, *(player.name for player in world.players))
        one, other = random.choice(world.network.hosts_of(ORCHESTRATOR)), random.choice(others)
        hosts = world.network.hosts_of(other)
        if len(hosts) > 1 and random.random() < 0.5:
            hosts = (random.choice(hosts),)
        there, back = [(one, host) for host in hosts], [(host, one) for host in hosts]
        ways = random.choice((there, back, there + back))
        world.judge.tell(f"cut off: {', '.join(f'{origin} from {target}' for origin, target in ways)}")
        world.network.cut.update(ways)
        await asyncio.sleep(random.uniform(*_CUT_SECONDS))
        world.network.cut.difference_update(ways)

    async def _strand(self) -> None:
        """One of several cannot reach the database that they share; the others can."""
        world, random = self._world, self._stranded
        while True:
            await asyncio.sleep(random.expovariate(1 / _STRANDED_MEAN_SECONDS))
            if world.calm:
                return
            node = random.choice([each for each in world.nodes.values() if each.disk is not None and each.disk.shared])
            if node.store is not None:
                node.store.away_until = world.loop.time() + random.uniform(*_STRANDED_SECONDS)
                world.judge.tell(f"{node.name} is cut off from its database")

    async def _sicken(self) -> None:
        world, random = self._world, self._sick
        while True:
            await asyncio.sleep(random.expovariate(1 / world.plan.traits.sick_mean_seconds))
            if world.calm:
                return
            name, sickness = random.choice(SERVES_THE_TABLE), random.choice((GARBLED, BUSY))
            world.judge.tell(f"{name} is {'busy' if sickness is BUSY else 'garbled'}")
            with self._sickness(name, sickness):
                await asyncio.sleep(random.uniform(*_SICK_SECONDS))

    @contextmanager
    def _sickness(self, name: str, sickness: Sickness) -> Generator[None]:
        network = self._world.network
        callers = network.hosts_of(ORCHESTRATOR)
        ways = [(caller, host) for caller in callers for host in network.hosts_of(name)]
        network.sick.update(dict.fromkeys(ways, sickness))
        yield
        for way in ways:
            network.sick.pop(way, None)
