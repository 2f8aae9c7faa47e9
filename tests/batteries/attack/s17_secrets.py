"""S17: hands played with errors all the while, everything logged; then cards, keys and tokens looked for everywhere."""

import asyncio
import base64
import re
import sqlite3
import tempfile
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from sevenstud.common.v1.betting_pb2 import ACTION_KIND_CHECK
from sevenstud.common.v1.card_pb2 import CARD_FACE_DOWN
from sevenstud.common.v1.card_pb2 import Card as CardEnum
from sevenstud.orchestrator.stored.v1 import table_event_pb2 as stored
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from shared.kernel.cards import parse_cards
from shared.rpc.identity import AUTHORIZATION_HEADER
from tests.batteries.attack.house import SERVICES, House, house
from tests.batteries.attack.play import Table, anyhow, hands_of, open_table, play
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import fresh

KEY = bytes.fromhex("c0ffee5eed" * 6 + "4b1d")
TOKEN = "canary-token-5f0c2a9e.b7d1.e6"
HANDS_A_TABLE, TABLES_AT_ONCE = 25, 4
CARD_TEXTS = re.compile(
    r"(?<![0-9A-Za-z+/=_-])[2-9TJQKA][cdhs](?![0-9A-Za-z+/=_-])|CARD_[A-Z]+_OF_[A-Z]+|[2-9TJQKA][\u2660-\u2667]"
    r"|[\U0001f0a1-\U0001f0de]|\b(?:[2-9TJQKA][cdhs]){2,7}\b"
)
"""Every way in which the product writes a card for people or machines: As, CARD_ACE_OF_SPADES, A\u2660, AsKd."""
IDENTIFIERS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}")
"""Request ids and hashes, in whose letters a card may seem to stand (5c, 9d)."""
CARD_FIELDS = re.compile(r'"[a-z_]*(?:cards?|deck|stub|burned|seed|salt)": (?!"\(hidden\)"|null)[^,}]*', re.IGNORECASE)
"""A value in a log line under a name for cards or their seeds that was not hidden."""
HARMLESS = re.compile(r'"(?:scripted_decks?|burned_count)"')


@dataclass
class Searched:
    """What was looked through, and what was found."""

    hands: int = 0
    errors: int = 0
    characters: int = 0
    stored_hands: int = 0
    exports: int = 0
    faults: list[str] = field(default_factory=list[str])

    def text(self, where: str, content: str) -> None:
        """No card, no key, no token in a text."""
        self.characters += len(content)
        plain = IDENTIFIERS.sub("", content)
        for found in CARD_TEXTS.finditer(plain):
            self.faults.append(f"{where}: a card in {plain[max(0, found.start() - 80) : found.end() + 20]!r}")
        for name, form in secrets().items():
            if form in content:
                self.faults.append(f"{where}: {name}")

    def log(self, where: str, content: str) -> None:
        """A log: also no value under a name for cards."""
        self.text(where, content)
        for found in CARD_FIELDS.finditer(content):
            if not HARMLESS.match(found.group()):
                self.faults.append(f"{where}: {found.group()[:120]}")

    def raw(self, where: str, content: bytes) -> None:
        """A file as whoever stole it reads it: no key, no token."""
        self.characters += len(content)
        for name, form in (("key", KEY), *((name, form.encode()) for name, form in secrets().items())):
            if form in content:
                self.faults.append(f"{where}: {name}")


def secrets() -> Mapping[str, str]:
    """Key and token in the forms in which somebody could have written them."""
    forms = {"key in hex": KEY.hex(), "key in base64": base64.b64encode(KEY).decode().rstrip("="), "token": TOKEN}
    return forms | {"key as bytes": repr(KEY)[2:-1]}


class Room:
    """Tables at which nothing goes smoothly."""

    def __init__(self, running: House, searched: Searched) -> None:
        self._running = running
        self._searched = searched

    async def table(self, number: int, hands: int) -> None:
        """One table, its hands, and what of them is stored and exported."""
        players = [f"guest-{number}-{seat}" for seat in range(2 + number % 5)]
        table = await open_table(self._running, players, hands, f"room-{number}")
        rng = Random(f"secrets {number}")

        async def look(turn: table_pb2.Turn) -> None:
            if rng.random() < 0.3:
                await self._provoke(table, turn, rng)

        await play(table, hands, anyhow(rng, 0.15), look)
        for hand_id, events in hands_of(table.events).items():
            self._searched.hands += 1
            await self._export(hand_id, events)

    async def _provoke(self, table: Table, turn: table_pb2.Turn, rng: Random) -> None:
        """Something that is refused; the refusal is looked through."""
        channel = await self._running.raw_channel("orchestrator")
        act: Any = channel.unary_unary("/sevenstud.orchestrator.v1.TableService/Act")
        deal: Any = (await self._running.raw_channel("dealer")).unary_unary(
            "/sevenstud.dealer.v1.DealerService/RevealForRanking"
        )
        good = pb.ActRequest(
            request_id=fresh(), table_id=table.table_id, player_id=turn.player_id, turn_id=turn.turn_id + 1
        )
        good.kind = ACTION_KIND_CHECK
        content = good.SerializeToString()
        calls: tuple[Awaitable[object], ...] = (
            act(content, metadata=[(AUTHORIZATION_HEADER, f"Bearer {TOKEN}")], timeout=30),
            act(content[:-3], metadata=[(AUTHORIZATION_HEADER, "Bearer dev:backend:x")], timeout=30),
            act(content, metadata=[(AUTHORIZATION_HEADER, "Bearer dev:backend:x")], timeout=30),
            deal(b"\x0a\x01x", metadata=[(AUTHORIZATION_HEADER, "Bearer dev:service:x")], timeout=30),
            deal(b"", metadata=[(AUTHORIZATION_HEADER, "Bearer dev:operator:x")], timeout=30),
        )
        chosen = rng.randrange(len(calls))
        for at, call in enumerate(calls):
            if at != chosen:
                getattr(call, "cancel", lambda: None)()
        try:
            await calls[chosen]
            self._searched.faults.append(f"a wrong call was answered: number {chosen}")
        except grpc.aio.AioRpcError as error:
            self._searched.errors += 1
            metadata = dict(list(error.trailing_metadata()))
            self._searched.text("a refusal", f"{error.details()} {metadata!r}")

    async def _export(self, hand_id: str, events: list[TableEvent]) -> None:
        """What a spectator may export holds no card that was not public."""
        found = await self._running.tables.GetHand(pb.GetHandRequest(hand_id=hand_id, phh=True))
        public = set(cards_in_all(events))
        told = {int(card) for word in re.findall(r"(?:[2-9TJQKA][cdhs])+", found.phh) for card in parse_cards(word)}
        self._searched.exports += 1
        if told - public:
            self._searched.faults.append(f"the export of {hand_id} has cards that were never shown")
        if set(cards_in_all(found.events)) - public:
            self._searched.faults.append(f"the history of {hand_id} has cards that were never shown")
        PUBLIC[hand_id] = public


