"""Sitting down, adding chips, leaving: where a cash table meets the ledger."""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from services.orchestrator.application import purchases, seats
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.changes_made import ChangesMade
from services.orchestrator.application.once import (
    Answered,
    answer_after,
    decide_and_record,
    first_answer,
    in_line,
    on_the_newest,
)
from services.orchestrator.application.refused import told_once
from services.orchestrator.application.table_log import SEAT_KEPT, CommandAnswer, Purchase, begun
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain import commands, decisions, refusals
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import LeaveCause
from services.orchestrator.ports import ServiceAway
from shared.storage.database import WriteConflict
from shared.storage.requests import RequestKey, reused

Result = TypeVar("Result")


class MoneyCommands:
    """Sit, AddChips, Leave."""

    def __init__(self, tables: Tables) -> None:
        """At these tables."""
        self._tables = tables
        self._changes: WeakKeyDictionary[TableActor, ChangesMade] = WeakKeyDictionary()
        self._in_vain = ChangesMade()
        """At all tables together: who goes from one to the next fills no more than at one."""

    async def sit(self, key: RequestKey, command: commands.Sit) -> Answered:
        """The seat is kept while the ledger is asked; a hand in progress is not held up."""
        actor = await self._tables.actor(command.table_id)
        return await in_line(actor, command.player_id, lambda: self._sit(actor, key, command))

    async def add_chips(self, key: RequestKey, command: commands.AddChips) -> Answered:
        """Between hands; the table waits for the ledger."""
        actor = await self._tables.actor(command.table_id)
        return await in_line(actor, command.player_id, lambda: self._add_chips(actor, key, command))

    async def leave(self, key: RequestKey, command: commands.PlayerCommand) -> Answered:
        """At once, or when the hand is over for whoever was dealt in."""
        actor = await self._tables.actor(command.table_id)
        return await in_line(actor, command.player_id, lambda: self._leave(actor, key, command))

    async def _sit(self, actor: TableActor, key: RequestKey, command: commands.Sit) -> Answered:
        async def begin() -> Purchase:
            while True:
                await purchases.look_again(actor)
                purchase = _purchase_of_seat(actor, key, command)
                self._count_purchase(actor, purchase)
                try:
                    return await purchases.begin(actor, purchase)
                except WriteConflict as conflict:
                    if conflict.label != SEAT_KEPT or not actor.world.shares.shared:
                        raise  # else another process has just kept the seat for somebody: look which are free

        async with actor.turn_of(command.player_id):
            purchase = await self._told_once(actor, key, command.player_id, begin)
        if isinstance(purchase, Answered):
            return purchase
        chips = await purchases.buy(actor, purchase)
        async with actor.turn_of(command.player_id):
            return await _finished(actor, purchase, chips)

    async def _add_chips(self, actor: TableActor, key: RequestKey, command: commands.AddChips) -> Answered:
        async with actor.turn_of(command.player_id):
            purchase = await self._told_once(actor, key, command.player_id, lambda: self._addition(actor, key, command))
            if isinstance(purchase, Answered):
                return purchase
            chips = await purchases.buy(actor, purchase)
            return await _finished(actor, purchase, chips)

    async def _addition(self, actor: TableActor, key: RequestKey, command: commands.AddChips) -> Purchase:
        """Begin to buy chips, between hands only."""
        decisions.cash_only(actor.table, "chips of a tournament are bought at the tournament ledger")
        seat = decisions.seat_of(actor.table, command.player_id)
        decisions.check_stays(actor.table, seat)
        if actor.table.busy:
            raise refusals.hand_in_progress(actor.table)
        purchase = begun(key, command.player_id, seat.seat, command.chips)
        self._count_purchase(actor, purchase)
        return await purchases.begin(actor, purchase)

    def _count_purchase(self, actor: TableActor, purchase: Purchase) -> None:
        """Each purchase is rows of two books for ever, and can be undone by leaving: so many a hand."""
        if purchase.key.request_id not in actor.buying:  # else it goes on with what it began
            self._count(actor, purchase.player_id, changed=True)

    def _count(self, actor: TableActor, player_id: str, *, changed: bool) -> None:
        made, world = self._changes.setdefault(actor, ChangesMade()), actor.world
        number, now = actor.table.hand_number, world.clock.now()
        made.one_more(player_id, number, now, world.changes_per_hand_max, changed=changed)
        if not changed:
            self._in_vain.one_more(player_id, 0, now, world.changes_per_hand_max, changed=False)

    async def _told_once(
        self, actor: TableActor, key: RequestKey, player_id: str, work: Callable[[], Awaitable[Result]]
    ) -> Result | Answered:
        """As it was told before, or anew; so many refusals a hand are remembered for a player."""

        def count() -> None:
            self._count(actor, player_id, changed=False)

        return await on_the_newest(actor, lambda: told_once(actor, key, work, count))

    async def _leave(self, actor: TableActor, key: RequestKey, command: commands.PlayerCommand) -> Answered:
        async def leave(table: Table) -> tuple[Change, CommandAnswer]:
            change = Change(facts=decisions.leave(table, command.player_id))
            if not change.facts:
                self._count(actor, command.player_id, changed=False)
            return change, answer_after(table, change)

        async with actor.turn_of(command.player_id):
            answered = await self._told_once(
                actor, key, command.player_id, lambda: decide_and_record(actor, key, leave)
            )
            if answered.table is None:
                return answered  # as it was answered before
            await _cash_out_now(actor, command.player_id)
        actor.poke()
        return answered


