"""A tournament that cannot go on keeps no other one waiting, and is asked about now and then, not without a pause."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from services.orchestrator.domain.booking import LedgerState, SeatAssignment, StartKind
from services.orchestrator.domain.tournament_view import PlayState
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.storage.requests import RequestKey
from tests.unit.orchestrator.test_director_follow import RULES, Following, at, settled

__all__ = ["at"]


async def test_fees_that_cannot_go_back_now_are_asked_for_once_a_second(
    at: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a wallet is full: each refusal was taken for a change, after which to look again at once."""
    asked: list[str] = []

    async def refuse(tournament_id: str, cause: str, version: int) -> None:
        del cause, version
        asked.append(tournament_id)
        raise DomainError(Reason.VERSION_CONFLICT, "something else was changed first")

    monkeypatch.setattr(at.ledger, "cancel_tournament", refuse)
    soon = at.clock.now() + timedelta(seconds=10)
    at.ledger.announce("few", RULES, ["a", "b"], start=StartKind.SCHEDULED, starts_at=soon, entrants_min=3)
    at.house.follow.look_again()
    await settled()
    for looks in range(1, 4):
        await at.clock.pass_by(11 if looks == 1 else 1)
        assert asked == ["few"] * looks


@pytest.mark.parametrize("fault", [ValueError("an answer that makes no sense"), KeyError("a table that is not there")])
async def test_a_tournament_with_a_fault_of_its_own_keeps_no_other_one_from_starting(
    at: Following, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    start_play = at.ledger.start_play

    async def one_fails(tournament_id: str, seats: Sequence[SeatAssignment], draw_id: str) -> LedgerState:
        if tournament_id == "broken":
            raise fault
        return await start_play(tournament_id, seats, draw_id)

    monkeypatch.setattr(at.ledger, "start_play", one_fails)
    soon = at.clock.now() + timedelta(seconds=10)
    for name in ("before", "broken", "after"):
        at.ledger.announce(name, RULES, ["a", "b"], start=StartKind.SCHEDULED, starts_at=soon)
    at.house.follow.look_again()
    await settled()
    await at.clock.pass_by(11)
    assert await at.state("before") is await at.state("after") is PlayState.PLAYING
    assert await at.state("broken") is None


@pytest.mark.parametrize("refusing", ["open_sheet", "withdraw_sheet"])
async def test_a_table_that_the_ledger_refuses_again_and_again_waits_visibly(
    at: Following, monkeypatch: pytest.MonkeyPatch, refusing: str
) -> None:
    """As where the prize of a window that is over does not fit into a wallet: it asked on without a pause."""
    asked = 0

    async def refuse(*_: object) -> None:
        nonlocal asked
        asked += 1
        assert asked < 100, "nobody else has a turn"
        raise DomainError(Reason.VERSION_CONFLICT, "something else was changed first")

    at.ledger.announce("gala", RULES, ["a", "b"], start=StartKind.ON_COMMAND)
    await at.house.commands.start("gala", RequestKey("T", "start", b"d"))
    if refusing == "withdraw_sheet":
        await at.house.commands.pause("gala", 0, RequestKey("T", "pause", b"d"))
    monkeypatch.setattr(at.ledger, refusing, refuse)
    for _ in range(3):
        with pytest.raises(ServiceAway):
            await at.house.director.open_sheet("gala", "gala.1", 1)
    assert asked <= 30
    monkeypatch.undo()
    sheet = await at.house.director.open_sheet("gala", "gala.1", 1)
    assert (sheet.wait is None) is (refusing == "open_sheet")
