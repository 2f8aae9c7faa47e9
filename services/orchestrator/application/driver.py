"""The task of one table: asks what is next, does it, waits; stalls while a service is away, voids what cannot go on."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from services.orchestrator.application import end_hand, play_hand, purchases, seats, start_hand
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.down_cards import ask_again
from services.orchestrator.application.taken import Taken
from services.orchestrator.domain import next_step as step
from services.orchestrator.domain.decisions import after_stall
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand_facts import StreetDealt
from services.orchestrator.domain.outcomes import ChipsAdrift, voided_fact
from services.orchestrator.domain.table_facts import Halt, TableResumed, TableStalled
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.observability.logging import bind_call

BACKOFF_SECONDS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
ATTEMPTS_MAX: Final = 6
"""Unexpected failures of one step in a hand before the hand is voided."""
NEEDS_ATTENTION: Final = "orchestrator"
"""Whom a table waits for that cannot go on between hands: its log says why."""
_PASSING: Final = {
    Reason.LIMIT_REACHED,
    Reason.DEPENDENCY_UNAVAILABLE,
    Reason.DEADLINE_PASSED,
    Reason.DRAINING,
    Reason.INTERNAL,
}
_CAUSE_CHARACTERS_MAX: Final = 200

_TAKERS: Mapping[type, Callable[[TableActor, Any], Awaitable[Taken]]] = {
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


class Driver:
    """Drives one table until it is closed."""

    def __init__(self, actor: TableActor) -> None:
        """Drive this table."""
        self._actor = actor
        self._failures = 0

    async def run(self) -> None:
        """Step by step; the lock is free whenever the table waits."""
        actor = self._actor
        bind_call(table_id=actor.table_id)
        while not actor.table.closed:
            async with actor.lock:
                rest = await self._step_or_later()
            if rest is not None:
                await actor.rest(rest.until)

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
            await self._recall_cards()
            if not actor.table.in_hand:  # a hand in play is not held up by who wants to sit down
                await purchases.settle_unsettled(actor)
            due = step.next_step(actor.table, actor.world.clock.now())
            if isinstance(due, step.Await):
                return due
            taken = await _TAKERS[type(due)](actor, due)
            if isinstance(due, step.ExpireTurn) and actor.table.waiting_for:
                await actor.record(Change(facts=(after_stall(actor.table, actor.world.clock.now()),)))
            else:
                await self._record(taken.change)
        except ServiceAway as away:
            return await self._stall(away.service)
        except Exception as fault:  # noqa: BLE001  # a refusal, or a fault of ours or theirs
            return await self._failed(due, fault)
        self._failures = 0
        return taken.rest

    async def _recall_cards(self) -> None:
        """After a restart the dealer is asked once more for the cards of the hand in play."""
        actor = self._actor
        hand = actor.table.hand
        if actor.cards_at_hand.is_set():
            return
        if hand is not None and hand.in_play and not actor.down_cards:
            after = hand.first_version - 1
            events = await actor.world.log.events(actor.table_id, after, actor.table.version - after)
            dealt = [event.fact for event in events if isinstance(event.fact, StreetDealt)]
            actor.down_cards = await ask_again(actor.world.dealer, hand.hand_id, dealt)
        actor.cards_at_hand.set()

    async def _record(self, change: Change) -> None:
        """A step that was taken ends a stall."""
        facts: tuple[Fact, ...] = change.facts
        if self._actor.table.waiting_for:
            facts = (TableResumed(after=Halt.STALL, deadline=None), *facts)
        if facts:
            await self._actor.record(
                Change(
                    facts=facts,
                    betting=change.betting,
                    down_cards=change.down_cards,
                    settled_purchase=change.settled_purchase,
                )
            )

    async def _stall(self, service: str) -> step.Await:
        """Say whom the table waits for, once, and try again later."""
        if self._actor.table.waiting_for != service:
            await self._actor.record(Change(facts=(TableStalled(waiting_for=service),)))
        return self._later()

    async def _failed(self, due: step.Step, fault: Exception) -> step.Await | None:
        """A refusal or a fault: a hand that cannot go on is voided (rule 106), anything else is tried again."""
        actor = self._actor
        actor.world.witness.step_failed(type(due).__name__, actor.table_id, fault)
        hopeless = _is_final(fault) or self._failures >= ATTEMPTS_MAX
        hand = actor.table.hand
        if hopeless and hand is not None and hand.in_play:
            self._failures = 0
            await self._record(Change(facts=(voided_fact(hand, _cause_of(fault)),)))
            return None
        return await self._stall(NEEDS_ATTENTION) if hopeless else self._later()

    def _later(self) -> step.Await:
        seconds = BACKOFF_SECONDS[min(self._failures, len(BACKOFF_SECONDS) - 1)]
        self._failures += 1
        return step.Await(self._actor.world.clock.now() + timedelta(seconds=seconds))


def _is_final(fault: Exception) -> bool:
    """Asking again would get the same answer."""
    if isinstance(fault, DomainError):
        return fault.reason not in _PASSING
    return isinstance(fault, ChipsAdrift)


def _cause_of(fault: Exception) -> str:
    """What is said of a voided hand: our own words only."""
    said = isinstance(fault, DomainError | ChipsAdrift)
    return str(fault)[:_CAUSE_CHARACTERS_MAX] if said else "a fault of the service"
