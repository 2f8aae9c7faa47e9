"""Were tables even? The public stream says in which order players sat down, moved and left, and hands were booked."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb

UNEVEN: Final = 2


@dataclass(slots=True)
class Seats:
    """Who sits where, event by event; the director decided on each hand at some moment since the table's last one."""

    tables: dict[str, str] = field(default_factory=dict[str, str])
    """Table of each player who is left."""
    counts: dict[str, int] = field(default_factory=dict[str, int])
    least_uneven: defaultdict[str, int] = field(default_factory=lambda: defaultdict(lambda: 99))
    """How many players more than the smallest a table had at its most even moment since its last hand."""
    most_uneven: int = 0
    """The same of all hands that were dealt, the worst one."""
    faults: list[str] = field(default_factory=list[str])
    in_round: bool = False

    def take(self, event: pb.TournamentEvent) -> None:
        """One event."""
        match event.WhichOneof("event"):
            case "tournament_began":
                for seat in event.tournament_began.seats:
                    self._sit(seat.player_id, seat.table_id)
            case "seat_changed":
                self._sit(event.seat_changed.player_id, event.seat_changed.to.table_id)
            case "player_out":
                self.counts[self.tables.pop(event.player_out.player_id)] -= 1
            case "table_broken":
                del self.counts[event.table_broken.table_id]
            case "hand_for_hand_round_began" | "hand_for_hand_round_ended" as what:
                self.in_round = what.endswith("began")
            case "hand_played":
                self._dealt(event.hand_played.table_id, event.hand_played.hand_number)
            case _:
                pass
        self._look()

    def _sit(self, player_id: str, table_id: str) -> None:
        before = self.tables.get(player_id)
        if before is not None:
            self.counts[before] -= 1
        self.tables[player_id] = table_id
        self.counts[table_id] = self.counts.get(table_id, 0) + 1

    def _look(self) -> None:
        least = min(self.counts.values(), default=0)
        for table_id, count in self.counts.items():
            self.least_uneven[table_id] = min(self.least_uneven[table_id], count - least)

    def _dealt(self, table_id: str, hand_number: int) -> None:
        """At most one player more than any other, but while all play hand for hand: moves wait then (rule 186)."""
        over = self.least_uneven.pop(table_id)
        if not self.in_round:
            self.most_uneven = max(self.most_uneven, over)
            if over >= UNEVEN:
                self.faults.append(f"{table_id} was dealt hand {hand_number} with {over} players more than another")


def journal_counts(facts: list[tuple[str, dict[str, str]]]) -> Counter[str]:
    """What a tournament's journal tells of, counted; purchases by their kind."""
    return Counter(fact["kind"] if name == "ChipsPurchased" else name for name, fact in facts)
