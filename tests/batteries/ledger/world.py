"""A small world of players, tournaments and cash tables whose ledger is asked at random, rightly and wrongly."""

import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from google.protobuf.message import Message

from shared.kernel.caller import Caller
from shared.kernel.errors import DomainError, Reason
from tests.batteries.ledger.in_process import InProcessLedger

PLAYERS = 24
STRANGERS = ("nobody", "stranger")
T = TypeVar("T")


@dataclass(slots=True)
class Tally:
    """What was asked and what came of it."""

    operations: int = 0
    succeeded: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    by_method: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])

    def add(self, other: "Tally") -> None:
        """Both together."""
        self.operations += other.operations
        self.succeeded += other.succeeded
        self.refused.update(other.refused)
        self.by_method.update(other.by_method)
        self.faults += other.faults


@dataclass(slots=True)
class Event:
    """What the world remembers of a tournament."""

    tournament_id: str
    seats_per_table: int
    fee_minor: int = 0
    started: bool = False
    over: bool = False
    level: int = 0
    players: list[str] = field(default_factory=list[str])
    deal: int = 0
    """The deal that is open, as far as we know."""
    hand_for_hand: int = 0
    """Rounds of hand for hand that are over."""
    tables: dict[str, int] = field(default_factory=dict[str, int])
    """Hands recorded, by table."""


@dataclass(slots=True)
class Game:
    """What the world remembers of a cash table."""

    table_id: str
    buy_in_chips: int
    hands: int = 0


class World:
    """One ledger and everything that was made in it; sums are checked after every operation."""

    def __init__(self, ledger: InProcessLedger, seed: str, tally: Tally) -> None:
        self.ledger, self.rng, self.tally = ledger, Random(seed), tally
        self.seed = seed
        self.players = [f"p{number}" for number in range(PLAYERS)]
        self.holds: list[str] = []
        self.events: list[Event] = []
        self.games: list[Game] = []
        self.names = 0

    def fresh(self) -> str:
        """A new request id, the same for the same seed."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def name(self, kind: str) -> str:
        """A new id."""
        self.names += 1
        return f"{kind}{self.names}"

    def player(self) -> str:
        """Anybody; now and then somebody without a wallet."""
        return self.rng.choice(STRANGERS) if self.rng.random() < 0.03 else self.rng.choice(self.players)

    async def send(self, method: str, request: Any, caller: Caller | None = None) -> Any:
        """Ask; None where it is refused. Now and then asks again, and now and then with other content."""
        answer = await self._once(method, request, caller)
        if self.rng.random() < 0.03:
            again = await self._once(method, request, caller)
            changes = "request_id" in request.DESCRIPTOR.fields_by_name
            if changes and answer is not None and again != answer:
                self.tally.faults.append(f"{self.seed}: {method} sent again is answered otherwise")
        if answer is not None and self.rng.random() < 0.01:
            await self._once("Deposit" if method != "Deposit" else "Withdraw", self._other(method, request), caller)
        return answer

    def _other(self, method: str, request: Message) -> Message:
        """The same request id on another request."""
        from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

        kind = pb.DepositRequest if method != "Deposit" else pb.WithdrawRequest
        other = kind(request_id=getattr(request, "request_id", ""), player_id="p0")
        other.amount.amount_minor, other.amount.currency = 777, "EUR"
        return other

    async def _once(self, method: str, request: Message, caller: Caller | None) -> Any:
        answer, refusal = await outcome(self.ledger.call(method, request, caller))
        self.tally.operations += 1
        self.tally.by_method[method] += 1
        if refusal is None:
            self.tally.succeeded += 1
        else:
            self.tally.refused[refusal.value] += 1
        await self.check(method)
        return answer

    async def check(self, after: str) -> None:
        """Every unit sums up to zero, and no account is overdrawn that may not be."""
        uneven = await self.ledger.uneven()
        if uneven:
            self.tally.faults.append(f"{self.seed}: after {after} {uneven}")


async def outcome(call: Awaitable[T]) -> tuple[T | None, Reason | None]:
    """The answer, or the reason of the refusal."""
    try:
        return await call, None
    except DomainError as refusal:
        return None, refusal.reason


Operation = Callable[[World], Awaitable[None]]
