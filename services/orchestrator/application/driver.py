"""The task of one table: asks what is next, does it, waits; stalls while a service is away, voids what cannot go on."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from services.orchestrator.application import end_hand, play_hand, purchases, seats, start_hand
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.deserted import Deserted
from services.orchestrator.application.passing import is_refused
from services.orchestrator.application.shares import subject_of
from services.orchestrator.application.taken import Taken
from services.orchestrator.domain import next_step as step
from services.orchestrator.domain.decisions import after_stall
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.outcomes import ChipsAdrift, voided_fact
from services.orchestrator.domain.table_facts import Halt, TableResumed, TableStalled
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError
from shared.observability.logging import bind_call
from shared.observability.tracing import following, here
from shared.storage.database import StoreError, WriteConflict
from shared.storage.replicas import OWNER_LABEL

BACKOFF_SECONDS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
AWAY_SECONDS: Final = 1.0
"""Longest pause while another service is away: a table goes on soon after it is back, however long that was (S1)."""
ATTEMPTS_MAX: Final = 6
"""Unexpected failures of one step in a hand before the hand is voided."""
NEEDS_ATTENTION: Final = "orchestrator"
"""Whom a table waits for that cannot go on between hands: its log says why."""
_CAUSE_CHARACTERS_MAX: Final = 200

_TAKERS: Mapping[type, Callable[[TableActor, Any], Awaitable[Taken]]] = {
    step.CloseEntropy: start_hand.close_entropy,
    step.StartHand: start_hand.start_hand,
    step.DealStreet: play_hand.deal_street,
    step.ActForAbsent: play_hand.act_for_absent,
    step.ExpireTurn: play_hand.expire_turn,
    step.StartTimeBank: seats.start_time_bank,
    step.ExposeHands: end_hand.expose_hands,
    step.StartShowdown: end_hand.start_showdown,
    step.MuckHands: end_hand.muck_hands,
    step.SettleHand: end_hand.settle_hand,
    step.BookHand: end_hand.book_hand,
    step.ProveHand: end_hand.prove_hand,
    step.PauseSelf: seats.pause_self,
    step.CashOutSeat: seats.cash_out_seat,
}

_BEGINNINGS: Final = (step.StartHand, step.ActForAbsent, step.ExpireTurn, step.StartTimeBank)
"""In traces these follow from nobody's call: a trace ends with its hand."""


