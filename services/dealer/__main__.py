"""The dealer as a process: ``python -m services.dealer``; with ``collect``, decks for a test laboratory."""

import asyncio
import os
import sys
import time

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
from shared.storage.database import Store, is_lost
from shared.storage.opening import open_database, watched

ABANDONED_SECONDS = 60.0
"""No shuffle takes so long from its seed to its hand."""


async def assemble(
    settings: Settings, store: Store, entropy: Entropy | None = None, clock: Clock | None = None
) -> Assembly:
    """The dealer over an open store, ready to be served; StoreRefused where hands in play cannot be opened."""
    entropy, clock = entropy or SystemEntropy(), clock or SteadyClock()
    registry = new_registry()
    store = watched(store, registry)
    streets = DealtStreets(settings.street_silence_seconds, time.monotonic)
    witness = DealerMetrics(registry, get_log(), streets)
    vault = Vault(settings.keys or load_key_file(settings.key_file), entropy)
    hands = StoredHands(store, vault)
    await hands.check_keys()
    book = await _shuffle_book(StoredShuffles(store, entropy), witness, shared=store.shared)
    shuffles = Shuffles(book, entropy, witness)
    use_cases = UseCases(
        open_hands=OpenHands(hands, shuffles, clock, witness, scripted_decks=settings.scripted_decks),
        hands=Hands(hands, clock, witness, LiveWatch(StoredWatch(store, vault, get_log()), witness)),
        proofs=Proofs(hands, witness),
        lots=LotDraws(StoredDraws(store), shuffles, clock, witness),
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


async def run() -> None:
    """Serve until asked to stop."""
    settings = Settings.from_env(os.environ)
    observe("dealer", settings.server)
    if settings.scripted_decks:
        get_log().warning(
            "scripted_decks_allowed", meaning="cards can be chosen beforehand: for replays and tests only"
        )
    store = await open_database(settings.database, "dealer", migrations)
    abandoned = asyncio.create_task(_void_abandoned(store), name="void abandoned shuffles")
    try:
        await serve(await assemble(settings, store), settings.server)
    finally:
        abandoned.cancel()
        await asyncio.gather(abandoned, return_exceptions=True)
        await store.close()


async def _void_abandoned(store: Store) -> None:
    """With other dealers on the database, what one that is gone left half-way is voided a while after a start."""
    if store.shared:
        count = await StoredShuffles(store).void_abandoned(ABANDONED_SECONDS)
        if count:
            get_log().warning("shuffles_cut_off", count=count)


if __name__ == "__main__":
    if sys.argv[1:2] == ["collect"]:
        sys.exit(collect(sys.argv[2:], sys.stdout.buffer))
    sys.exit(run_service(run))
