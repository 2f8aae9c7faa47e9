"""The ledger as it is served, without the network: requests of the contract in, answers or DomainError out."""

import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import grpc
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from services.tournament_ledger.__main__ import assemble
from services.tournament_ledger.adapters import migrations
from services.tournament_ledger.application.chores import Chores
from services.tournament_ledger.application.decisions import WALLETS
from services.tournament_ledger.settings import Settings
from shared.kernel.caller import Caller, Role
from shared.rpc.call import set_call
from shared.rpc.drain import Drain
from shared.rpc.errors import as_domain_error
from shared.rpc.rights import methods_of
from shared.rpc.validation import Validator
from shared.storage.database import Row, Store, WriteConflict
from shared.storage.sqlite import open_store
from tests.support.ledger_house import SetClock

OPERATOR = Caller(Role.OPERATOR, "house")
_UNEVEN = (
    "SELECT unit, SUM(balance / 4294967296), SUM(balance % 4294967296) FROM ledger_accounts GROUP BY unit "
    "HAVING SUM(balance / 4294967296) * 4294967296 + SUM(balance % 4294967296) <> 0"
)
_OVERDRAWN = (
    "SELECT account_id, balance FROM ledger_accounts "
    "WHERE balance < 0 AND kind NOT IN ('OUTSIDE', 'GUARANTEE', 'CHIPS_ISSUED')"
)


class _Handlers:
    """Takes the place of the server while generated code registers the servicer."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def add_generic_rpc_handlers(self, handlers: Sequence[object]) -> None:
        """Not needed: the same handlers come by name."""

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        """The handlers by name of the RPC."""
        self.found.update(method_handlers)


class InProcessLedger:
    """The servicer behind the contract's constraints."""

    def __init__(self, store: Store, clock: SetClock) -> None:
        environ = {"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": "of-the-store"}
        assembled = assemble(Settings.from_env(environ), store, Drain(), clock)
        handlers = _Handlers()
        for servable in assembled.assembly.servables:
            servable.register(cast("grpc.aio.Server", handlers))
        self.store, self.clock = store, clock
        self.chores: Chores = assembled.chores
        self._handlers = handlers.found
        self._validator = Validator()
        served = (each.descriptor for each in assembled.assembly.servables)
        self._methods = {each.name: each for each in methods_of(served, assembled.assembly.rights).values()}

    async def call(self, method: str, request: Message, caller: Caller | None = None) -> Any:
        """Call an RPC as this caller, or as somebody who may; DomainError where it is refused."""
        if caller is not None:
            self._methods[method].authorize(caller, request, "")
        self._validator.check(request, cast("Descriptor", request.DESCRIPTOR))
        set_call(caller or OPERATOR, "", None)
        try:
            return await self._handlers[method].unary_unary(request, None)
        except WriteConflict as conflict:
            raise _refused(conflict) from conflict

    async def do_chores(self) -> None:
        """Holds and decisions whose time is over end, as far as what they bring fits into 64 bits."""
        await self.chores.expire_holds()
        try:
            await self.chores.close_windows()
        except WriteConflict as conflict:
            if conflict.label == WALLETS:
                raise

    async def uneven(self) -> list[Row]:
        """Units that do not sum up to zero, and accounts below zero that may not be: none, or money was made."""
        return [*await self.store.read(_UNEVEN), *await self.store.read(_OVERDRAWN)]


def _refused(conflict: WriteConflict) -> Exception:
    """As the server says it: where somebody brought in all that 64 bits hold, a guarantee waits for room.

    Nothing holds up a wallet like that, in one process.
    """
    return conflict if conflict.label == WALLETS else as_domain_error(conflict, "")


def fast_folder() -> str | None:
    """Memory where there is any: rows about sums need no disk, those about durability take one."""
    memory = Path("/dev/shm")  # noqa: S108  # a folder in memory is meant
    return str(memory) if memory.is_dir() else None


@asynccontextmanager
async def ledger_in_process(clock: SetClock | None = None) -> AsyncGenerator[InProcessLedger, None]:
    """A ledger over a fresh SQLite database."""
    with tempfile.TemporaryDirectory(prefix="ledger-", dir=fast_folder()) as folder:
        store = await open_store(f"{folder}/ledger.sqlite", "tournament_ledger", migrations)
        try:
            yield InProcessLedger(store, clock or SetClock())
        finally:
            await store.close()
