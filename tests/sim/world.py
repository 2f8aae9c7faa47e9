"""A simulated world: five services, network, disks, players; played from a seed to its end, judged at every write."""

import asyncio
import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from google.protobuf.message import Message

from shared.kernel.caller import Caller, Role
from shared.storage.database import Statement
from tests.sim.client import Client, Silent
from tests.sim.judge import Judge
from tests.sim.loop import Deadlock, VirtualLoop, run_world
from tests.sim.network import Network
from tests.sim.nodes import DEALER, LEDGER, ORCHESTRATOR, SERVICES, Nature, Node
from tests.sim.patience import Patience
from tests.sim.plans import Plan
from tests.sim.players import Follower, Player
from tests.sim.trouble import Trouble

CLIENTS: Final = "clients"
LONGEST_SECONDS: Final = 4 * 3600.0
"""Virtual time within which every world has ended, or never will."""
_DOWN_SECONDS: Final = (0.05, 6.0)
_MONEY_MOVES: Final = 8
"""So much likelier is a crash right after money moved."""


class Broken(AssertionError):  # noqa: N818  # read as a sentence: the world is broken
    """Something that must hold did not: what, at which event, and what went before."""

    def __init__(self, seed: int, what: str, event: int, trace: Sequence[str]) -> None:
        super().__init__(f"seed {seed}, event {event}: {what}")
        self.seed = seed
        self.what = what
        self.event = event
        self.trace = tuple(trace)

    def __reduce__(self) -> tuple[type, tuple[int, str, int, tuple[str, ...]]]:
        return Broken, (self.seed, self.what, self.event, self.trace)


@dataclass(frozen=True, slots=True)
class Lived:
    """How a world ended."""

    seed: int
    events: int
    journal_hash: str
    hands: int
    virtual_seconds: float
    crashes: int
    counted: dict[str, int]
    traits: tuple[str, ...]
    """What was special about it."""


