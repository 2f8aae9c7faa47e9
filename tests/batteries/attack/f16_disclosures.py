"""F16: random hands of every rule at a table with the real dealer: what it logs as given is what the rules give."""

import asyncio
import io
import json
import tempfile
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.orchestrator.v1 import table_event_pb2

from services.dealer.__main__ import assemble
from services.dealer.adapters import migrations
from services.dealer.rpc.servicer import DealerServicer
from services.dealer.settings import Settings
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.driver import Driver
from services.orchestrator.application.feeds import Lobby
from services.orchestrator.application.world import World
from services.orchestrator.domain.visibility import BLIND, view_event
from services.orchestrator.ports import Dealer
from shared.observability.logging import configure_logging
from shared.rpc.mirror import to_proto
from shared.storage.opening import open_database
from tests.batteries.attack.disclosures import faults
from tests.batteries.hands.setups import plan_of
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.batteries.views.hand import STEPS_MAX, _Game, deck_of
from tests.batteries.views.ports import _channel

PORTION, PROCESSES = 25, 2


class DealtGame(_Game):
    """A table of the battery of views, its cards from the real dealer."""

    def __init__(self, number: int, servicer: DealerServicer) -> None:
        self._dealer = DealerClient(_channel(servicer))
        plan = plan_of(number)
        super().__init__(plan, 0, deck_of(plan))
        self._actor = TableActor(f"t{number}", self._world(), Lobby())

    def _world(self) -> World:
        return replace(super()._world(), dealer=cast("Dealer", self._dealer))

    async def events(self) -> list[table_event_pb2.TableEvent]:
        """The public events of the first hand, played to its proof."""
        await self._record(Change(facts=self._opening()))
        driver = Driver(self._actor)
        for _ in range(STEPS_MAX):
            rest = await driver._step()
            hand = self._actor.table.hand
            if hand is not None and hand.proved:
                mine = [each.recorded for each in self._actor.feed.after(0) or () if each.recorded.hand_id]
                return [to_proto(view_event(each, BLIND), table_event_pb2.TableEvent) for each in mine]
            if rest is not None:
                await self._wait(rest)
        raise AssertionError("the hand does not end")


@asynccontextmanager
async def real_dealer(folder: Path) -> AsyncGenerator[DealerServicer, None]:
    """The dealer as it is assembled, without a network."""
    settings = Settings.from_env({"SEVENSTUD_DEALER_DATABASE": str(folder / "dealer.sqlite")})
    store = await open_database(settings.database, "dealer", migrations)
    caught: list[DealerServicer] = []
    try:
        (servable,) = (await assemble(settings, store)).servables
        servable.register(cast("Any", _Catcher(caught)))
        yield caught[0]
    finally:
        await store.close()


class _Catcher:
    """Takes the place of a server, to get hold of the servicer."""

    def __init__(self, caught: list[DealerServicer]) -> None:
        self._caught = caught

    def add_generic_rpc_handlers(self, handlers: Sequence[Any]) -> None:
        handler = handlers[0].service(_Details("/sevenstud.dealer.v1.DealerService/GetProof"))
        self._caught.append(handler.unary_unary.__self__)

    def add_registered_method_handlers(self, name: str, handlers: object) -> None:
        """Not needed."""


class _Details:
    def __init__(self, method: str) -> None:
        self.method = method
        self.invocation_metadata = ()


def check_portion(numbers: Sequence[int]) -> tuple[Counter[str], list[str]]:
    """Some hands in a process of their own."""
    return asyncio.run(_check(numbers))


async def _check(numbers: Sequence[int]) -> tuple[Counter[str], list[str]]:
    counts, wrong, log = Counter[str](), list[str](), io.StringIO()
    configure_logging("dealer", "debug", log)
    with tempfile.TemporaryDirectory() as folder:
        async with real_dealer(Path(folder)) as servicer:
            for number in numbers:
                try:
                    events = await DealtGame(number, servicer).events()
                    request = dealer_pb.GetProofRequest(hand_id=events[-1].hand_id)
                    proof = await servicer.GetProof(request, cast("Any", None))
                except Exception:  # noqa: BLE001  # whatever breaks in a hand is what is looked for
                    wrong.append(f"hand {number}: {traceback.format_exc(limit=-3)}")
                    continue
                wrong += [f"hand {number}: {each}" for each in (*faults(events, proof), *unlogged(log, proof))]
                counts["hands"] += 1
                counts["steps"] += len(proof.steps)
                counts["openings"] += len(proof.openings)
                counts.update(each.step for each in proof.steps)
    return counts, wrong


def unlogged(log: io.StringIO, proof: dealer_pb.GetProofResponse) -> Iterator[str]:
    """The dealer's log of a hand, line by line, against its record; the log is empty afterwards."""
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    log.seek(0)
    log.truncate()
    told = [(each["kind"], each["seats"]) for each in lines if each["event"] == "disclosed"]
    kept = [(each.step, list(each.seats)) for each in proof.steps if each.step in {"reveal_for_ranking", "open_cards"}]
    if told != kept:
        yield f"logged: {told}, recorded: {kept}"


def no_superuser(hands: int) -> Iterator[Row]:
    """Row F16."""
    numbers = range(1, hands + 1)
    portions = [numbers[at : at + PORTION] for at in range(0, hands, PORTION)]
    progress, counts, wrong = Progress("F16", hands), Counter[str](), list[str]()
    with get_context("spawn").Pool(PROCESSES) as pool:
        for portion, (found, bad) in zip(portions, pool.imap(check_portion, portions), strict=True):
            counts.update(found)
            wrong += bad
            progress.add(len(portion))
    progress.finish()
    for each in wrong[:5]:
        print(f"  fault {each}")
    yield judged(
        "F16",
        "10^4 hands: what the dealer logs as given is own cards, shown cards and hands compared, and nothing else",
        f"{counts['hands']:,} hands of random rules, {counts['steps']:,} steps, {counts['reveal_for_ranking']:,} "
        f"reveals for ranking, {counts['openings']:,} cards opened to the public: {len(wrong)} differ",
        holds=not wrong and counts["hands"] == hands and counts["reveal_for_ranking"] > 0,
    )
