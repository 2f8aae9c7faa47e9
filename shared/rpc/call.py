"""What belongs to the call that is being handled: who makes it, its correlation id, the time it has left.

Held in context variables, so that a client of another service passes them on without being told. Time is the event
loop's: monotonic, and virtual where the loop is.
"""

import asyncio
from contextvars import ContextVar

from shared.kernel.caller import Caller

REQUEST_ID_HEADER = "x-request-id"
CORRELATION_ID: ContextVar[str] = ContextVar("correlation_id", default="")
_CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)
_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


def current_caller() -> Caller:
    """Who makes this call; LookupError where the RPC is open to everybody and nobody was named."""
    caller = _CALLER.get()
    if caller is None:
        raise LookupError("no caller: outside of a call, or in an RPC that is open")
    return caller


def remaining_seconds() -> float | None:
    """What is left of the time of this call; None where there is no limit."""
    deadline = _DEADLINE.get()
    return None if deadline is None else deadline - asyncio.get_running_loop().time()


def set_call(caller: Caller | None, correlation_id: str, seconds: float | None) -> None:
    """Set what belongs to the call; every call runs in a task of its own, so nothing is to be undone."""
    _CALLER.set(caller)
    CORRELATION_ID.set(correlation_id)
    _DEADLINE.set(None if seconds is None else asyncio.get_running_loop().time() + seconds)
