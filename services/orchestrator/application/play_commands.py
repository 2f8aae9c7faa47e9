"""What players ask for during and between hands, but for money."""

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from services.orchestrator.application import end_hand, play_hand
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.changes_made import ChangesMade
from services.orchestrator.application.once import Answered, answer_after, once
from services.orchestrator.application.refused import remembered
from services.orchestrator.application.table_log import CommandAnswer
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain import commands, decisions, entropy
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand_facts import ActionTaken
from services.orchestrator.domain.outcomes import ChipsAdrift, voided_fact
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.unasked import may_show_unasked
from shared.kernel.errors import DomainError, Reason
from shared.kernel.frozen import maker
from shared.storage.requests import RequestKey

_answer = maker(CommandAnswer)

SettingCommand = commands.PlayerCommand | commands.SetConnection | commands.SetAutoAnte | commands.RegisterSeatKey
OtherCommand = commands.UseTimeBank | commands.AddEntropy
TurnCommand = SettingCommand | OtherCommand | commands.Act
Decided = TypeVar("Decided")


class PlayCommands:
    """Act, show, sit out, come back."""

    def __init__(self, tables: Tables) -> None:
        """At these tables."""
        self._tables = tables
        self._changes: WeakKeyDictionary[TableActor, ChangesMade] = WeakKeyDictionary()
        self._in_vain = ChangesMade()
        """At all tables together: who goes from one to the next fills no more than at one."""

    async def act(self, key: RequestKey, command: commands.Act) -> Answered:
        """One call to betting, one durable append; what follows is the table's own business."""
        actor = await self._tables.actor(command.table_id)

        async def decide(table: Table) -> tuple[Change, CommandAnswer]:
            turn = await self._or_for_good(
                actor, key, command, lambda: decisions.open_turn(table, command.player_id, command.turn_id)
            )
            try:
                change = await play_hand.act(actor, turn, command.kind, command.to_chips)
            except ChipsAdrift as adrift:
                raise await _voided(actor, adrift) from adrift
            return change, _acted(table, change)

        return await once(actor, command.player_id, key, decide)

    async def use_time_bank(self, key: RequestKey, command: commands.UseTimeBank) -> Answered:
        """The bank follows the decision time of this turn."""
        return await self._decided(
            key, command, lambda table: decisions.use_time_bank(table, command.player_id, command.turn_id)
        )

    async def show_or_muck(self, key: RequestKey, command: commands.ShowOrMuck) -> Answered:
        """A beaten hand at the showdown, or the hand of an uncontested winner."""
        actor = await self._tables.actor(command.table_id)

        async def decide(table: Table) -> tuple[Change, CommandAnswer]:
            await actor.recall_cards()
            hand, seat = decisions.hand_to_show(table, command.player_id, command.hand_id)
            if command.show:
                facts: tuple[Fact, ...] = await end_hand.show(actor, hand, seat)
            else:
                waited_for = may_show_unasked(table, hand) is not None
                facts = decisions.muck((seat,)) if hand.in_play or waited_for else ()
            if not facts:
                self._count(actor, command.player_id, changed=False)
            change = Change(facts=facts)
            return change, answer_after(table, change)

        return await once(actor, command.player_id, key, decide)

    async def sit_out(self, key: RequestKey, command: commands.PlayerCommand) -> Answered:
        """From the next hand on."""
        return await self._changed(key, command, lambda table: decisions.sit_out(table, command.player_id))

    async def come_back(self, key: RequestKey, command: commands.PlayerCommand) -> Answered:
        """At once or from the next hand on."""
        return await self._changed(key, command, lambda table: decisions.come_back(table, command.player_id))

    async def set_connection(self, key: RequestKey, command: commands.SetConnection) -> Answered:
        """The clock rules say what follows."""
        return await self._changed(
            key,
            command,
            lambda table: decisions.set_connection(table, command.player_id, connected=command.connected),
        )

    async def set_auto_ante(self, key: RequestKey, command: commands.SetAutoAnte) -> Answered:
        """Where the rules allow it."""
        return await self._changed(
            key,
            command,
            lambda table: decisions.set_auto_ante(table, command.player_id, auto_ante=command.auto_ante),
        )

    async def register_seat_key(self, key: RequestKey, command: commands.RegisterSeatKey) -> Answered:
        """From the next hand on."""
        return await self._changed(
            key,
            command,
            lambda table: decisions.register_seat_key(table, command.player_id, command.public_key),
        )

    async def add_entropy(self, key: RequestKey, command: commands.AddEntropy) -> Answered:
        """To the deck of the next hand."""
        actor = await self._tables.actor(command.table_id)
        now = actor.world.clock.now
        return await self._decided(
            key,
            command,
            lambda table: entropy.add(table, command.player_id, command.hand_id, command.entropy, now()),
        )

    async def _changed(
        self, key: RequestKey, command: SettingCommand, decision: Callable[[Table], tuple[Fact, ...]]
    ) -> Answered:
        """A change of the player's own settings, of which a hand takes so many."""
        actor = await self._tables.actor(command.table_id)

        def counted(table: Table) -> tuple[Fact, ...]:
            facts = decision(table)
            if facts:
                self._count(actor, command.player_id, changed=True)
            return facts

        return await self._decided(key, command, counted)

    async def _decided(
        self, key: RequestKey, command: SettingCommand | OtherCommand, decision: Callable[[Table], tuple[Fact, ...]]
    ) -> Answered:
        """A command that needs no other service. Also where it changes nothing, its answer is kept."""
        actor = await self._tables.actor(command.table_id)

        async def decide(table: Table) -> tuple[Change, CommandAnswer]:
            change = Change(facts=await self._or_for_good(actor, key, command, lambda: decision(table)))
            if not change.facts:
                self._count(actor, command.player_id, changed=False)
            return change, answer_after(table, change)

        return await once(actor, command.player_id, key, decide)

    async def _or_for_good(
        self, actor: TableActor, key: RequestKey, command: TurnCommand, decision: Callable[[], Decided]
    ) -> Decided:
        """What is refused because the clocks stand still stays refused.

        The turn goes on with them, and a copy of the request that was late on its way would act for who was told no.
        """
        try:
            return decision()
        except DomainError as refusal:
            if actor.table.stopped and refusal.reason is Reason.ACTION_NOT_LEGAL:
                self._count(actor, command.player_id, changed=False)
                await remembered(actor, key, refusal)
            raise

    def _count(self, actor: TableActor, player_id: str, *, changed: bool) -> None:
        made, world = self._changes.setdefault(actor, ChangesMade()), actor.world
        number, now = actor.table.hand_number, world.clock.now()
        made.one_more(player_id, number, now, world.changes_per_hand_max, changed=changed)
        if not changed:
            self._in_vain.one_more(player_id, 0, now, world.changes_per_hand_max, changed=False)


def _acted(table: Table, change: Change) -> CommandAnswer:
    """The action as it was recorded."""
    for version, happened in enumerate(change.facts, start=table.version + 1):
        if isinstance(happened, ActionTaken):
            return _answer(
                version=version,
                table_id=table.table_id,
                seat=happened.seat,
                paid_chips=happened.paid_chips,
                stack_chips=happened.stack_chips,
            )
    raise LookupError("an action was answered without the fact of it")


async def _voided(actor: TableActor, adrift: ChipsAdrift) -> DomainError:
    """The hand cannot go on (rule 106)."""
    hand = actor.table.hand
    actor.world.witness.step_failed("Act", actor.table_id, adrift)
    if hand is not None and hand.in_play:
        await actor.record(Change(facts=(voided_fact(hand, str(adrift)),)))
        actor.poke()
    return DomainError(Reason.CHIPS_NOT_CONSERVED, f"the hand was voided: {adrift}")