class Driver:
    """Drives one table until it is closed."""

    def __init__(self, actor: TableActor, deserted: Deserted | None = None) -> None:
        """Drive this table, which waits for its turn among these while nobody is at it."""
        self._actor = actor
        self._deserted = deserted or Deserted()
        self._failures = 0
        """Unexpected ones of the step that is due; a service or a disk that was away is none of them."""
        self._waits = 0

    async def run(self) -> None:
        """Step by step; the lock is free whenever the table waits. Ends where another process is the table's owner."""
        actor = self._actor
        bind_call(table_id=actor.table_id)
        shares, subject = actor.world.shares, subject_of(actor.table)
        try:
            while not actor.table.closed and shares.mine(subject):
                rest = await self._in_turn()
                if rest is not None:
                    await actor.rest(rest.until)
        finally:
            self._deserted.forget(actor)

    async def _in_turn(self) -> step.Await | None:
        """One step, if it is the table's turn; what to wait for afterwards."""
        turn = self._deserted.step(self._actor)
        if turn is None:
            return step.Await()
        with turn:
            return await self._alone()

    async def _alone(self) -> step.Await | None:
        """Under the lock, and fenced off from whoever owned the table before."""
        actor, shares = self._actor, self._actor.world.shares
        async with actor.lock:
            actor.fence = shares.fence(subject_of(actor.table))
            try:
                return await self._step_or_later()
            finally:
                actor.fence = None

    async def _step_or_later(self) -> step.Await | None:
        """Whatever happens, the table's task lives on."""
        try:
            return await self._step()
        except Exception as fault:  # noqa: BLE001  # as when the disk takes no write just now
            self._actor.world.witness.step_failed("Record", self._actor.table_id, fault)
            return self._later()

    async def _step(self) -> step.Await | None:
        """One step; what to wait for afterwards, None: go on at once."""
        actor = self._actor
        due: step.Step = step.Await()
        try:
            await self._look()
            due = step.next_step(actor.table, actor.world.clock.now())
            if isinstance(due, step.Await):
                await self._waits_for_nobody()
                return due
            cause = None if isinstance(due, _BEGINNINGS) else actor.cause
            with following(type(due).__name__, cause, table_id=actor.table_id):
                actor.cause = here()
                taken = await self._take(due)
        except ServiceAway as away:
            return await self._stall(away.service)
        except WriteConflict as conflict:  # another process wrote first: look what, and go on from there
            return self._outrun(conflict)
        except StoreError as fault:  # no fault of the hand, whatever the database suffers from
            actor.world.witness.step_failed(type(due).__name__, actor.table_id, fault)
            return self._later()
        except Exception as fault:  # noqa: BLE001  # a refusal, or a fault of ours or theirs
            return await self._failed(due, fault)
        self._failures = self._waits = 0
        return taken.rest

    async def _waits_for_nobody(self) -> None:
        """Between hands, where nothing is to be done: whoever was away when there was is not waited for any more."""
        table = self._actor.table
        if table.waiting_for and not (table.in_hand or table.closed):
            await self._record(Change())

    async def _take(self, due: step.Step) -> Taken:
        """Take it and make it durable."""
        actor = self._actor
        taken = await _TAKERS[type(due)](actor, due)
        if isinstance(due, step.ExpireTurn) and actor.table.waiting_for:
            await actor.record(Change(facts=(after_stall(actor.table, actor.world.clock.now()),)))
        else:
            await self._record(taken.change)
        return taken

    async def _look(self) -> None:
        """Everything that must be known before a step."""
        actor = self._actor
        if actor.stale:
            await actor.catch_up()
        await actor.recall_cards()
        if not actor.table.in_hand:  # a hand in play is not held up by who wants to sit down
            await purchases.settle_unsettled(actor)

    def _outrun(self, conflict: WriteConflict) -> step.Await | None:
        """At once; with a pause where that happens again and again, as when this process is no owner any more."""
        shares = self._actor.world.shares
        if conflict.label == OWNER_LABEL:
            shares.lost(subject_of(self._actor.table))
        if not shares.shared:
            self._actor.world.witness.step_failed("Record", self._actor.table_id, conflict)
        if self._waits:
            return self._later()
        self._waits += 1
        return None

    async def _record(self, change: Change) -> None:
        """A step that was taken ends a stall."""
        facts: tuple[Fact, ...] = change.facts
        if self._actor.table.waiting_for:
            facts = (TableResumed(after=Halt.STALL, deadline=None), *facts)
        if facts:
            await self._actor.record(replace(change, facts=facts))

    async def _stall(self, service: str) -> step.Await:
        """Say whom the table waits for, once, and try again later."""
        if self._actor.table.waiting_for != service:
            await self._actor.record(Change(facts=(TableStalled(waiting_for=service),)))
        return self._later() if service == NEEDS_ATTENTION else self._later(AWAY_SECONDS)

    async def _failed(self, due: step.Step, fault: Exception) -> step.Await | None:
        """A refusal or a fault: a hand that cannot go on is voided (rule 106), anything else is tried again."""
        actor = self._actor
        actor.world.witness.step_failed(type(due).__name__, actor.table_id, fault)
        hopeless = _is_final(fault) or self._failures >= ATTEMPTS_MAX
        self._failures += 1
        hand = actor.table.hand
        if hopeless and hand is not None and hand.in_play:
            self._failures = self._waits = 0
            await self._record(Change(facts=(voided_fact(hand, _cause_of(fault)),)))
            return None
        return await self._stall(NEEDS_ATTENTION) if hopeless else self._later()

    def _later(self, longest_seconds: float = BACKOFF_SECONDS[-1]) -> step.Await:
        seconds = min(BACKOFF_SECONDS[min(self._waits, len(BACKOFF_SECONDS) - 1)], longest_seconds)
        self._waits += 1
        return step.Await(self._actor.world.clock.now() + timedelta(seconds=seconds))


def _is_final(fault: Exception) -> bool:
    """Asking again would get the same answer."""
    return is_refused(fault) or isinstance(fault, ChipsAdrift)


def _cause_of(fault: Exception) -> str:
    """What is said of a voided hand: our own words only."""
    said = isinstance(fault, DomainError | ChipsAdrift)
    return str(fault)[:_CAUSE_CHARACTERS_MAX] if said else "a fault of the service"
