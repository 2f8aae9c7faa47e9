"""Tournaments over several tables for tests of the ledger's rules: built with the domain alone, no server."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.tournament_ledger.domain.facts import HandRecorded, HandResult, SeatAssignment
from services.tournament_ledger.domain.hand_for_hand import end_round
from services.tournament_ledger.domain.hands import record_hand
from services.tournament_ledger.domain.registration import register
from services.tournament_ledger.domain.rounds import record_lots, start_round
from services.tournament_ledger.domain.sheets import open_sheet
from services.tournament_ledger.domain.start import start_play
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.rules import TournamentRules
from tests.support.ledger_events import RICH, Event

Tables = Mapping[str, str]
"""Players of each table, one letter each."""


class Tournament(Event):
    """A tournament at as many tables as it takes."""

    def __init__(self, rules: TournamentRules, fee_minor: int = 1000, seats_per_table: int = 8) -> None:
        super().__init__(rules, fee_minor)
        terms = replace(self.state.announcement, entrants_max=64, seats_per_table=seats_per_table)
        self.state = replace(self.state, announcement=terms)

    def begin_at(self, tables: Tables) -> "Tournament":
        for player_id in "".join(tables.values()):
            steps = self.steps()
            register(steps, player_id, RICH)
            self.keep(steps)
        steps = self.steps()
        start_play(steps, assignments(tables), "draw")
        self.keep(steps)
        return self

    def sheet_of(self, table_id: str) -> dict[str, int]:
        steps = self.steps()
        open_sheet(steps, table_id, self.state.tables[table_id].hand_number + 1)
        self.keep(steps)
        return {line.player_id: line.chips for line in self.state.tables[table_id].sheet}

    def hand_at(self, table_id: str, round_number: int = 0, **after: int) -> list[Draft]:
        """Play a hand of a table that ends with these stacks; who is not named keeps the chips."""
        return self.record_at(table_id, self.sheet_of(table_id), after, round_number)

    def record_at(
        self, table_id: str, sheet: Mapping[str, int], after: Mapping[str, int], round_number: int = 0
    ) -> list[Draft]:
        number = self.state.tables[table_id].hand_number + 1
        values: dict[str, Any] = {"rake_chips": 0, "street_reached": None, "feats": (), "voided": False}
        hand = HandRecorded(
            hand_id=f"{table_id}-{number}",
            table_id=table_id,
            hand_number=number,
            results=tuple(HandResult(name, chips, after.get(name, chips)) for name, chips in sheet.items() if chips),
            hand_for_hand_round=round_number or None,
            **values,
        )
        steps = self.steps()
        record_hand(steps, hand)
        return self.keep(steps)

    def end_hand_for_hand(self, number: int) -> list[Draft]:
        steps = self.steps()
        end_round(steps, number)
        return self.keep(steps)

    def lots(self, table_id: str, *drawn: str) -> list[Draft]:
        steps = self.steps()
        record_lots(steps, table_id, drawn, "lots")
        return self.keep(steps)

    def next_round(self, tables: Tables) -> list[Draft]:
        steps = self.steps()
        start_round(steps, self.state.round + 1, assignments(tables), "draw")
        return self.keep(steps)


def assignments(tables: Tables) -> Sequence[SeatAssignment]:
    """Seats from 1 on, in the order of the letters."""
    return [
        SeatAssignment(player_id, table_id, seat)
        for table_id, players in tables.items()
        for seat, player_id in enumerate(players, start=1)
    ]
