"""F19: the live watch is silent over fair hands, and the drill with an ace moved to seat 1 in 1 % of hands fires."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from prometheus_client import CollectorRegistry

from services.dealer.adapters.system import SystemEntropy
from services.dealer.adapters.vault import Vault
from services.dealer.adapters.watch_book import StoredWatch
from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.application.live_watch import LiveWatch
from services.dealer.domain.commitment import fix_deck
from services.dealer.domain.live_watch import Figure
from services.dealer.domain.sealing_keys import SealingKeys
from services.dealer.domain.stream import byte_stream
from services.dealer.metrics import DealerMetrics
from shared.kernel.cards import Card
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.storage.database import Store
from tests.batteries.progress import Progress
from tests.fairness.battery.faulty_shuffles import AS_PLANNED, STRONG, Strength, ace_to_seat_one
from tests.fairness.battery.rows import Row, Sizes, row
from tests.fairness.battery.sealing import a_key, a_store
from tests.support.dealer_hands import a_command

HANDS = 100_000
Deck = tuple[Card, ...]


class Drill:
    """The watch of a dealer over a real database, its counts as its metrics give them."""

    def __init__(self, store: Store) -> None:
        """Nothing is counted yet."""
        self.registry: CollectorRegistry = new_registry()
        log = get_log()
        witness = DealerMetrics(self.registry, log, DealtStreets(60.0, time.monotonic))
        self.watch = LiveWatch(StoredWatch(store, Vault(SealingKeys({"key": a_key()})), log), witness)

    def figure(self, name: str) -> float:
        """A gauge."""
        return self.registry.get_sample_value(f"sevenstud_dealer_{name}") or 0.0

    @property
    def alarms(self) -> int:
        """Looks with an alarm, by any figure."""
        name = "sevenstud_dealer_watch_alarms_total"
        return sum(int(self.registry.get_sample_value(name, {"figure": str(each)}) or 0) for each in Figure)

    async def run(self, name: str, hands: int, deck: Callable[[int], Deck]) -> int:
        """So many decks, or as many as it takes to an alarm: how many."""
        progress = Progress(f"F19, {name}", hands)
        for number in range(hands):
            await self.watch.count(deck(number))
            progress.add(1)
            if self.alarms:
                return number + 1
        progress.finish()
        return hands


def fair_deck(number: int) -> Deck:
    """A deck as OpenHand fixes it."""
    terms = replace(a_command(8).terms(), hand_id=f"hand-{number}", hand_number=number + 1)
    return fix_deck(terms, SystemEntropy().seed(), ()).cards


def moved_ace(strength: Strength) -> Callable[[int], Deck]:
    """Decks of a dealer with that fault."""
    source = byte_stream(SystemEntropy().seed(), b"deck")
    return lambda _: tuple(Card(each + 1) for each in ace_to_seat_one(strength, range(52), source))


async def drills(hands: int, strength: Strength) -> Iterator[Row]:
    """One dealer that is fair, one that is not."""
    async with a_store() as store:
        drill = Drill(store)
        await drill.run("fair decks", hands, fair_deck)
        seen = f"{drill.alarms} in {drill.figure('watch_hands'):,.0f} decks"
        figures = f"{drill.figure('watch_card_by_position'):.0f}, {drill.figure('watch_furthest_cell'):.1f}"
        fair = row("F19", "alarms of the live watch, fair decks", "0", f"{seen} ({figures})", holds=drill.alarms == 0)
    async with a_store() as store:
        drill = Drill(store)
        after = await drill.run("drill", hands, moved_ace(strength))
        found = f"after {after:,}" if drill.alarms else "none"
        name = f"drill: ace to seat 1 in {strength.ace_percent} % of decks"
        return iter((fair, row("F19", name, f"an alarm by {hands:,}", found, holds=drill.alarms > 0)))


def rows(sizes: Sizes) -> Iterator[Row]:
    """A row for the fair dealer, one for the drill."""
    strength = AS_PLANNED if sizes.share == 1 else STRONG
    yield from asyncio.run(drills(sizes.of(HANDS, least=5_000), strength))
