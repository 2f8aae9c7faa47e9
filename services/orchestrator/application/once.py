"""A command at a table, exactly once: durable before it is answered, and finished even if its caller goes."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.table_log import CommandAnswer
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.visibility import DownCards
from shared.storage.requests import RequestKey

Result = TypeVar("Result")
_running: set["asyncio.Task[Any]"] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a command came to."""

    answer: CommandAnswer
    table: Table | None
    """The table after it; None for a repeated answer: it is made again from the log."""
    down_cards: DownCards


async def to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Await work that goes on when the caller is cancelled: no command stops half-way (trust S4)."""
    task = asyncio.ensure_future(work)
    _running.add(task)
    task.add_done_callback(_forget)
    return await asyncio.shield(task)


def _forget(task: "asyncio.Task[Any]") -> None:
    _running.discard(task)
    if not task.cancelled():
        task.exception()  # seen, should nobody wait for it any more


async def once(
    actor: TableActor, key: RequestKey, decide: Callable[[Table], Awaitable[tuple[Change, CommandAnswer]]]
) -> Answered:
    """Decide under the table's lock and record what follows together with the answer."""

    async def work() -> Answered:
        async with actor.lock:
            known = await actor.world.log.answer(key)
            if known is not None:
                return Answered(answer=known, table=None, down_cards={})
            return await decide_and_record(actor, key, decide)

    return await to_its_end(work())


async def decide_and_record(
    actor: TableActor, key: RequestKey, decide: Callable[[Table], Awaitable[tuple[Change, CommandAnswer]]]
) -> Answered:
    """The second half of ``once``, for whoever holds the lock already."""
    change, answer = await decide(actor.table)
    await actor.record(change, (key, answer))
    actor.poke()
    return Answered(answer=answer, table=actor.table, down_cards=actor.down_cards)


def answer_after(table: Table, change: Change, seat: int = 0) -> CommandAnswer:
    """The answer whose table is the one after the change."""
    return CommandAnswer(version=table.version + len(change.facts), table_id=table.table_id, seat=seat)
