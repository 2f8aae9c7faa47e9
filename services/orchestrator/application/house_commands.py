"""What operators ask for: open, pause, resume, close."""

from collections.abc import Awaitable, Callable
from typing import Final

from services.orchestrator.application import purchases, seats
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.line import HOUSE
from services.orchestrator.application.once import Answered, answer_after, decide_and_record, in_line, on_the_newest
from services.orchestrator.application.refused import told_once
from services.orchestrator.application.table_log import CommandAnswer
from services.orchestrator.application.tables import Tables, made_table_id
from services.orchestrator.application.tournament_names import TABLE_ID_MAX, names_a_tournaments_table
from services.orchestrator.domain import commands, decisions, refusals
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import LeaveCause, Presence, TableClosed, TableOpened, TablePaused
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.game import Mode
from shared.kernel.rules import RuleSet
from shared.kernel.rules.validation import check_mode, check_stakes, refuse_rules
from shared.storage.requests import RequestKey

MINOR_MAX: Final = 2**63 - 1
"""The largest amount that an account holds."""
Decide = Callable[[Table], Awaitable[tuple[Change, CommandAnswer]]]
_TOURNAMENT_FORM: Final = (
    "ids that end in .final or in a dot and a number are those of tournament tables: choose another"
)
_TOO_LONG: Final = f"at most {TABLE_ID_MAX} characters, so that the ids of its hands begin with it"


class HouseCommands:
    """OpenTable, PauseTable, ResumeTable, CloseTable."""

    def __init__(self, tables: Tables) -> None:
        """At these tables."""
        self._tables = tables

    async def open_table(self, key: RequestKey, command: commands.OpenTable, rules: RuleSet) -> Answered:
        """A cash table: stakes and rules are checked together, its book is opened at the ledger first."""
        known = await self._tables.world.log.answer(key)
        if known is None:
            try:
                return await self._opened(key, command, rules)
            except DomainError:
                known = await self._tables.world.log.answer(key)  # a copy of the request was faster
                if known is None:
                    raise
        return Answered(answer=known, table=None, down_cards={})

    async def _opened(self, key: RequestKey, command: commands.OpenTable, rules: RuleSet) -> Answered:
        self._check(command, rules)
        table_id = command.table_id or made_table_id(key.request_id)
        if await self._tables.exists(table_id):
            raise refusals.table_exists(table_id)
        await self._tables.world.ledger.open_cash_table(table_id, command.chip_value, rules.cash)
        return await self._tables.open(key, table_id, Change(facts=_opening(command, rules)))

    def _check(self, command: commands.OpenTable, rules: RuleSet) -> None:
        mode = check_mode(Mode.CASH, rules.hand, "rules.overrides.hand")
        refuse_rules((*mode, *check_stakes(command.stakes, rules.hand, "stakes")))
        if self._tables.open_count >= self._tables.world.tables_max:
            message = f"{self._tables.world.tables_max} open tables are all this service takes: close one first"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "tables_max"})
        _refuse_request("chip_value.amount_minor", _chip_value_problem(command, rules))
        taken_form = names_a_tournaments_table(command.table_id)
        _refuse_request("table_id", _TOURNAMENT_FORM if taken_form else "")
        _refuse_request("table_id", _TOO_LONG if len(command.table_id) > TABLE_ID_MAX else "")
        if command.scripted_hands and not self._tables.world.scripted_allowed:
            message = (
                "cards chosen beforehand are refused here: start dealer and orchestrator with scripted decks allowed, "
                "and serve no real table with them"
            )
            raise DomainError(Reason.SCRIPTED_DECKS_REFUSED, message)

    async def pause_table(self, key: RequestKey, command: commands.PauseTable) -> Answered:
        """After the hand in progress, or at once with the clocks."""

        async def decide(table: Table) -> tuple[Change, CommandAnswer]:
            decisions.check_version(table, command.expected_version)
            now = self._tables.world.clock.now()
            change = Change(facts=decisions.pause(table, command.cause, now, clocks_too=command.clocks_too))
            return change, answer_after(table, change)

        return await self._decided(key, command.table_id, decide)

    async def resume_table(self, key: RequestKey, command: commands.ResumeTable) -> Answered:
        """The table goes on."""

        async def decide(table: Table) -> tuple[Change, CommandAnswer]:
            decisions.check_version(table, command.expected_version)
            change = Change(facts=decisions.resume(table, self._tables.world.clock.now()))
            return change, answer_after(table, change)

        return await self._decided(key, command.table_id, decide)

    async def _decided(self, key: RequestKey, table_id: str, decide: Decide) -> Answered:
        """Once; a refusal is remembered: nobody's table stops, or goes on, by a request that was told no."""
        actor = await self._tables.actor(table_id)

        async def work() -> Answered:
            async with actor.turn_of(HOUSE):
                return await on_the_newest(
                    actor, lambda: told_once(actor, key, lambda: decide_and_record(actor, key, decide))
                )

        return await in_line(actor, HOUSE, work)

    async def close_table(self, key: RequestKey, command: commands.CloseTable) -> Answered:
        """Between hands; every player is cashed out first, each in a step of its own."""
        actor = await self._tables.actor(command.table_id)
        return await in_line(actor, HOUSE, lambda: self._close(actor, key, command))

    async def _close(self, actor: TableActor, key: RequestKey, command: commands.CloseTable) -> Answered:
        try:
            async with actor.turn_of(HOUSE):
                return await on_the_newest(actor, lambda: self._closed_once(actor, key, command.expected_version))
        finally:
            actor.poke()  # whoever could not be paid out now is paid out by the table

    async def _closed_once(self, actor: TableActor, key: RequestKey, expected_version: int) -> Answered:
        """May run again, here or elsewhere, after any of its steps: they change the version that was expected."""

        async def begin() -> None:
            if actor.table.closed or await actor.world.log.closing(actor.table_id) == key:
                return
            decisions.check_version(actor.table, expected_version)
            decisions.close(actor.table)
            await actor.world.log.begin_closing(actor.table_id, actor.table.version, key)

        known = await told_once(actor, key, begin)
        if known is not None:
            return known
        if not actor.table.closed:
            decisions.close(actor.table)  # players may have come since it was cut off: it was begun, and is for later
            await _let_nobody_be_dealt_in(actor)
            for seat in actor.table.seats:
                gone = await seats.cash_out(actor, seat, LeaveCause.TABLE_CLOSED)
                await actor.record(Change(facts=(gone,)))
        return await decide_and_record(actor, key, _closed)


