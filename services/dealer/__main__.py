"""The dealer as a process: ``python -m services.dealer``; with ``collect``, decks for a test laboratory."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from services.dealer.adapters import migrations
from services.dealer.adapters.collect import collect
from services.dealer.adapters.draw_store import StoredDraws
from services.dealer.adapters.hand_store import StoredHands
from services.dealer.adapters.key_file import load_key_file
from services.dealer.adapters.shuffle_book import StoredShuffles
from services.dealer.adapters.system import SystemEntropy
from services.dealer.adapters.vault import Vault
from services.dealer.adapters.watch_book import StoredWatch
from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.application.hands import Hands
from services.dealer.application.live_watch import LiveWatch
from services.dealer.application.lots import LotDraws
from services.dealer.application.open_hand import OpenHands
from services.dealer.application.proofs import Proofs
from services.dealer.application.shuffles import Shuffles
from services.dealer.metrics import DealerMetrics
from services.dealer.ports import Clock, Entropy
from services.dealer.rpc.info import REQUEST_BYTES_MAX, dealer_info
from services.dealer.rpc.rights import RIGHTS
from services.dealer.rpc.servicer import DealerServicer, UseCases, servable
from services.dealer.settings import Settings
from shared.observability.clock import SteadyClock
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.rpc.main import observe, run_service
from shared.rpc.server import Assembly, serve
from shared.storage.database import Store, StoreError, is_lost
from shared.storage.moment import time_of
from shared.storage.opening import open_database, watched

ABANDONED_SECONDS = 60.0
"""No shuffle takes so long from its seed to its hand."""
LOOK_UP_SECONDS_MAX = 30.0
"""Between two looks at the hands that seem to lie still, with other dealers on the database."""


async def assemble(
    settings: Settings,
    store: Store,
    entropy: Entropy | None = None,
    clock: Clock | None = None,
    streets: DealtStreets | None = None,
) -> Assembly:
    """The dealer over an open store, ready to be served; StoreRefused where hands in play cannot be opened."""
    entropy, clock = entropy or SystemEntropy(), clock or SteadyClock()
    registry = new_registry()
    store = watched(store, registry)
    witness = DealerMetrics(registry, get_log(), streets or dealt_streets(settings, store))
    vault = Vault(settings.keys or load_key_file(settings.key_file), entropy)
    hands = StoredHands(store, vault)
    await hands.check_keys()
    book = await _shuffle_book(StoredShuffles(store, entropy), witness, shared=store.shared)
    shuffles = Shuffles(book, entropy, witness)
    use_cases = UseCases(
        open_hands=OpenHands(hands, shuffles, clock, witness, scripted_decks=settings.scripted_decks),
        hands=Hands(hands, clock, witness, LiveWatch(StoredWatch(store, vault, get_log()), witness)),
        proofs=Proofs(hands, witness),
        lots=LotDraws(StoredDraws(store, vault), shuffles, clock, witness),
    )
    servicer = DealerServicer(use_cases, dealer_info(scripted_decks=settings.scripted_decks))
    return Assembly(
        service="dealer",
        servables=(servable(servicer),),
        rights=RIGHTS,
        request_bytes_max=REQUEST_BYTES_MAX,
        registry=registry,
        ready=lambda: store.sound,
        lost=lambda: is_lost(store),
    )


async def _shuffle_book(book: StoredShuffles, witness: DealerMetrics, *, shared: bool) -> StoredShuffles:
    """The count of shuffles, with what the last process left half-way voided; with other dealers, see run().

    With other dealers each counts from its own start: the sum over all of them must not hold a shuffle twice.
    """
    if shared:
        return book
    cut_off = await book.void_cut_off()
    if cut_off:
        witness.shuffles_cut_off(cut_off)
    witness.go_on_from(await book.counts())
    return book


def dealt_streets(settings: Settings, store: Store) -> DealtStreets:
    """The streets that nothing followed yet."""
    return DealtStreets(settings.street_silence_seconds, time.monotonic, alone=not store.shared)


async def run() -> None:
    """Serve until asked to stop."""
    settings = Settings.from_env(os.environ)
    observe("dealer", settings.server)
    if settings.scripted_decks:
        get_log().warning(
            "scripted_decks_allowed", meaning="cards can be chosen beforehand: for replays and tests only"
        )
    store = await open_database(settings.database, "dealer", migrations)
    try:
        streets = dealt_streets(settings, store)
        assembly = await assemble(settings, store, clock=SteadyClock(await time_of(store)), streets=streets)
        async with among_other_dealers(settings, store, streets):
            await serve(assembly, settings.server)
    finally:
        await store.close()


@asynccontextmanager
async def among_other_dealers(settings: Settings, store: Store, streets: DealtStreets) -> AsyncGenerator[None, None]:
    """What has to be done now and then where others share the database; nothing where none can."""
    chores = (_void_abandoned(store), _look_up(settings, store, streets)) if store.shared else ()
    tasks = [asyncio.create_task(chore) for chore in chores]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _void_abandoned(store: Store) -> None:
    """What a dealer that is gone left half-way is voided a while after a start."""
    count = await StoredShuffles(store).void_abandoned(ABANDONED_SECONDS)
    if count:
        get_log().warning("shuffles_cut_off", count=count)


async def _look_up(settings: Settings, store: Store, streets: DealtStreets) -> None:
    """Streets that another dealer went on from are none that nothing followed."""
    hands = StoredHands(store, Vault(settings.keys or load_key_file(settings.key_file)))
    while True:
        await asyncio.sleep(min(settings.street_silence_seconds, LOOK_UP_SECONDS_MAX))
        with suppress(StoreError):  # away for a moment: next time
            await streets.look_up(hands)


if __name__ == "__main__":
    if sys.argv[1:2] == ["collect"]:
        sys.exit(collect(sys.argv[2:], sys.stdout.buffer))
    sys.exit(run_service(run))
