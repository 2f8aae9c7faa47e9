"""Play: what the director in the orchestrator tells and asks between hands."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import Call
from services.tournament_ledger.application.tournaments import Answer, change_tournament, check_version, the_tournament
from services.tournament_ledger.domain.closing import settle
from services.tournament_ledger.domain.directing import check_director, record_director
from services.tournament_ledger.domain.facts import HandRecorded, SeatAssignment
from services.tournament_ledger.domain.hand_for_hand import end_round
from services.tournament_ledger.domain.hands import record_hand
from services.tournament_ledger.domain.levels import record_level, record_move
from services.tournament_ledger.domain.rounds import record_lots, start_round
from services.tournament_ledger.domain.sheets import open_sheet, withdraw_sheet
from services.tournament_ledger.domain.standings import (
    hand_booked,
    lots_booked,
    round_booked,
    sheet_of,
    standing_of,
)
from services.tournament_ledger.domain.start import start_play
from services.tournament_ledger.domain.steps import Steps


class Play:
    """Use cases of a tournament in play."""

    def __init__(self, bookkeeper: Bookkeeper) -> None:
        """Book through this bookkeeper."""
        self._keeper = bookkeeper

    async def start_play(self, call: Call, tournament_id: str, seats: Sequence[SeatAssignment], draw_id: str) -> bytes:
        """End registration, issue chips, seat everybody."""
        return await self._change(call, tournament_id, lambda steps: start_play(steps, seats, draw_id), the_tournament)

    async def open_sheet(self, call: Call, tournament_id: str, table_id: str, hand_number: int) -> bytes:
        """Freeze what the next hand of a table starts from."""
        return await self._change(
            call,
            tournament_id,
            lambda steps: open_sheet(steps, table_id, hand_number),
            lambda steps: sheet_of(steps.tournament, table_id),
        )

    async def withdraw_sheet(
        self, call: Call, tournament_id: str, expected_version: int, table_id: str, hand_number: int
    ) -> bytes:
        """Let go what was frozen for a hand that is not dealt for now."""

        def rule(steps: Steps) -> None:
            check_version(steps.tournament, expected_version)
            withdraw_sheet(steps, table_id, hand_number)

        return await self._change(call, tournament_id, rule, _nothing)

    async def record_hand(self, call: Call, tournament_id: str, hand: HandRecorded) -> bytes:
        """Book a hand with everything that follows from it."""
        return await self._change(
            call,
            tournament_id,
            lambda steps: record_hand(steps, hand),
            lambda steps: hand_booked(steps.tournament, steps.drafts),
        )

    async def end_hand_for_hand_round(self, call: Call, tournament_id: str, number: int) -> bytes:
        """Rank the exclusions of a round as those of one hand."""
        return await self._change(
            call,
            tournament_id,
            lambda steps: end_round(steps, number),
            lambda steps: round_booked(steps.tournament, steps.drafts),
        )

    async def record_lots(
        self, call: Call, tournament_id: str, table_id: str, drawn: Sequence[str], draw_id: str
    ) -> bytes:
        """Let lots decide who of equal players reaches the next round."""
        return await self._change(
            call,
            tournament_id,
            lambda steps: record_lots(steps, table_id, drawn, draw_id),
            lambda steps: lots_booked(steps.tournament, steps.drafts, table_id),
        )

    async def start_round(
        self, call: Call, tournament_id: str, number: int, seats: Sequence[SeatAssignment], draw_id: str
    ) -> bytes:
        """Begin the next round."""
        return await self._change(
            call, tournament_id, lambda steps: start_round(steps, number, seats, draw_id), the_tournament
        )

    async def record_level(self, call: Call, tournament_id: str, level: int) -> bytes:
        """Begin a level."""
        return await self._change(call, tournament_id, lambda steps: record_level(steps, level), the_tournament)

    async def record_director(self, call: Call, tournament_id: str, director_id: str) -> bytes:
        """Let one process of the orchestrator direct."""
        return await self._change(call, tournament_id, lambda steps: record_director(steps, director_id), _nothing)

    async def record_move(self, call: Call, tournament_id: str, to: SeatAssignment, draw_id: str) -> bytes:
        """Move a player."""
        return await self._change(
            call,
            tournament_id,
            lambda steps: record_move(steps, to.player_id, to.table_id, to.seat, draw_id),
            lambda steps: standing_of(steps.tournament.entrant(to.player_id)),
        )

    async def close_windows(self, call: Call, tournament_id: str, over: Mapping[str, datetime]) -> bytes:
        """Give the places of these players, whose time to decide, until the moment told, is over."""
        return await self._change(call, tournament_id, lambda steps: settle(steps, over), the_tournament)

    async def _change(self, call: Call, tournament_id: str, rule: Callable[[Steps], None], answer: Answer) -> bytes:
        async def work(steps: Steps) -> None:
            check_director(steps.tournament, call.director_id)
            rule(steps)

        return await change_tournament(self._keeper, call, tournament_id, work, answer)


def _nothing(_: Steps) -> None:
    """Nothing is answered."""
