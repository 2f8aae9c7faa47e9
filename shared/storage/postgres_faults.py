"""What an error of PostgreSQL means to a write: a conflict, a breach of the schema, or an outage to be waited out."""

import asyncpg
from asyncpg import exceptions as sql

from shared.storage.database import ConstraintViolated, WriteConflict

LOST: tuple[type[BaseException], ...] = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the server ended the session while the driver was about to speak
    sql.PostgresConnectionError,
    sql.OperatorInterventionError,  # shutting down, starting up, cancelled by a limit of time
    sql.IdleInTransactionSessionTimeoutError,
    sql.InsufficientResourcesError,  # disk, memory or connections are used up
    sql.ReadOnlySQLTransactionError,  # a standby took the place of the primary
    sql.InsufficientPrivilegeError,  # rights that are being set anew
    sql.InvalidCachedStatementError,  # the schema was changed under it
    sql.DuplicatePreparedStatementError,  # something between us and the server mixes up sessions
)
"""The server or the way to it failed."""
FIRST: tuple[type[BaseException], ...] = (
    sql.SerializationError,
    sql.DeadlockDetectedError,
    sql.LockNotAvailableError,
)
"""Somebody else was in the way: the same write may succeed at once."""
PASSING: tuple[type[BaseException], ...] = (*LOST, *FIRST)
"""What may be gone the next moment."""
OUTAGE: tuple[type[BaseException], ...] = (*LOST, asyncpg.PostgresError)
"""Whatever a server says that cannot be used."""
_OF_THE_STATEMENT: tuple[type[BaseException], ...] = (
    sql.SyntaxOrAccessError,
    sql.DataError,
    sql.IntegrityConstraintViolationError,
    sql.CardinalityViolationError,
    sql.FeatureNotSupportedError,
    sql.ProgramLimitExceededError,
)
"""It would be refused by every server at any time: a bug of the caller, or a conflict."""


def is_passing(fault: BaseException) -> bool:
    """Whether it may be gone the next moment: all that a server says but what is wrong with the statement itself.

    It may let nobody in for a while, have no such database until that is restored, or be unable to read a page.
    """
    if isinstance(fault, PASSING):
        return True
    return isinstance(fault, asyncpg.PostgresError) and not isinstance(fault, _OF_THE_STATEMENT)


def meant(fault: BaseException, label: str) -> BaseException:
    """The fault as the interface knows it; anything unforeseen comes out as it is: a bug of the caller alone."""
    if isinstance(fault, sql.UniqueViolationError):
        return WriteConflict(label, "the key exists already")
    if isinstance(fault, sql.IntegrityConstraintViolationError):
        return ConstraintViolated(f"{label}: {fault.args[0] if fault.args else type(fault).__name__}")
    return fault


def misuse_or_loss(fault: asyncpg.InterfaceError, *, lost: bool) -> BaseException:
    """The driver refuses: the connection is gone, or a statement does not fit its parameters, a bug of the caller."""
    return fault if lost else ValueError(str(fault))


def in_words(fault: BaseException) -> str:
    """An outage for people and logs: the kind and the server's words, never an address with a password."""
    if isinstance(fault, sql.PostgresError):
        return f"{fault.sqlstate}: {fault.args[0]}" if fault.args else f"{fault.sqlstate}"
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return type(fault).__name__