@dataclass(slots=True)
class World:
    """One world; see ``live``."""

    loop: VirtualLoop
    plan: Plan
    network: Network = field(init=False)
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    judge: Judge = field(init=False)
    players: list[Player] = field(default_factory=list[Player])
    followers: list[Follower] = field(default_factory=list[Follower])
    asking: list[Client] = field(default_factory=list[Client])
    """Others who ask for changes, so that at the end they ask for what they do not know."""
    calm: bool = False
    """Nothing breaks any more: the world is being brought to its end."""
    directed: bool = True
    """The orchestrator plays the tournaments; else nobody goes on with them by himself."""
    wrong: Broken | None = None
    _over: "asyncio.Future[None]" = field(init=False)
    _chaos: Random = field(init=False)
    _trouble: Trouble = field(init=False)

    def __post_init__(self) -> None:
        seed = self.plan.seed
        self.network = Network(self.loop, Random(f"network {seed}"), self.plan.weather)
        for name in SERVICES:
            self._add(Node(name, self._nature(name)))
        traits = self.plan.traits
        replicas = {DEALER: traits.dealers, LEDGER: traits.ledgers, ORCHESTRATOR: traits.orchestrators}
        for name, count in replicas.items():
            others = [f"{name}-{number}" for number in range(2, count + 1)]
            for other in others:
                self._add(Node(other, self._nature(other), serves_with=self.nodes[name]))
            self.network.replicas[name] = (name, *others)
        buys = self.plan.rules.tournament
        more = buys.rebuy.max_count or buys.re_entry_max_count or buys.add_on.offered or buys.double_chance.offered
        self.judge = Judge(self.loop, self.nodes, self.fail, bool(more), self.plan.rules.tournament)
        self.judge.turned = self._turned
        self._over = self.loop.create_future()
        self._chaos = Random(f"chaos {seed}")
        self._trouble = Trouble(self)

    def _add(self, node: Node) -> None:
        self.nodes[node.name] = self.network.hosts[node.name] = node

    def _nature(self, name: str) -> Nature:
        ahead: dict[str, float] = dict(zip((LEDGER, DEALER), self.plan.traits.ahead_seconds, strict=True))
        return Nature(
            loop=self.loop,
            network=self.network,
            random=Random(f"{name} {self.plan.seed}"),
            habits=self.plan.habits,
            tell=self._tell,
            committed=self._committed,
            failed=lambda fault: self.fail(f"{name} ended with {type(fault).__name__}: {fault}"),
            ahead_seconds=ahead.get(name.partition("-")[0], 0.0),
        )

    def _tell(self, line: str) -> None:
        self.judge.tell(line)

    def fail(self, what: str) -> None:
        """The first thing that is wrong ends the world."""
        if self.wrong is None:
            self.wrong = Broken(self.plan.seed, what, self.judge.events, self.judge.trace)
            if not self._over.done():
                self._over.set_result(None)

    def client(self, name: str, role: Role) -> Client:
        """A caller with a line of its own."""
        random, hasty = Random(f"{name} {self.plan.seed}"), self.plan.hasty_rate
        return Client(name, Caller(role, name), self.network, random, self.fail, hasty)

    # --- what breaks ------------------------------------------------------------------------

    def _committed(self, node: str, statements: Sequence[Statement]) -> None:
        self.judge.committed(node, statements)
        self._trouble.written(node, statements)
        money = _moves_money(self.nodes[node].kind, statements)
        rate = self.plan.chaos.after_write_rate * (_MONEY_MOVES if money else 1)
        if not self.calm and self._chaos.random() < rate:
            services = (ORCHESTRATOR, ORCHESTRATOR, node) if money else (*self.nodes, ORCHESTRATOR)
            self.loop.call_later(self._chaos.uniform(0.0, 0.004), self._crash_one, services)

    def _crash_one(self, services: Sequence[str]) -> None:
        if not self.calm:
            self.crash(self._chaos.choice(services))

    def crash(self, name: str) -> None:
        """kill -9, and a while later somebody starts it again."""
        self.nodes[name].crash()
        starts = self.nodes[name].starts
        self.loop.call_later(self._chaos.uniform(*_DOWN_SECONDS), self._start_again, name, starts)

    def _start_again(self, name: str, starts: int) -> None:
        if self.nodes[name].starts == starts:
            self.nodes[name].start()

    async def _break(self) -> None:
        """Now and then a crash, a power cut, or two that cannot reach each other."""
        while self.plan.chaos.mean_seconds and not self._ends():
            await asyncio.sleep(self._chaos.expovariate(1 / self.plan.chaos.mean_seconds))
            match self._chaos.randrange(4):
                case _ if self._ends():
                    return
                case 0:
                    for name in self.nodes:
                        self.crash(name)
                case 1:
                    self._crash_one(tuple(self.nodes))
                case _:
                    await self._trouble.part(self._chaos)

    def _ends(self) -> bool:
        return self.calm

    def heal(self) -> None:
        """From now on nothing breaks."""
        self.calm = True
        self.network.cut.clear()
        self.network.sick.clear()
        weather = self.network.weather
        weather.loss_rate = weather.twice_rate = weather.slow_rate = weather.break_rate = 0.0
        for client in (*(player.client for player in self.players), *self.asking):
            client.hasty_rate = 0.0
        habits = self.plan.habits
        habits.full_rate = habits.broken_rate = habits.unclear_rate = 0.0
        for node in self.nodes.values():
            if node.store is not None:
                node.store.away_until = 0.0

    # --- life -------------------------------------------------------------------------------

    def _turned(self, player_id: str) -> None:
        """A push message: it may be this player's turn."""
        for player in self.players:
            if player.name == player_id:
                player.turn.set()

    def spawn(self, work: Any) -> None:
        """A task of the clients; one that fails is a fault of the world itself."""
        self.loop.spawn(CLIENTS, self._seen(work))

    async def _seen(self, work: Any) -> None:
        try:
            await work
        except Exception as fault:  # noqa: BLE001  # any fault ends the world
            self.fail(f"a client ended with {type(fault).__name__}: {fault}")

    async def live(self, course: Callable[["World"], Any]) -> Lived:
        """From the first start to the last check; Broken where something does not hold."""
        for node in self.nodes.values():
            node.start()
        self.spawn(self._break())
        self._trouble.begin()
        self.spawn(Patience(self).watch())
        self.spawn(self._course(course))
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_SECONDS):
                await self._over
        if not self._over.done():
            self.fail("the world did not come to its end")
        if self.wrong is not None:
            raise self.wrong
        return Lived(
            seed=self.plan.seed,
            events=self.judge.events,
            journal_hash=self.judge.journal_hash,
            hands=sum(self.judge.ledger.hands.values()),
            virtual_seconds=self.loop.time(),
            crashes=sum(node.crashes for node in self.nodes.values()),
            counted=self.network.counted,
            traits=self.plan.traits.names,
        )

    async def _course(self, course: Callable[["World"], Any]) -> None:
        try:
            await course(self)
        except AssertionError as wrong:
            self.fail(str(wrong))
        if not self._over.done():
            self._over.set_result(None)

    async def until(self, holds: Callable[[], bool], what: str, seconds: float = 3600.0) -> None:
        """Wait, in virtual time; what never comes is wrong."""
        ends = self.loop.time() + seconds
        while not holds():
            assert self.loop.time() < ends, f"{what} never came"
            await asyncio.sleep(1.0)

    async def firmly(self, client: Client, call: Any, request: Message) -> Any:
        """Ask until there is an answer, as long as it takes."""
        request.request_id = client.fresh()  # type: ignore[attr-defined]  # every change has one
        while True:
            try:
                return await client.change(call, request)
            except Silent:
                client.sent.pop()


def _moves_money(node: str, statements: Sequence[Statement]) -> bool:
    return node == LEDGER and any(each.sql.startswith("INSERT INTO ledger_postings") for each in statements)


def live(plan: Plan, course: Callable[[World], Any]) -> Lived:
    """Play one world to its end; Broken says what was wrong and where."""
    collecting = gc.isenabled()
    gc.disable()  # nothing is finalised at a moment that the seed does not choose
    try:
        return run_world(lambda loop: World(loop, plan).live(course))  # type: ignore[no-any-return]  # it is Lived
    except Deadlock as wrong:
        raise Broken(plan.seed, str(wrong), 0, ()) from wrong
    finally:
        if collecting:
            gc.enable()
