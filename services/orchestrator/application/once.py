"""A command at a table, exactly once: durable before it is answered, and finished even if its caller goes."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.table_log import CommandAnswer
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.visibility import DownCards
from shared.kernel.errors import DomainError
from shared.kernel.frozen import maker
from shared.storage.database import WriteConflict
from shared.storage.requests import RequestKey
from shared.storage.to_its_end import to_its_end

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a command came to."""

    answer: CommandAnswer
    table: Table | None
    """The table after it; None for a repeated answer: it is made again from the log."""
    down_cards: DownCards


_answered = maker(Answered)


async def in_line(actor: TableActor, player_id: str, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Do it with a place in the table's line; it goes to its end, and keeps its place, though its caller goes."""

    async def placed() -> Result:
        with actor.line.place(player_id, seated=actor.seats(player_id)):
            return await work()

    return await to_its_end(placed())


async def once(
    actor: TableActor,
    player_id: str,
    key: RequestKey,
    decide: Callable[[Table], Awaitable[tuple[Change, CommandAnswer]]],
) -> Answered:
    """Decide under the table's lock and record what follows together with the answer.

    ``decide`` changes nothing by itself. A request that was answered before is found where it would be refused now, or
    where its answer would be recorded again: the first time costs no look-up.
    """

    async def work() -> Answered:
        async with actor.turn_of(player_id):
            if actor.stale:
                await actor.catch_up()
            while True:
                try:
                    return await decide_and_record(actor, key, decide)
                except (DomainError, WriteConflict):
                    known = await first_answer(actor, key)
                    if known is not None:
                        return known
                    if not await outrun(actor):
                        raise

    return await in_line(actor, player_id, work)


async def outrun(actor: TableActor) -> bool:
    """Did another process change the table since this one looked? Then decide again. Hold the lock."""
    return (actor.world.shares.shared or actor.stale) and await actor.catch_up()


async def on_the_newest(actor: TableActor, work: Callable[[], Awaitable[Result]]) -> Result:
    """Do it again on what another process made of the table, where it was refused for what is no longer so."""
    if actor.stale:
        await actor.catch_up()
    while True:
        try:
            return await work()
        except (DomainError, WriteConflict):
            if not await outrun(actor):
                raise


async def decide_and_record(
    actor: TableActor, key: RequestKey, decide: Callable[[Table], Awaitable[tuple[Change, CommandAnswer]]]
) -> Answered:
    """Decide and record, for whoever holds the lock."""
    change, answer = await decide(actor.table)
    await actor.record(change, (key, answer))
    actor.look_again()
    return _answered(answer=answer, table=actor.table, down_cards=actor.down_cards)


async def first_answer(actor: TableActor, key: RequestKey) -> Answered | None:
    """What was answered to this request before; REQUEST_ID_REUSED where it had other content."""
    known = await actor.world.log.answer(key)
    return None if known is None else Answered(answer=known, table=None, down_cards={})


def answer_after(table: Table, change: Change, seat: int = 0) -> CommandAnswer:
    """The answer whose table is the one after the change."""
    return CommandAnswer(version=table.version + len(change.facts), table_id=table.table_id, seat=seat)
