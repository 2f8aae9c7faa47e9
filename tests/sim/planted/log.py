"""Faults of the log, of its requests and of the disk below."""

import asyncio
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

from services.orchestrator.application import money_commands, once, purchases
from services.orchestrator.application import tables as orchestrator_tables
from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.feeds import Happening
from services.orchestrator.domain.recording import stamp
from shared.storage import event_log
from shared.storage.database import Statement
from shared.storage.requests import AnsweredRequests
from tests.sim.leanings import Leaning
from tests.sim.planted.fault import Fault, all_of
from tests.sim.store import SimStore


def _forget_after_restart() -> AbstractContextManager[object]:
    """Ids are remembered in memory only: gone with the process, and the table says that it never heard of them."""
    answer, record = AnsweredRequests.answer, AnsweredRequests.record

    async def answered(self: Any, key: Any) -> bytes | None:
        return await answer(self, key) if key.request_id in _memory(self) else None

    def recorded(self: Any, key: Any, content: bytes, at: int) -> Statement:
        _memory(self).add(key.request_id)
        statement = record(self, key, content, at)
        return replace(statement, sql=statement.sql.replace("INSERT", "INSERT OR REPLACE", 1))

    return all_of(
        patch.object(AnsweredRequests, "answer", answered), patch.object(AnsweredRequests, "record", recorded)
    )


def _memory(requests: Any) -> set[str]:
    found: set[str] = requests.__dict__.setdefault("memory", set[str]())
    return found


def _answered_before_sync() -> AbstractContextManager[object]:
    """The store says that it is kept before it is (synchronous=OFF)."""
    made = SimStore.__init__

    def eager(self: SimStore, *args: Any, **named: Any) -> None:
        made(self, *args, **named)
        self.habits = replace(self.habits, answer_before_sync=True)

    return patch.object(SimStore, "__init__", eager)


def _unclear_as_made() -> AbstractContextManager[object]:
    """A commit whose answer is lost is taken for made."""
    lose = SimStore._lose_answer

    def hopeful(self: SimStore) -> None:
        def made(*_: object) -> None:
            self._answer([None] * len(self._group))

        with patch.object(SimStore, "_refuse", made):
            lose(self)

    return patch.object(SimStore, "_lose_answer", hopeful)


def _told_before_written() -> AbstractContextManager[object]:
    """Watchers are told of events that are still on their way to the disk."""
    record = TableActor.record

    async def eager(self: TableActor, change: Any, answer: Any = None) -> None:
        before, at = self._table, self.world.clock.now()
        events = stamp(self.table_id, before, change.facts, at)
        hand = before.hand if before is not None else None
        self.feed.publish(tuple(Happening(event, hand=hand if event.hand_id else None) for event in events))
        await record(self, change, answer)

    return patch.object(TableActor, "record", eager)


def _any_version() -> AbstractContextManager[object]:
    """The log appends at the end, whatever version the appender saw, and commands hold no lock meanwhile."""

    def moved(stream: str, _: int, version: int) -> Statement:
        sql = "INSERT INTO event_streams (stream, version) VALUES (?, ?) ON CONFLICT (stream) DO UPDATE SET version = ?"
        return Statement(sql, (stream, version, version), label=event_log.APPEND_LABEL)

    insert = event_log._INSERT.replace("INSERT", "INSERT OR REPLACE", 1)
    return all_of(
        patch.object(event_log, "_move_head", moved),
        patch.object(event_log, "_INSERT", insert),
        patch.object(once, "to_its_end", _without_lock),
    )


async def _without_lock(work: Any) -> Any:
    actor_ = work.cr_frame.f_locals.get("actor")
    if actor_ is None:
        return await work
    lock, actor_.lock = actor_.lock, asyncio.Lock()
    try:
        return await work
    finally:
        actor_.lock = lock


def _cut_short() -> AbstractContextManager[object]:
    """A command stops where it stands when its caller goes away."""

    async def bare(work: Any) -> Any:
        return await work

    return all_of(
        patch.object(once, "to_its_end", bare),
        patch.object(money_commands, "to_its_end", bare),
        patch.object(orchestrator_tables, "to_its_end", bare),
        patch.object(purchases, "buy", _buy_and_forget),
    )


async def _buy_and_forget(table: TableActor, purchase: Any) -> int:
    """Without noticing that the answer may be missing."""
    bought = (purchase.player_id, purchase.seat, purchase.chips, purchase.cause_id, purchase.table_version)
    return await table.world.ledger.buy_in(table.table_id, *bought)


FAULTS: Final = (
    Fault(
        "any_version",
        "append without the expected version, commands without the table's lock",
        _any_version,
        Leaning(tournament=0, purchases=0, restless=1, orchestrators=1),
        rare=True,
    ),
    Fault("forget_after_restart", "request ids forgotten after a restart", _forget_after_restart),
    Fault("answered_before_sync", "an answer before the sync", _answered_before_sync, Leaning(ledgers=0)),
    Fault(
        "unclear_as_made",
        "a commit to PostgreSQL whose answer is lost is taken for made",
        _unclear_as_made,
        Leaning(ledgers=1, orchestrators=1, unclear=1),
    ),
    Fault("told_before_written", "watchers told before the write", _told_before_written),
    Fault(
        "cut_short",
        "a command stops when its caller goes away",
        _cut_short,
        Leaning(tournament=0, hasty=1, restless=1, purchases=0, trouble=(0.0, 0.3)),
        rare=True,
    ),
)