async def _let_nobody_be_dealt_in(actor: TableActor) -> None:
    """Whoever goes is in no hand any more, whether another process is about to begin one or the ledger is away soon.

    Nothing is on its way to the table any more either: what was bought goes back with the rest.
    """
    await purchases.settle_all(actor)
    going = [each for each in actor.table.seats if each.presence is not Presence.LEAVING]
    facts = [fact for each in going for fact in decisions.leave(actor.table, each.player_id)]
    if facts:
        await actor.record(Change(facts=tuple(facts)))


def _chip_value_problem(command: commands.OpenTable, rules: RuleSet) -> str:
    """A chip is worth something, and the smallest buy-in can be paid: within 64 bits and the cap of the table."""
    cap, least = rules.cash.cash_stake_cap_minor, rules.cash.buy_in_min_chips
    most = (cap or MINOR_MAX) // least
    if most < 1:
        return f"nobody could sit: {least} chips, buy_in_min_chips, cost more than cash_stake_cap_minor, which is {cap}"
    limit = f"cash_stake_cap_minor, which is {cap}" if cap else "64 bits"
    return (
        ""
        if 1 <= command.chip_value.amount_minor <= most
        else f"1 to {most} minor units: {least} chips, buy_in_min_chips, must cost no more than {limit}"
    )


def _refuse_request(field: str, problem: str) -> None:
    """Refuse with REQUEST_INVALID where there is a problem with the field."""
    if problem:
        message = f"{field}: {problem}"
        raise DomainError(Reason.REQUEST_INVALID, message, violations=(FieldViolation(field, problem),))


async def _closed(table: Table) -> tuple[Change, CommandAnswer]:
    change = Change(facts=() if table.closed else (TableClosed(),))
    return change, answer_after(table, change)


def _opening(command: commands.OpenTable, rules: RuleSet) -> tuple[Fact, ...]:
    opened = TableOpened(
        name=command.name,
        mode=Mode.CASH,
        tournament_id="",
        stakes=command.stakes,
        rules=rules,
        scripted=bool(command.scripted_hands),
        level=0,
        decision_seconds=0,
        hands_max=command.hands_max,
        scripted_hands=command.scripted_hands,
    )
    if not command.start_paused:
        return (opened,)
    paused = TablePaused(cause="opened paused", clocks_too=False, remaining_millis=0, by_director=False)
    return (opened, paused)
