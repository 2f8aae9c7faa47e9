"""The same command of a tournament told to two processes at the same moment is carried out once and answered alike."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.application.shares import Alone
from services.orchestrator.application.tournament_commands import TournamentCommands
from services.orchestrator.domain.tournament_view import TournamentView
from shared.kernel.rules.presets import PRESETS
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor

START = RequestKey("TournamentService", "00000000-0000-4000-8000-000000000001", b"start")
COMMANDS = [RequestKey("TournamentService", f"00000000-0000-4000-8000-00000000001{at}", b"d") for at in range(2)]


class Together(Alone):
    """Others may write too."""

    shared = True


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


class Meanwhile:
    """Something that happens once, right after somebody looked for an answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.happens: Callable[[], Awaitable[TournamentView]] | None = None
        self.answer: TournamentView | None = None
        answered = StoredTournamentLog.answered

        async def looked(log: StoredTournamentLog, key: RequestKey) -> int | None:
            found = await answered(log, key)
            happens, self.happens = self.happens, None
            if happens is not None:
                self.answer = await happens()
            return found

        monkeypatch.setattr(StoredTournamentLog, "answered", looked)


async def test_a_pause_and_its_end_told_to_both_are_answered_alike(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one has looked for an answer when there was none yet, and decides when the first has acted on it."""
    floor = Floor(1)
    ledger = LedgerDouble(floor.clock)
    ledger.announce("t", PRESETS["regulated_tournament"], ["ann", "bob"], seats_per_table=8)
    log, lots = StoredTournamentLog(store), LotsDouble(1)
    first, second = (floor.open(log, lots, ledger, Together()).commands for _ in range(2))
    await first.start("t", START)
    meanwhile = Meanwhile(monkeypatch)
    for command, ask in zip(COMMANDS, (TournamentCommands.pause, TournamentCommands.resume), strict=True):
        meanwhile.happens = partial(ask, first, "t", 0, command)
        assert await ask(second, "t", 0, command) == meanwhile.answer
        assert meanwhile.answer is not None
