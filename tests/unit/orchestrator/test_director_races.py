"""What happens while something else is under way: a log read while it is written, a round without any hand."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from services.orchestrator.adapters.tournament_metrics import TournamentMetrics
from services.orchestrator.application.shares import Alone
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_moves import TournamentMoves
from services.orchestrator.domain.dealing import Lots
from services.orchestrator.domain.seating import Move
from services.orchestrator.domain.sheet import Wait, WaitReason
from services.orchestrator.domain.tournament import SeatedPlayer, TableInPlay, Tournament
from services.orchestrator.domain.tournament_facts import (
    NumberedEvent,
    PlayerOut,
    TournamentBegan,
    TournamentEvent,
    TournamentSeat,
)
from services.orchestrator.domain.tournament_step import AskLedger, Hold, Sight, next_step
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import Formula, RuleSet
from shared.kernel.rules.presets import PRESETS
from shared.observability.metrics import new_registry
from shared.storage.database import WriteConflict
from shared.storage.replicas import OWNER_LABEL
from shared.storage.requests import RequestKey
from tests.support.tournament_floor import VirtualClock

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PRESET = PRESETS["regulated_tournament"]
RULES = RuleSet(
    hand=PRESET.hand,
    clock=PRESET.clock,
    cash=PRESET.cash,
    tournament=replace(PRESET.tournament, formula=Formula.MULTI_TABLE),
)
SEATS = tuple(
    TournamentSeat(table_id=f"t.{table}", seat=seat, player_id=player)
    for player, table, seat in (("ann", 1, 1), ("bob", 2, 1), ("cid", 2, 2))
)


class ReadWhileWritten:
    """A log in memory that somebody reads when a write has come to the disk and its writer does not know it yet."""

    def __init__(self) -> None:
        self.events: list[NumberedEvent] = []
        self.books: TournamentBooks | None = None
        self.reads = 0
        self.breaks = False
        """Whether the writer hears nothing of its write, which is on the disk all the same."""

    async def append(
        self,
        tournament_id: str,
        expected_version: int,
        events: Sequence[TournamentEvent],
        at: datetime,
        command: RequestKey | None = None,
    ) -> None:
        del command
        assert expected_version == len(self.events)
        self.events += [
            NumberedEvent(tournament_id=tournament_id, version=number, at=at, event=event)
            for number, event in enumerate(events, start=expected_version + 1)
        ]
        if self.breaks:
            raise OSError("no answer")
        assert self.books is not None
        assert await self.books.find(tournament_id) is not None

    async def read(self, tournament_id: str, after_version: int = 0) -> tuple[NumberedEvent, ...]:
        del tournament_id
        self.reads += 1
        return tuple(self.events[after_version:])

    async def answered(self, command: RequestKey) -> int | None:
        raise NotImplementedError

    async def refuse(self, tournament_id: str, command: RequestKey, refusal: DomainError, at: datetime) -> None:
        raise NotImplementedError

    async def note_connection(
        self, tournament_id: str, player_id: str, at: datetime, command: RequestKey, *, connected: bool
    ) -> None:
        raise NotImplementedError

    async def entrants_gone(self, tournament_id: str) -> frozenset[str]:
        raise NotImplementedError

    async def note_start(self, tournament_id: str, command: RequestKey) -> None:
        raise NotImplementedError

    async def asked_start(self, tournament_id: str) -> RequestKey | None:
        raise NotImplementedError


async def test_who_reads_a_log_that_is_being_written_does_not_make_its_events_count_twice() -> None:
    log = ReadWhileWritten()
    books = log.books = TournamentBooks(log, VirtualClock(), TournamentMetrics(new_registry()))
    began = TournamentBegan(seats=SEATS, draw_id="d", name="Sunday", seats_per_table=2, rules=RULES)
    async with books.locked("t"):
        state = await books.append("t", None, [began])
        assert (state.version, len(state.players)) == (1, 3)
        state = await books.append("t", state, [PlayerOut(player_id="cid", place=3, prize_minor=0)])
    assert (state.version, sorted(state.players)) == (2, ["ann", "bob"])
    assert await books.state("t") == state


async def test_who_watches_is_told_the_newest_events_without_a_look_into_the_log() -> None:
    log = ReadWhileWritten()
    books = log.books = TournamentBooks(log, VirtualClock(), TournamentMetrics(new_registry()))
    began = TournamentBegan(seats=SEATS, draw_id="d", name="Sunday", seats_per_table=2, rules=RULES)
    out = PlayerOut(player_id="cid", place=3, prize_minor=0)
    async with books.locked("t"):
        state = await books.append("t", None, [began])
        await books.append("t", state, [out])
    reads = log.reads
    assert [each.version for each in await books.events("t", 0)] == [1, 2]
    assert [each.event for each in await books.events("t", 1)] == [out]
    assert await books.events("t", 2) == ()
    assert log.reads == reads
    books.floor("t").recent.popleft()
    assert [each.version for each in await books.events("t", 0)] == [1, 2]
    assert log.reads == reads + 1


async def test_a_write_that_nobody_knows_the_end_of_sends_watchers_to_the_log() -> None:
    log = ReadWhileWritten()
    books = log.books = TournamentBooks(log, VirtualClock(), TournamentMetrics(new_registry()))
    began = TournamentBegan(seats=SEATS, draw_id="d", name="Sunday", seats_per_table=2, rules=RULES)
    async with books.locked("t"):
        state = await books.append("t", None, [began])
        log.breaks = True
        with pytest.raises(OSError, match="no answer"):
            await books.append("t", state, [PlayerOut(player_id="cid", place=3, prize_minor=0)])
    log.breaks = False
    assert [each.version for each in await books.events("t", 0)] == [1, 2]
    async with books.locked("t"):
        state = await books.state("t")
        assert state.version == 2
        await books.append("t", state, [PlayerOut(player_id="bob", place=2, prize_minor=0)])
    assert [each.version for each in await books.events("t", 0)] == [1, 2, 3]
    assert [each.version for each in await books.events("t", 1)] == [2, 3]


def in_a_round(*, played_by: str = "") -> Tournament:
    """Round 1 of hand for hand: ann alone at table 1, bob and cid at table 2."""
    players = {
        seat.player_id: SeatedPlayer(player_id=seat.player_id, table_id=seat.table_id, seat=seat.seat) for seat in SEATS
    }
    tables = {
        table_id: TableInPlay(table_id=table_id, hand_for_hand_round=int(table_id == played_by))
        for table_id in ("t.1", "t.2")
    }
    return Tournament(
        tournament_id="t",
        version=9,
        name="Sunday",
        seats_per_table=2,
        rules=RULES,
        players=players,
        tables=tables,
        level=1,
        level_began_at=NOW,
        hand_for_hand_round=1,
    )


def test_a_hand_for_hand_round_without_a_hand_is_not_over() -> None:
    """Table 1 is too short, and at table 2 somebody decides on a rebuy: no table can play, and the round waits."""
    nobody_can_play = Sight(NOW, stuck=frozenset({"t.2"}))
    assert next_step(in_a_round(), "t.1", nobody_can_play) == Hold(Wait(reason=WaitReason.HAND_FOR_HAND))
    assert next_step(in_a_round(), "t.2", nobody_can_play) == AskLedger()


def test_a_hand_for_hand_round_is_over_once_who_can_has_played() -> None:
    step = next_step(in_a_round(played_by="t.2"), "t.1", Sight(NOW))
    assert type(step).__name__ == "EndHandForHand"


class TakenOver(Alone):
    """Another process goes on with everything since a moment."""

    lost_it = False

    def term(self, subject: str) -> str | None:
        return None if self.lost_it else super().term(subject)


class SlowLots:
    """Somebody else takes over while the dealer draws."""

    def __init__(self, shares: TakenOver) -> None:
        self._shares = shares

    async def draw_lots(self, purpose: str, subject: str, entries: Sequence[str], step: str) -> Lots:
        del purpose, subject, step
        self._shares.lost_it = True
        return Lots(draw_id="d", drawn=tuple(entries))


async def test_a_director_that_was_replaced_while_it_drew_lots_moves_nobody_out_of_a_hand() -> None:
    log, shares = ReadWhileWritten(), TakenOver()
    books = log.books = TournamentBooks(log, VirtualClock(), TournamentMetrics(new_registry()), shares)
    ledger: Any = None  # it is told nothing
    dealer: Any = SlowLots(shares)
    began = TournamentBegan(seats=SEATS, draw_id="d", name="Sunday", seats_per_table=2, rules=RULES)
    async with books.locked("t"):
        state = await books.append("t", None, [began])
        move = Move(player_ids=("bob", "cid"), seats=(("t.1", 2),))
        with pytest.raises(WriteConflict) as lost:
            await TournamentMoves(books, dealer, ledger).move(state, move)
    assert lost.value.label == OWNER_LABEL
    assert len(log.events) == 1


class Together(Alone):
    """Others may write too."""

    shared = True


async def test_what_was_decided_before_another_process_wrote_is_not_added_after_it() -> None:
    """Somebody who looked in between has read what the other wrote: that does not make the decision a newer one."""
    log = ReadWhileWritten()
    books = log.books = TournamentBooks(log, VirtualClock(), TournamentMetrics(new_registry()), Together())
    began = TournamentBegan(seats=SEATS, draw_id="d", name="Sunday", seats_per_table=2, rules=RULES)
    out = PlayerOut(player_id="cid", place=3, prize_minor=0)
    async with books.locked("t"):
        state = await books.append("t", None, [began])
        log.events.append(NumberedEvent(tournament_id="t", version=2, at=NOW, event=out))
        assert (await books.state("t")).version == 2
        with pytest.raises(DomainError) as refused:
            await books.append("t", state, [out])
    assert refused.value.reason is Reason.VERSION_CONFLICT
    assert len(log.events) == 2


async def test_what_cannot_have_happened_never_comes_into_the_log() -> None:
    """As a place that is given twice: read again, the log would end there for ever, and with it the tournament."""
    log = ReadWhileWritten()
    books = log.books = TournamentBooks(log, VirtualClock(), TournamentMetrics(new_registry()))
    began = TournamentBegan(seats=SEATS, draw_id="d", name="Sunday", seats_per_table=2, rules=RULES)
    out = PlayerOut(player_id="cid", place=3, prize_minor=0)
    async with books.locked("t"):
        state = await books.append("t", None, [began])
        with pytest.raises(LookupError):
            await books.append("t", state, [out, out])
        state = await books.append("t", state, [out])
    assert (state.version, len(log.events)) == (2, 2)
