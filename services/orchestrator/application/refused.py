"""A refusal is an answer, too: a copy of the request that was late on its way is told the same.

For what moves money or seats. Whoever was told no may have asked for something else since, and would be surprised by
the first request after all. What passes by itself (``passing.py``) is asked again with the same id and not remembered.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.once import Answered, first_answer
from services.orchestrator.application.passing import stays_refused
from services.orchestrator.application.table_log import BEGUN
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError
from shared.storage.database import WriteConflict
from shared.storage.requests import REQUEST_LABEL, RequestKey

Result = TypeVar("Result")


def _nobody_counts() -> None:
    """The house may be refused as often as it likes."""


async def told_once(
    actor: TableActor,
    key: RequestKey,
    work: Callable[[], Awaitable[Result]],
    count: Callable[[], None] = _nobody_counts,
) -> Result | Answered:
    """Do it, unless it was answered before or refused for good; remember where it is refused now. Hold the lock.

    ``work`` begins nothing where it refuses. ``count`` is called before a refusal is remembered, which is a row for as
    long as answers are kept; it may say that there were enough of them. Where chips are being bought with this very
    request nothing is refused: what became of them is told when it is known.
    """
    while True:
        known = await first_answer(actor, key)
        if known is not None:
            return known
        try:
            return await work()
        except WriteConflict as conflict:
            if conflict.label != REQUEST_LABEL:
                raise
        except DomainError as refusal:
            if not stays_refused(refusal):
                raise
            count()
            if await remembered(actor, key, refusal):
                raise


async def remembered(actor: TableActor, key: RequestKey, refusal: DomainError) -> bool:
    """False where another process answers the same request meanwhile; ServiceAway where it has begun to buy with it."""
    try:
        await actor.world.log.refuse(actor.table_id, actor.table.version, key, refusal, actor.world.clock.now())
    except WriteConflict as conflict:
        if conflict.label == BEGUN:
            raise ServiceAway("orchestrator") from conflict
        if conflict.label == REQUEST_LABEL:
            return False
        raise
    return True
