"""How much one caller may ask: calls a second, calls and streams at a time, so that others are served as well.

The services of a suite call one another as often as the game needs and have no limit here. Everybody else has one by
role, each caller for itself; callers without a name are told apart by the machine they call from.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final

from shared.config.env import Env
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason

CALL_SECONDS: Final = 0.0005
"""What a call may compute; each time as much again counts as one more call, so that a player who asks for the longest
pages as fast as it may takes a tenth of a processor and not all of it."""
MESSAGES_A_CALL: Final = 10
"""So many messages of a stream count as one call of its reader, or as what one of them computed so many times: who
opens long ones again and again asks for much. The first counts as what it computes, like the answer of a call."""
LAST_CALLS: Final = 8
"""What a call of a kind will compute is taken to be what about so many of the last ones did."""
BURST_SECONDS: Final = 4.0
"""A caller who was silent may ask for so many seconds at once."""
CALLERS_KEPT_MAX: Final = 10_000
_ROUNDING: Final = 1e-6
_ONE_PERSON: Final = frozenset({Role.PLAYER, Role.OBSERVER})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerLimits:
    """Read by CallerLimits.from_env; the names of the variables stand in brackets; 0 is no limit."""

    player_calls_per_second: int = 200
    """Of one player or observer, and of all callers without a name of one machine (PLAYER_CALLS_PER_SECOND)."""
    house_calls_per_second: int = 20_000
    """Of one operator, auditor or back end, which speaks for many players (HOUSE_CALLS_PER_SECOND)."""
    player_calls_at_once: int = 64
    """Calls of one player or observer that are worked on at a time, so that the slow ones of one caller never fill the
    service (PLAYER_CALLS_AT_ONCE)."""
    player_streams_max: int = 64
    """Streams at a time of one player or observer (PLAYER_STREAMS_MAX)."""
    house_streams_max: int = 0
    """Streams at a time of one operator, auditor or back end; 0 is half of the places of the server, and never more
    (HOUSE_STREAMS_MAX)."""
    house_calls_at_once: int = 0
    """Calls of one operator, auditor or back end that are worked on at a time; 0 is three quarters of UNARY_CALLS_MAX,
    and never more (HOUSE_CALLS_AT_ONCE)."""
    streams_in_all_max: int = 0
    """Streams at a time of all callers together, those without a name among them; see within()."""

    @classmethod
    def from_env(cls, env: Env) -> "CallerLimits":
        """Read them; faults are collected by env."""
        own = cls()
        return cls(
            player_calls_per_second=env.integer("PLAYER_CALLS_PER_SECOND", own.player_calls_per_second, 0, 1_000_000),
            house_calls_per_second=env.integer("HOUSE_CALLS_PER_SECOND", own.house_calls_per_second, 0, 1_000_000),
            player_calls_at_once=env.integer("PLAYER_CALLS_AT_ONCE", own.player_calls_at_once, 0, 100_000),
            player_streams_max=env.integer("PLAYER_STREAMS_MAX", own.player_streams_max, 0, 100_000),
            house_streams_max=env.integer("HOUSE_STREAMS_MAX", own.house_streams_max, 0, 100_000),
            house_calls_at_once=env.integer("HOUSE_CALLS_AT_ONCE", own.house_calls_at_once, 0, 100_000),
        )

    def within(self, calls_max: int, unary_calls_max: int) -> "CallerLimits":
        """The same at a server that takes so many calls and streams, and so many calls that are none, at a time.

        One caller, whoever it speaks for, has half of the streams and three quarters of the calls at most; and all
        streams together have five eighths of the server, or those who watch would keep everybody from acting: a quarter
        may be taken by calls that nobody works at (silent_calls.py), the rest is for those who act.
        """
        streams, calls = max(1, calls_max // 2), max(1, unary_calls_max * 3 // 4)
        return replace(
            self,
            house_streams_max=min(self.house_streams_max or streams, streams),
            house_calls_at_once=min(self.house_calls_at_once or calls, calls),
            streams_in_all_max=streams_of(calls_max),
        )

    def calls_per_second(self, caller: Caller | None) -> int:
        """Of this caller; 0 is no limit."""
        return self._of(caller, self.player_calls_per_second, self.house_calls_per_second)

    def calls_at_once(self, caller: Caller | None) -> int:
        """Of this caller; 0 is no limit."""
        return self._of(caller, self.player_calls_at_once, self.house_calls_at_once)

    def streams_max(self, caller: Caller | None) -> int:
        """Of this caller; 0 is no limit."""
        return self._of(caller, self.player_streams_max, self.house_streams_max)

    @staticmethod
    def _of(caller: Caller | None, one_person: int, house: int) -> int:
        if caller is None or caller.role in _ONE_PERSON:
            return one_person
        return 0 if caller.role is Role.SERVICE else house


class Place:
    """One of the places that a caller may take at a time, for the length of a with block."""

    __slots__ = ("_name", "_taken")

    def __init__(self, taken: Counter[str], name: str) -> None:
        """A place among those taken by the caller of this name."""
        self._taken = taken
        self._name = name

    def stays_until(self, over: "asyncio.Future[None]") -> None:
        """Taken beyond the block, until this is over."""
        self.__enter__()
        over.add_done_callback(lambda _: self.__exit__(None, None, None))

    def __enter__(self) -> None:
        self._taken[self._name] += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._taken[self._name] -= 1
        if not self._taken[self._name]:
            del self._taken[self._name]


class Admission:
    """Lets callers in, each at its pace.

    One number a caller: the moment up to which its calls are paid for. It may lie ahead of now by the burst and no
    further. The longest silent are forgotten first, and who was silent for the burst has nothing to be remembered for.
    """

    def __init__(
        self,
        limits: CallerLimits,
        now: Callable[[], float] | None = None,
        streams_beside: Callable[[], int] | None = None,
    ) -> None:
        """Start with nobody known; time is the event loop's. Streams that are counted elsewhere take places, too."""
        self._limits = limits
        self._streams_beside = streams_beside or int
        self._now = now or _loop_time
        self._paid_until: OrderedDict[str, float] = OrderedDict()
        self._prices: dict[str, float] = {}
        """By kind of call: as how many it counts."""
        self._calls: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()

    @property
    def known(self) -> Mapping[str, float]:
        """Who is remembered, at most CALLERS_KEPT_MAX."""
        return self._paid_until

    def admit(self, caller: Caller | None, peer: str, kind: str = "") -> None:
        """Count a call, by what those of its kind compute; LIMIT_REACHED for one too many, which is not counted.

        Who owes nothing may ask for anything.
        """
        per_second = self._limits.calls_per_second(caller)
        if not per_second:
            return
        name, now = name_of(caller, peer), self._now()
        owed = max(self._paid_until.get(name, now), now)
        paid_until = owed + self._price(caller, kind) / per_second
        if paid_until - now > BURST_SECONDS + _ROUNDING and owed > now:
            message = f"more than {per_second} calls a second: wait a second, then ask again with the same request id"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "calls_per_second"})
        self._pay(name, paid_until)

    def worked(self, caller: Caller | None, peer: str, kind: str, seconds: float) -> None:
        """A call that was let in computed for so long: what it counted as too few calls, or too many, is put right."""
        per_second = self._limits.calls_per_second(caller)
        if not per_second or not pays_for_work(caller):
            return
        known, price = self._price(caller, kind), max(1.0, seconds / CALL_SECONDS)
        self._prices[kind] = known + (price - known) / LAST_CALLS
        name = name_of(caller, peer)
        self._pay(name, self._paid_until.get(name, self._now()) + (price - known) / per_second)

    def told(self, caller: Caller | None, peer: str, seconds: float = 0.0) -> None:
        """The reader of a stream was told as much as a call, or as what it computed; the next call may be refused."""
        per_second = self._limits.calls_per_second(caller)
        if per_second:
            name, now = name_of(caller, peer), self._now()
            self._pay(name, max(self._paid_until.get(name, now), now) + max(1.0, seconds / CALL_SECONDS) / per_second)

    def _price(self, caller: Caller | None, kind: str) -> float:
        return self._prices.get(kind, 1.0) if pays_for_work(caller) else 1.0

    def _pay(self, name: str, until: float) -> None:
        self._paid_until[name] = until
        self._paid_until.move_to_end(name)
        if len(self._paid_until) > CALLERS_KEPT_MAX:
            self._paid_until.popitem(last=False)

    def call(self, caller: Caller | None, peer: str) -> Place:
        """A call for as long as it is worked on; LIMIT_REACHED for one too many."""
        most, name = self._limits.calls_at_once(caller), name_of(caller, peer)
        if most and self._calls[name] >= most:
            message = f"{most} calls of one caller are all that is worked on at a time: come back in a second"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "calls_at_once"})
        return Place(self._calls, name)

    def stream(self, caller: Caller | None, peer: str) -> Place:
        """A stream for as long as it lasts; LIMIT_REACHED for one too many."""
        most, name = self._limits.streams_max(caller), name_of(caller, peer)
        if most and self._streams[name] >= most:
            message = f"{most} streams at a time are all that one caller may have: end one first"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "streams_max"})
        in_all = 0 if caller is not None and caller.role is Role.SERVICE else self._limits.streams_in_all_max
        if in_all and self.streams_count + self._streams_beside() >= in_all:
            message = f"{in_all} streams at a time are all that this instance has for everybody: try another, or later"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "streams_in_all_max"})
        return Place(self._streams, name)

    @property
    def streams_count(self) -> int:
        """Streams of all callers now."""
        return self._streams.total()


def streams_of(calls_max: int) -> int:
    """Streams of everybody together, at a server that takes so many calls and streams at a time."""
    return max(1, calls_max * 5 // 8)


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


def pays_for_work(caller: Caller | None) -> bool:
    """One person, or nobody we know; the house asks for many, and to hold the watch costs something, too."""
    return caller is None or caller.role in _ONE_PERSON


def name_of(caller: Caller | None, peer: str) -> str:
    """Who it is that the limit is for: role and id, or the machine (a peer is written ipv4:127.0.0.1:5000)."""
    return peer.rpartition(":")[0] if caller is None else f"{caller.role}:{caller.id}"
