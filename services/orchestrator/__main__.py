"""The orchestrator as a process: ``python -m services.orchestrator``."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.adapters.evaluator_client import EvaluatorClient
from services.orchestrator.adapters.histories import RemoteHistories
from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.adapters.replicas import SharedTables
from services.orchestrator.adapters.stored_marks import StoredMarks
from services.orchestrator.adapters.system_clock import SystemClock
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.adapters.tournament_metrics import TournamentMetrics
from services.orchestrator.application.apart import HistoriesApart
from services.orchestrator.application.dealer_check import DealerRefused, check_dealer
from services.orchestrator.application.forgetting import forget_for_ever
from services.orchestrator.application.histories import (
    OtherHistories,
    compare_all,
    compare_when_there,
)
from services.orchestrator.application.history import History
from services.orchestrator.application.ledger_marks import keep_marks
from services.orchestrator.application.reach import Reach
from services.orchestrator.application.referees import CashReferee, TournamentReferee
from services.orchestrator.application.replication import Replication
from services.orchestrator.application.shares import ALONE, Shares
from services.orchestrator.application.tables import Tables
from services.orchestrator.application.tournament_house import TournamentHouse, open_house
from services.orchestrator.application.tournament_tables import DirectedTables
from services.orchestrator.application.watching import Watching
from services.orchestrator.application.world import World
from services.orchestrator.metrics import TableMetrics
from services.orchestrator.ports import Betting, Clock, Dealer, Evaluator, Ledger, ServiceAway
from services.orchestrator.rpc.table_rights import TABLE_RIGHTS
from services.orchestrator.rpc.table_servicer import TableUseCases, orchestrator_info, table_servable
from services.orchestrator.rpc.tournament_feed import TournamentFeed
from services.orchestrator.rpc.tournament_rights import TOURNAMENT_RIGHTS
from services.orchestrator.rpc.tournament_servicer import tournament_servable
from services.orchestrator.settings import Settings
from shared.kernel.caller import Caller, Role
from shared.kernel.game import Mode
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.rpc.channel import CallingChannel
from shared.rpc.client import open_channel
from shared.rpc.drain import Drain
from shared.rpc.link import Secured
from shared.rpc.main import observe, run_service
from shared.rpc.peer import service_host
from shared.rpc.server import Assembly, StartFault, serve
from shared.storage.database import Store, is_lost
from shared.storage.moment import time_of
from shared.storage.opening import open_database, watched
from shared.storage.replicas import Replicas

SERVICE = "orchestrator"
DEALER_PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The other four, and time."""

    dealer: Dealer
    betting: Betting
    evaluator: Evaluator
    ledger: Ledger
    clock: Clock
    histories: OtherHistories | None = None
    """What they have written down, to be compared with the tables; None: not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orchestrator:
    """Everything of this process, put together; nothing runs yet."""

    assembly: Assembly
    tables: Tables
    tournaments: TournamentHouse
    watching: Watching
    answers_kept: timedelta
    reach: Reach
    replication: Replication | None = None
    """Keeps the tables in step with those of other orchestrators on the same database."""
    replicas: Replicas | None = None


def assemble(settings: Settings, store: Store, services: Services, drain: Drain) -> Orchestrator:
    """Tables and tournaments over an open store, ready to be run and served."""
    registry = new_registry()
    replicas = Replicas(store) if store.shared else None
    shares: Shares = ALONE if replicas is None else SharedTables(replicas)
    store = watched(store, registry)
    referee, log = TournamentReferee(), StoredTableLog(store)
    world = World(
        dealer=services.dealer,
        betting=services.betting,
        evaluator=services.evaluator,
        ledger=services.ledger,
        clock=services.clock,
        log=log,
        between_hands={
            Mode.CASH: CashReferee(services.ledger, services.clock),
            Mode.TOURNAMENT: referee,
        },
        witness=TableMetrics(registry, get_log()),
        tables_max=settings.tables_max,
        scripted_allowed=settings.scripted_tables,
        changes_per_hand_max=settings.changes_per_hand_max,
        shares=shares,
    )
    tables = Tables(world)
    directed = DirectedTables(tables)
    tournament_log = StoredTournamentLog(store)
    counted = TournamentMetrics(registry)
    house = open_house(
        tournament_log, services.clock, services.dealer, services.ledger, directed, counted, shares=shares
    )
    referee.serve(house.director, directed)
    tables.opener = house.agreement.open_announced
    history = History(tables)
    reach = Reach(lambda: store.sound)
    watching = Watching(tables, history, settings.watchers_max, reach)
    limits = {
        "tables_max": settings.tables_max,
        "watchers_max": settings.watchers_max,
        "changes_per_hand_max": settings.changes_per_hand_max,
        "answers_kept_days": settings.answers_kept.days,
    }
    info = orchestrator_info(limits, scripted_tables=settings.scripted_tables)
    assembly = Assembly(
        service=SERVICE,
        servables=(
            table_servable(TableUseCases(tables=tables, history=history, watching=watching), info),
            tournament_servable(house.commands, TournamentFeed(house.books, drain, settings.watchers_max, reach)),
        ),
        rights={**TABLE_RIGHTS, **TOURNAMENT_RIGHTS},
        registry=registry,
        ready=lambda: store.sound,
        lost=lambda: is_lost(store) or log.went_back,
    )
    replication = None
    if replicas is not None:
        replication = Replication(tables, replicas.changed, house.follow)
        store.heed(replication.hint)
    return Orchestrator(
        assembly=assembly,
        tables=tables,
        tournaments=house,
        watching=watching,
        answers_kept=settings.answers_kept,
        reach=reach,
        replication=replication,
        replicas=replicas,
    )


@asynccontextmanager
async def in_play(orchestrator: Orchestrator, drain: Drain) -> AsyncGenerator[None, None]:
    """Every open table and tournament goes on from its log; at the end each finishes the step that it is taking."""
    tables, replicas = orchestrator.tables, orchestrator.replicas
    if replicas is not None:
        await replicas.join()
    asleep = await tables.wake()
    tasks = [
        asyncio.create_task(tables.wake_late(asleep), name="wake what could not be read"),
        asyncio.create_task(forget_for_ever(tables.world, orchestrator.answers_kept), name="forget old answers"),
        asyncio.create_task(orchestrator.tournaments.follow.run(), name="follow the ledger"),
        asyncio.create_task(_end_streams(orchestrator.watching, drain), name="end the streams"),
    ]
    if replicas is not None and orchestrator.replication is not None:
        tasks.append(asyncio.create_task(replicas.run(), name="be known to other orchestrators"))
        tasks.append(asyncio.create_task(orchestrator.replication.run(), name="keep in step with other orchestrators"))
        looking = orchestrator.reach.look_for_ever(orchestrator.watching.look_again)
        tasks.append(asyncio.create_task(looking, name="end the streams where nothing is heard"))
    for task in tasks:
        task.add_done_callback(_report)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await tables.sleep()
        if replicas is not None:
            await replicas.leave()


def _report(task: "asyncio.Task[None]") -> None:
    """A task that was to run for ever has ended by itself: people must hear of it."""
    if not task.cancelled() and task.exception() is not None:
        get_log().error("task_failed", task=task.get_name(), exc_info=task.exception())


async def _end_streams(watching: Watching, drain: Drain) -> None:
    await drain.wait()
    watching.end_all()


@asynccontextmanager
async def remote_services(settings: Settings, began: datetime | None = None) -> AsyncGenerator[Services, None]:
    """The other four over gRPC; ``began``: the time by the clock that other orchestrators go by, too."""
    targets = {
        "dealer": settings.dealer_target,
        "betting": settings.betting_target,
        "evaluator": settings.evaluator_target,
        "tournament_ledger": settings.ledger_target,
    }
    channels = tuple(_channel(service, target, settings) for service, target in targets.items())
    dealer, betting, evaluator, ledger = channels
    try:
        yield Services(
            dealer=DealerClient(dealer),
            betting=BettingClient(betting),
            evaluator=EvaluatorClient(evaluator),
            ledger=LedgerClient(ledger),
            clock=SystemClock(began),
            histories=RemoteHistories(dealer, ledger),
        )
    finally:
        for channel in channels:
            await channel.close()


def _channel(service: str, target: str, settings: Settings) -> CallingChannel:
    """To a service that has to prove its name, where TLS is on."""
    tls = settings.server.tls
    secured = None
    if tls is not None:
        secured = Secured(paths=tls.as_client(), expect=service_host(tls.trust_domain, service))
    return open_channel(target, Caller(Role.SERVICE, SERVICE), settings.call_seconds, secured)


async def _check_dealer(services: Services, settings: Settings) -> None:
    """A dealer that can be told its cards never serves real tables."""
    try:
        scripted = await check_dealer(
            services.dealer,
            services.clock,
            scripted_tables=settings.scripted_tables,
            patience_seconds=DEALER_PATIENCE_SECONDS,
        )
    except (DealerRefused, ServiceAway) as fault:
        raise StartFault(str(fault)) from fault
    if scripted:
        get_log().warning("scripted_tables_allowed", meaning="cards can be chosen beforehand: no table here is real")


async def _compare_histories(store: Store, services: Services) -> "asyncio.Task[None] | None":
    """Refuse to start where a service was restored alone; a task that goes on comparing, and keeps marks."""
    log, marks, others = StoredTableLog(store), StoredMarks(store), services.histories
    if others is None:
        return None
    compared = True
    try:
        await compare_all(log, marks, others)
    except HistoriesApart as fault:
        raise StartFault(str(fault)) from fault
    except ServiceAway as away:
        get_log().warning("histories_not_compared", waiting_for=away.service, meaning="compared when it answers")
        compared = False

    async def go_on() -> None:
        if not compared:
            await compare_when_there(log, marks, others, services.clock)
        await keep_marks(marks, others, services.clock)

    task = asyncio.create_task(go_on(), name="compare histories")
    task.add_done_callback(_stop_if_apart)
    return task


async def _end_comparing(comparing: "asyncio.Task[None]") -> None:
    comparing.cancel()
    (fault,) = await asyncio.gather(comparing, return_exceptions=True)
    if isinstance(fault, Exception):
        raise StartFault(str(fault)) from fault


def _stop_if_apart(task: "asyncio.Task[None]") -> None:
    """Nobody may play on: stop as if asked to, and say why."""
    if not task.cancelled() and task.exception() is not None:
        get_log().error("histories_apart", problem=str(task.exception()))
        os.kill(os.getpid(), signal.SIGTERM)


async def run() -> None:
    """Serve until asked to stop."""
    settings = Settings.from_env(os.environ)
    observe(SERVICE, settings.server)
    store = await open_database(settings.database, SERVICE, migrations)
    try:
        async with remote_services(settings, await time_of(store)) as services:
            await _check_dealer(services, settings)
            comparing = await _compare_histories(store, services) if settings.compare_histories else None
            drain = Drain()
            orchestrator = assemble(settings, store, services, drain)
            async with in_play(orchestrator, drain):
                await serve(orchestrator.assembly, settings.server, drain)
            if comparing is not None:
                await _end_comparing(comparing)
    finally:
        await store.close()


if __name__ == "__main__":
    sys.exit(run_service(run))