def _purchase_of_seat(actor: TableActor, key: RequestKey, command: commands.Sit) -> Purchase:
    """The seat is chosen once: a repeated request goes on with the purchase that it began."""
    before = actor.buying.get(key.request_id)
    if before is not None:
        if before.key != key:
            raise reused(key.request_id)
        return before
    for other in actor.buying.values():
        if other.player_id == command.player_id:
            raise refusals.already_seated(command.player_id, other.seat)
    taken = [other.seat for other in actor.buying.values()]
    seat = decisions.choose_seat(actor.table, command.player_id, command.seat, taken)
    return begun(key, command.player_id, seat, command.buy_in_chips)


async def _cash_out_now(actor: TableActor, player_id: str) -> None:
    """Whoever is not in a hand has the money before the answer; else, and where the ledger is away, a little later.

    No process deals the player in any more: it would expect a version before the one that says that the player goes.
    Chips that are on their way come first, or they would be paid out and then stand at the table.
    """
    if actor.table.dealt_in(player_id):
        return
    try:
        await purchases.settle_all(actor, player_id)
        seat = actor.table.seat_of(player_id)
        if seat is None:
            return
        gone = await seats.cash_out(actor, seat, LeaveCause.REQUESTED)
        await actor.record(Change(facts=(gone,)))
    except (ServiceAway, WriteConflict):  # the owner of the table was faster, or will do it
        return


async def _finished(actor: TableActor, purchase: Purchase, chips: int) -> Answered:
    """What was bought stands at the table; where that cannot be recorded now, the table does it later."""
    try:
        return await on_the_newest(actor, lambda: _bought(actor, purchase, chips))
    except Exception:
        purchases.leave_open(actor, purchase)
        raise


async def _bought(actor: TableActor, purchase: Purchase, chips: int) -> Answered:
    """Recorded now, or by the table itself in the meantime."""
    known = await first_answer(actor, purchase.key)
    if known is not None:
        return known
    if actor.table.closed:  # while the ledger was asked: the chips go straight back
        await actor.world.ledger.cash_out(actor.table_id, purchase.player_id, purchase.cause_id)
        refusal = refusals.table_closed(actor.table)
        await purchases.drop(actor, purchase, refusal)
        raise refusal
    if actor.table.dealt_in(purchase.player_id):
        raise ServiceAway("orchestrator")  # another process began a hand meanwhile: the chips are added after it
    answer = await purchases.settle(actor, purchase, chips)
    return Answered(answer=answer, table=actor.table, down_cards=actor.down_cards)
