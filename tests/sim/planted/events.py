"""Faults of tournaments of every kind: rounds, satellites, announced moments, and what comes before play."""

from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final
from unittest.mock import patch

from services.orchestrator.application import tournament_start
from services.orchestrator.application.tournament_follow import TournamentFollow
from services.orchestrator.domain.seating import first_seats
from services.tournament_ledger.domain import closing, registration, rounds
from services.tournament_ledger.domain.accounts import AccountKind
from services.tournament_ledger.domain.posting import moving
from tests.sim.leanings import Leaning
from tests.sim.planted.fault import Fault, instead


def _one_keeps_chips() -> AbstractContextManager[object]:
    """One of those who reach a round keeps the stack of the round before."""
    equalled = rounds._equalled
    return patch.object(rounds, "_equalled", lambda tournament, seats, stack: equalled(tournament, seats[1:], stack))


def _begins_early() -> AbstractContextManager[object]:
    """Play begins some seconds before the moment that was announced."""
    consider = TournamentFollow._consider

    async def early(self: TournamentFollow, tournament: Any) -> None:
        terms = tournament.announcement
        if terms.starts_at is not None:
            terms = replace(terms, starts_at=terms.starts_at - timedelta(seconds=3))
        await consider(self, replace(tournament, announcement=terms))

    return patch.object(TournamentFollow, "_consider", early)


_ESCROW: Final = {AccountKind.TOURNAMENT_ESCROW}
_OTHER: Final = Leaning(tournament=1, late=0, extras=0, rounds=0, satellite=0, cancelled=0)
FAULTS: Final = (
    Fault(
        "round_keeps_chips",
        "who reaches a round with equal stacks and keeps the old one",
        _one_keeps_chips,
        replace(_OTHER, rounds=1, entering=0, scheduled=0),
        rare=True,
    ),
    Fault(
        "one_seat_more",
        "a satellite that ends with one seat more than its fund can pay",
        instead(closing, "satellite_seats", lambda fund, entrants, seat: min(-(-fund // seat), entrants - 1)),
        replace(_OTHER, satellite=1, entering=0, scheduled=0),
        rare=True,
    ),
    Fault("begins_early", "play that begins before its announced moment", _begins_early, replace(_OTHER, scheduled=1)),
    Fault(
        "withdrawn_for_a_cent",
        "who withdraws and gets a cent less back than was paid",
        instead(registration, "moving", lambda frm, to, amount: moving(frm, to, amount - (frm.kind in _ESCROW))),
        replace(_OTHER, entering=1),
    ),
    Fault(
        "choice_forgotten",
        "a seat that was chosen and is drawn by lot",
        instead(tournament_start, "chosen_seats", lambda drawn, _, tables: first_seats(drawn, tables)),
        replace(_OTHER, entering=1),
    ),
)
