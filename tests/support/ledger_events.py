"""Tournaments for tests of the ledger's rules: built with the domain alone, no server."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from services.tournament_ledger.domain.amounts import Money
from services.tournament_ledger.domain.announcement import Announcement, StartKind
from services.tournament_ledger.domain.facts import HandRecorded, HandResult, SeatAssignment, TournamentAnnounced
from services.tournament_ledger.domain.fold import announced
from services.tournament_ledger.domain.hands import record_hand
from services.tournament_ledger.domain.levels import record_level
from services.tournament_ledger.domain.registration import register
from services.tournament_ledger.domain.sheets import open_sheet
from services.tournament_ledger.domain.start import start_play
from services.tournament_ledger.domain.steps import Draft, Steps
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from shared.kernel.rules import TournamentRules
from shared.kernel.rules.presets import PRESETS

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
RICH = 10**9


def rules_with(**changes: Any) -> TournamentRules:
    """The regulated preset's tournament rules with some changed."""
    return replace(PRESETS["regulated_tournament"].tournament, **changes)


class Event:
    """A tournament at one table, on a clock that a test moves."""

    def __init__(self, rules: TournamentRules, fee_minor: int = 1000, bonus_fund_minor: int = 0) -> None:
        announcement = Announcement(
            name="Event",
            preset="regulated_tournament",
            overrides=b"",
            fee=Money(fee_minor, "EUR"),
            entrants_min=2,
            entrants_max=8,
            seats_per_table=8,
            start=StartKind.ON_COMMAND,
            starts_at=None,
            bonus_fund_minor=bonus_fund_minor,
        )
        full = replace(PRESETS["regulated_tournament"], tournament=rules)
        self.now = NOON
        self.state: Tournament = announced(TournamentAnnounced("event", announcement, full), NOON)
        self.hand_number = 0
        self.drafts: list[Draft] = []

    def steps(self) -> Steps:
        return Steps(self.state, self.now)

    def keep(self, steps: Steps) -> list[Draft]:
        self.state = steps.tournament
        self.drafts += steps.drafts
        self.now = max(self.now, steps.now)
        return steps.drafts

    def begin(self, *players: str) -> "Event":
        for player_id in players:
            steps = self.steps()
            register(steps, player_id, RICH)
            self.keep(steps)
        steps = self.steps()
        seats = [SeatAssignment(player_id, "T1", seat) for seat, player_id in enumerate(players, start=1)]
        start_play(steps, seats, "draw")
        self.keep(steps)
        return self

    def stacks(self, **chips: int) -> "Event":
        """Set stacks directly: the state before the hand that a case is about."""
        changed = {name: replace(self.state.entrants[name], chips=amount) for name, amount in chips.items()}
        self.state = replace(self.state, entrants={**self.state.entrants, **changed})
        return self

    def sheet(self) -> dict[str, int]:
        steps = self.steps()
        open_sheet(steps, "T1", self.hand_number + 1)
        self.keep(steps)
        table = self.state.tables["T1"]
        return {line.player_id: line.chips for line in table.sheet}

    def record(self, sheet: Mapping[str, int], after: Mapping[str, int], **more: Any) -> list[Draft]:
        self.hand_number += 1
        dealt = [name for name, chips in sheet.items() if chips]
        values: dict[str, Any] = {"rake_chips": 0, "street_reached": None, "feats": (), "voided": False}
        hand = HandRecorded(
            hand_id=f"h{self.hand_number}",
            table_id="T1",
            hand_number=self.hand_number,
            results=tuple(HandResult(name, sheet[name], after.get(name, sheet[name])) for name in dealt),
            **(values | more),
        )
        steps = self.steps()
        record_hand(steps, hand)
        return self.keep(steps)

    def hand(self, **after: int) -> list[Draft]:
        """Play a hand that ends with these stacks; who is not named keeps the chips."""
        return self.record(self.sheet(), after)

    def level(self, level: int) -> "Event":
        for number in range(self.state.level + 1, level + 1):
            steps = self.steps()
            record_level(steps, number)
            self.keep(steps)
        return self

    def wait(self, seconds: float) -> "Event":
        self.now += timedelta(seconds=seconds)
        return self

    def is_over(self) -> bool:
        return self.state.state is TournamentState.FINISHED

    def places(self) -> dict[str, int]:
        return {name: each.place for name, each in self.state.entrants.items() if each.place}

    def prizes(self) -> dict[str, int]:
        return {name: each.prize_minor for name, each in self.state.entrants.items() if each.prize_minor}


def placed(drafts: Sequence[Draft]) -> list[str]:
    """Kinds of the entries."""
    return [draft.kind.value for draft in drafts]