PUBLIC: dict[str, set[int]] = {}


def cards_in_all(messages: Iterator[Message] | list[TableEvent] | Any) -> Iterator[int]:
    """Every card in some messages, face-down ones left out."""
    for each in messages:
        yield from cards_in(each)


def cards_in(message: Message) -> Iterator[int]:
    """Every card in a message, by its type."""
    for each, value in message.ListFields():
        values = value if each.is_repeated else [value]
        if each.message_type is not None:
            yield from cards_in_all(values)
        elif each.enum_type is CardEnum.DESCRIPTOR:
            yield from (card for card in values if card != CARD_FACE_DOWN)


def search_database(searched: Searched, folder: Path) -> None:
    """What the orchestrator stores of a hand is public; texts and bytes of all databases hold no secret."""
    connection = sqlite3.connect(f"file:{folder / 'orchestrator.sqlite'}?mode=ro", uri=True)
    kept: dict[str, set[int]] = {}
    for (payload,) in connection.execute("SELECT payload FROM events"):
        fact = stored.TableFact.FromString(payload)
        kept.setdefault(hand_of(fact), set()).update(cards_in(fact))
    connection.close()
    for hand_id, cards in kept.items():
        searched.stored_hands += bool(hand_id)
        if cards - PUBLIC.get(hand_id, set()):
            searched.faults.append(f"hand {hand_id}: cards are stored that were never shown")
    for file in sorted(folder.glob("*.sqlite*")):
        searched.raw(file.name, file.read_bytes())
    for name in ("dealer", "tournament_ledger"):
        connection = sqlite3.connect(f"file:{folder / name}.sqlite?mode=ro", uri=True)
        searched.text(f"{name}.sqlite", "\n".join(_texts(connection)))
        connection.close()


def hand_of(fact: Message) -> str:
    """The hand that a stored fact belongs to."""
    return str(getattr(fact, "hand_id", ""))


def _texts(connection: sqlite3.Connection) -> Iterator[str]:
    """Every text of a database."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608  # names from the catalogue
            yield from (value for value in row if isinstance(value, str))


async def attack(hands: int) -> Searched:
    """Play, provoke, and look everywhere."""
    searched, progress = Searched(), Progress("S17", hands)
    with tempfile.TemporaryDirectory() as folder:
        dealer = {"KEYS": f"k1:{KEY.hex()}"}
        async with house(Path(folder), dealer=dealer) as running:
            room, gate = Room(running, searched), asyncio.Semaphore(TABLES_AT_ONCE)

            async def one(number: int, count: int) -> None:
                async with gate:
                    await room.table(number, count)
                    progress.add(count)

            sizes = [min(HANDS_A_TABLE, hands - at) for at in range(0, hands, HANDS_A_TABLE)]
            await asyncio.gather(*(one(number, size) for number, size in enumerate(sizes)))
            for name in SERVICES:
                searched.text(f"metrics of {name}", await running.metrics(name))
            entries = await running.auditor.ExportJournal(ledger_pb.ExportJournalRequest(book="wallets", page_size=500))
            for entry in entries.entries:
                entry.ClearField("hash")  # any bytes: written as text, two of them may look like a card
                entry.ClearField("previous_hash")
            searched.text("the journal", str(entries))
            for name, text in running.logs():
                searched.log(f"log of {name}", text)
        search_database(searched, Path(folder))
    progress.finish()
    return searched


def secrets_stay_secret(hands: int) -> Iterator[Row]:
    """Row S17."""
    PUBLIC.clear()
    searched = asyncio.run(attack(hands))
    for fault in searched.faults[:10]:
        print(f"  fault {fault[:400]}")
    yield judged(
        "S17",
        "10^3 hands with errors at DEBUG: cards, keys and tokens 0 times in logs, metrics, errors, exports, databases",
        f"{searched.hands:,} hands, {searched.errors:,} refusals provoked, {searched.characters:,} characters looked "
        f"through, {searched.exports:,} exports and {searched.stored_hands:,} stored hands against what was public: "
        f"{len(searched.faults)} found; traces are off here, so none were looked through",
        holds=not searched.faults and searched.errors > 0 and searched.stored_hands > 0,
    )
