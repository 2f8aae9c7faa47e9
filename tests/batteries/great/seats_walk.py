"""Were tables even? The exported journal says in which order players were seated, moved, placed and dealt in."""

import json
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tests.audit.walk import facts_of, items, micros

UNEVEN: Final = 2
KNOWN_AFTER_MICROS: Final = 5_000_000
"""A table whose hand was decided on before another one lost a player may still begin it; so long later it may not."""


@dataclass(slots=True)
class Floor:
    """Who sits where, entry by entry."""

    tournament_id: str
    tables: dict[str, str] = field(default_factory=dict[str, str])
    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    smallest: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    """Players at the smallest table, with the moment from which on it was so."""
    sheets: int = 0
    moves: int = 0
    hands: int = 0
    rebuys: int = 0
    add_ons: int = 0
    returned: int = 0
    rounds: int = 0
    most_uneven: int = 0
    faults: list[str] = field(default_factory=list[str])
    in_round: bool = False

    def take(self, line: str) -> None:
        """One entry of the journal."""
        entry = json.loads(line)
        if entry["book"] != f"tournament:{self.tournament_id}":
            return
        at = micros(entry["at"])
        for name, fact in facts_of(entry.get("subject", "")):
            self._fact(name, fact, at)
        least = min(self.counts.values(), default=0)
        if not self.smallest or self.smallest[-1][1] != least:
            self.smallest.append((at, least))

    def _fact(self, name: str, fact: dict[str, str], at: int) -> None:
        match name:
            case "SeatsDrawn":
                for seat in items(fact, "seats"):
                    self._sit(seat["player_id"], seat["table_id"])
            case "PlayerMoved":
                self.moves += 1
                self._sit(fact["player_id"], fact["table_id"])
            case "PlayerPlaced":
                self._rise(fact["player_id"])
            case "SheetOpened":
                self._dealt(fact["table_id"], int(fact["hand_number"]), at)
            case _:
                self._count(name, fact)

    def _count(self, name: str, fact: dict[str, str]) -> None:
        match name:
            case "ChipsPurchased":
                self.rebuys += fact["kind"] == "REBUY"
                self.add_ons += fact["kind"] == "ADD_ON"
            case "PurchaseReturned":
                self.returned += 1
            case "HandRecorded":
                self.hands += 1
                self.in_round = int(fact.get("hand_for_hand_round", 0)) > 0
            case "HandForHandRoundEnded":
                self.rounds += 1
                self.in_round = False
            case _:
                pass

    def _sit(self, player_id: str, table_id: str) -> None:
        self._rise(player_id)
        self.tables[player_id] = table_id
        self.counts[table_id] += 1

    def _rise(self, player_id: str) -> None:
        table_id = self.tables.pop(player_id, "")
        if table_id:
            self.counts[table_id] -= 1
            if not self.counts[table_id]:
                del self.counts[table_id]

    def _dealt(self, table_id: str, hand_number: int, at: int) -> None:
        """A table begins a hand: at most one player more than any other, but while all play hand for hand."""
        self.sheets += 1
        while len(self.smallest) > 1 and self.smallest[1][0] < at - KNOWN_AFTER_MICROS:
            self.smallest.popleft()
        least = max((count for _, count in self.smallest), default=0)
        over = self.counts[table_id] - max(least, min(self.counts.values(), default=0))
        self.most_uneven = max(self.most_uneven, over)
        if over >= UNEVEN and not self.in_round:
            self.faults.append(f"table {table_id} began hand {hand_number} with {over} players more than another")


def walk_seats(tournament_id: str, lines: Iterable[str]) -> Floor:
    """All of the journal."""
    floor = Floor(tournament_id)
    for line in lines:
        floor.take(line)
    return floor
