"""F17: what was sealed opens for its own hand alone and unchanged, and keys rotate in the middle of hands."""

import asyncio
import secrets
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from services.dealer.adapters import migrations
from services.dealer.adapters.hand_store import StoredHands
from services.dealer.adapters.shuffle_book import StoredShuffles
from services.dealer.adapters.system import SystemEntropy
from services.dealer.adapters.vault import NONCE_SIZE, SealBroken, Vault
from services.dealer.adapters.watch_book import StoredWatch
from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.application.hands import Hands
from services.dealer.application.live_watch import LiveWatch
from services.dealer.application.open_hand import OpenHands
from services.dealer.application.shuffles import Shuffles
from services.dealer.domain.hand import STREETS
from services.dealer.domain.sealing_keys import KEY_SIZE, SealingKeys
from services.dealer.metrics import DealerMetrics
from shared.kernel.cards import Card
from shared.observability.clock import SteadyClock
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.storage.database import Store
from shared.storage.sqlite import open_store
from tests.batteries.progress import Progress
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, row
from tests.support.dealer_calls import fresh
from tests.support.dealer_hands import a_command

TOKENS = 1_500
"""Of 70 bytes each: more than 10^5 changed bytes."""
NONCES = 1_000_000
ROTATIONS = 1_000
IN_PLAY = 3
"""Hands in play at any time."""
PLAIN = bytes(range(36))
"""As long as the secrets of a hand."""


def a_key() -> bytes:
    """A sealing key."""
    return secrets.token_bytes(KEY_SIZE)


def opens(vault: Vault, hand_id: str, sealed: bytes) -> bool:
    """The vault opens it."""
    try:
        return vault.open(hand_id, sealed) is not None
    except SealBroken:
        return False


def flip(first: int, count: int) -> tuple[int, int, int]:
    """Every byte of some tokens changed, each token offered for another hand: tried, opened, opened unchanged."""
    vault, tried, opened, whole = Vault(SealingKeys({"key": a_key()})), 0, 0, 0
    for number in range(first, first + count):
        sealed = vault.seal(f"hand-{number}", PLAIN)
        whole += opens(vault, f"hand-{number}", sealed)
        opened += opens(vault, f"hand-{number + 1}", sealed)
        for at in range(len(sealed)):
            changed = sealed[:at] + bytes((sealed[at] ^ 1 << number % 8,)) + sealed[at + 1 :]
            opened += opens(vault, f"hand-{number}", changed)
        tried += 1 + len(sealed)
    return tried, opened, whole


def nonces(first: int, count: int) -> bytes:
    """Nonces of seals, one after another."""
    vault = Vault(SealingKeys({"k": a_key()}))
    del first
    return b"".join(vault.seal("hand", b"")[3 : 3 + NONCE_SIZE] for _ in range(count))


# --- rotation ------------------------------------------------------------------------------------


@dataclass(slots=True)
class InPlay:
    """A hand in play, and what was dealt of it."""

    hand_id: str
    streets: int = 0
    dealt: tuple[Card, ...] = ()


class Rotating:
    """A dealer whose key ring changes again and again over the same database."""

    def __init__(self, store: Store) -> None:
        """Begin with one key."""
        self.store = store
        self.keys = {"key-0": a_key()}
        self.opened = self.lost = self.moved = 0
        self.playing: list[InPlay] = []
        self.witness = DealerMetrics(new_registry(), get_log(), DealtStreets(60.0, time.monotonic))

    async def rotate(self, number: int) -> None:
        """A new current key; keys no hand in play is sealed under are thrown away, as an operator may."""
        kept = list(self.keys.items())[: len(STREETS)]
        self.keys = {f"key-{number}": a_key(), **dict(kept)}
        vault = Vault(SealingKeys(self.keys))
        hands = StoredHands(self.store, vault)
        await hands.check_keys()
        clock = SteadyClock()
        shuffles = Shuffles(StoredShuffles(self.store), SystemEntropy(), self.witness)
        opening = OpenHands(hands, shuffles, clock, self.witness, scripted_decks=False)
        self.moved += len(self.playing)
        watch = LiveWatch(StoredWatch(self.store, vault, get_log()), self.witness)
        await self.go_on(Hands(hands, clock, self.witness, watch))
        if len(self.playing) < IN_PLAY:
            await self.open(opening)

    async def open(self, opening: OpenHands) -> None:
        """One hand more in play."""
        self.opened += 1
        hand_id = f"hand-{self.opened}"
        await opening.open_hand(fresh(), replace(a_command(3), hand_id=hand_id, hand_number=self.opened))
        self.playing.append(InPlay(hand_id))

    async def go_on(self, hands: Hands) -> None:
        """A street for every hand in play; at the river its hands must be what was dealt under all the keys before."""
        for hand in list(self.playing):
            street = await hands.deal_street(fresh(), hand.hand_id, STREETS[hand.streets], (1, 2, 3))
            hand.dealt += tuple(card for seat in street.dealt for card in (*seat.down_cards, *seat.up_cards))
            hand.streets += 1
            if hand.streets == len(STREETS):
                shown, _ = await hands.open_cards(fresh(), hand.hand_id, (1, 2, 3))
                self.lost += sorted(card for seat in shown for card in seat.cards) != sorted(hand.dealt)
                await hands.close_hand(fresh(), hand.hand_id)
                self.playing.remove(hand)


@asynccontextmanager
async def a_store() -> AsyncGenerator[Store]:
    """A database of a dealer in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        store = await open_store(str(Path(folder) / "dealer.sqlite"), "dealer", migrations)
        try:
            yield store
        finally:
            await store.close()


async def rotated(rotations: int) -> Rotating:
    """So many rotations, each with hands in the middle of their play."""
    progress = Progress("F17, key rotations in the middle of hands", rotations)
    async with a_store() as store:
        dealer = Rotating(store)
        for number in range(1, rotations + 2):
            await dealer.rotate(number)
            progress.add(1)
    progress.finish()
    return dealer


def rows(sizes: Sizes) -> Iterator[Row]:
    """Changed tokens, nonces, rotations."""
    tokens = sizes.of(TOKENS)
    parts = list(in_portions("F17, tokens", flip, tokens, 50))
    tried, opened, whole = (sum(column) for column in zip(*parts, strict=True))
    name = f"sealed bytes changed or offered for another hand, {tokens:,} tokens"
    yield row("F17", name, "0 open", f"{opened} of {tried:,}", holds=opened == 0 and whole == tokens)
    count = sizes.of(NONCES)
    drawn = b"".join(in_portions("F17, nonces", nonces, count, 10_000))
    different = len({drawn[at : at + NONCE_SIZE] for at in range(0, len(drawn), NONCE_SIZE)})
    yield row("F17", "nonces, all different", f"{count:,}", f"{different:,}", holds=different == count)
    rotations = sizes.of(ROTATIONS, least=20)
    dealer = asyncio.run(rotated(rotations))
    name = f"{rotations:,} key rotations, {dealer.moved:,} times in the middle of one of {dealer.opened:,} hands"
    yield row("F17", name, "0 hands lost", str(dealer.lost), holds=dealer.lost == 0 and dealer.moved >= rotations)
