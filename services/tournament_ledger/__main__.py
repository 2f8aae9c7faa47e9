"""The tournament ledger as a process: ``python -m services.tournament_ledger``."""

import asyncio
import os
import sys
from dataclasses import dataclass

from services.tournament_ledger.adapters import migrations
from services.tournament_ledger.adapters.housekeeping import keep_house
from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.adapters.reports import StoredReports
from services.tournament_ledger.application.audit import Audit
from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.cash import CashTables
from services.tournament_ledger.application.changes_made import PER_MINUTE_MAX
from services.tournament_ledger.application.chores import Chores
from services.tournament_ledger.application.deals import Deals
from services.tournament_ledger.application.feed import QUEUE_MAX, Feed
from services.tournament_ledger.application.play import Play
from services.tournament_ledger.application.queries import Queries
from services.tournament_ledger.application.tournaments import Tournaments
from services.tournament_ledger.application.wallets import Wallets
from services.tournament_ledger.metrics import LedgerMetrics
from services.tournament_ledger.ports import Clock
from services.tournament_ledger.rpc.rights import RIGHTS
from services.tournament_ledger.rpc.servicer import REQUEST_BYTES_MAX, LedgerServicer, servable
from services.tournament_ledger.rpc.use_cases import UseCases
from services.tournament_ledger.settings import Settings
from shared.observability.clock import SteadyClock
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.rpc.drain import Drain
from shared.rpc.main import observe, run_service
from shared.rpc.server import Assembly, serve
from shared.storage.database import Store, is_lost
from shared.storage.moment import time_of
from shared.storage.opening import open_database, watched


@dataclass(frozen=True, slots=True)
class Assembled:
    """The ledger over an open store, ready to be served."""

    assembly: Assembly
    chores: Chores


def assemble(settings: Settings, store: Store, drain: Drain, clock: Clock | None = None) -> Assembled:
    """Put the ledger together."""
    registry = new_registry()
    store = watched(store, registry)
    witness = LedgerMetrics(registry, get_log())
    books, reports, feed = StoredBooks(store), StoredReports(store), Feed(settings.watchers_max)
    if store.shared:
        feed.share(reports)
        store.heed(feed.heard)
    keeper = Bookkeeper(books, clock or SteadyClock(), witness, feed, shared=store.shared)
    audit = Audit(books, reports, witness)
    use_cases = UseCases(
        wallets=Wallets(keeper, settings.quotas),
        tournaments=Tournaments(keeper, settings.quotas),
        play=Play(keeper),
        deals=Deals(keeper),
        cash=CashTables(keeper),
        queries=Queries(keeper, reports),
        audit=audit,
        feed=feed,
        books=books,
        reports=reports,
    )
    limits = {
        "watchers_max": settings.watchers_max,
        "watch_queue_max": QUEUE_MAX,
        "answers_kept_days": settings.answers_kept.days,
        "wallets_per_player_max": settings.quotas.wallets_per_player_max,
        "holds_per_wallet_max": settings.quotas.holds_per_wallet_max,
        "tournaments_open_max": settings.quotas.tournaments_open_max,
        "changes_per_minute_max": PER_MINUTE_MAX,
    }
    servicer = LedgerServicer(use_cases, drain, limits)
    assembly = Assembly(
        service="tournament_ledger",
        servables=(servable(servicer),),
        rights=RIGHTS,
        request_bytes_max=REQUEST_BYTES_MAX,
        registry=registry,
        ready=lambda: store.sound,
        lost=lambda: is_lost(store),
    )
    return Assembled(assembly, Chores(keeper, reports, audit))


async def run() -> None:
    """Serve until asked to stop."""
    settings = Settings.from_env(os.environ)
    observe("tournament_ledger", settings.server)
    store = await open_database(settings.database, "tournament_ledger", migrations)
    try:
        drain = Drain()
        assembled = assemble(settings, store, drain, SteadyClock(await time_of(store)))
        house = asyncio.create_task(
            keep_house(assembled.chores, settings.chores_seconds, settings.answers_kept), name="housekeeping"
        )
        try:
            await serve(assembled.assembly, settings.server, drain)
        finally:
            house.cancel()
            await asyncio.gather(house, return_exceptions=True)
    finally:
        await store.close()


if __name__ == "__main__":
    sys.exit(run_service(run))
