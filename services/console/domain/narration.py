"""Events of a table as one line each, for people."""

from functools import singledispatch

from services.console.domain import events
from services.console.domain.betting import ActionCause, ActionKind
from services.console.domain.printable import printable
from services.console.domain.table import TableView
from shared.kernel.cards import cards_text
from shared.kernel.rules.hand import Stakes

_VERBS = {
    ActionKind.FOLD: "folds",
    ActionKind.CHECK: "checks",
    ActionKind.CALL: "calls {paid}",
    ActionKind.BRING_IN: "brings in for {paid}",
    ActionKind.COMPLETE: "completes to {to}",
    ActionKind.BET: "bets {to}",
    ActionKind.RAISE: "raises to {to}",
}
_CAUSES = {
    ActionCause.CLOCK: " (time is up)",
    ActionCause.ABSENT: " (absent)",
    ActionCause.DISCONNECTED: " (connection lost)",
}


def told(event: events.TableEvent, table: TableView) -> str:
    """The event as a line, or nothing where people need not read it; ``table`` is the view before the event."""
    return _line(event.fact, table)


def is_headline(fact: events.Fact) -> bool:
    """Worth a line even where only the outline of each hand is told."""
    return isinstance(
        fact,
        events.HandStarted
        | events.HandVoided
        | events.HandShown
        | events.PotAwarded
        | events.PlayerEliminated
        | events.StakesChanged
        | events.TableStalled
        | events.TablePaused
        | events.TableResumed
        | events.TableClosed,
    )


def stakes_text(stakes: Stakes | None) -> str:
    """Amounts as people read them, as in `ante 10, bring-in 20, 50/100`."""
    if stakes is None:
        return ""
    limits = f"{stakes.lower_limit_chips:,}/{stakes.upper_limit_chips:,}"
    return f"ante {stakes.ante_chips:,}, bring-in {stakes.bring_in_chips:,}, {limits}"


def _name(table: TableView, number: int) -> str:
    seat = table.seat(number)
    return f"seat {number}" if seat is None else printable(seat.player_id)


@singledispatch
def _line(fact: object, table: TableView) -> str:
    del fact, table
    return ""


@_line.register
def _(fact: events.HandStarted, table: TableView) -> str:
    del table
    level = f"level {fact.level}, " if fact.level else ""
    return f"hand {fact.hand_number}: {len(fact.seats)} players, {level}{stakes_text(fact.stakes)}"


@_line.register
def _(fact: events.StreetDealt, table: TableView) -> str:
    shown = "  ".join(
        f"{_name(table, cards.seat)} {cards_text(cards.up_cards)}" for cards in fact.seats if cards.up_cards
    )
    common = "" if fact.common_card is None else f"common card {cards_text((fact.common_card,))}"
    return f"{fact.street.value.lower()} street  {shown or common}".rstrip()


@_line.register
def _(fact: events.ActionTaken, table: TableView) -> str:
    verb = _VERBS[fact.kind].format(paid=f"{fact.paid_chips:,}", to=f"{fact.to_chips:,}")
    all_in = ", all-in" if fact.all_in and fact.paid_chips else ""
    cause = "" if fact.cause is None else _CAUSES.get(fact.cause, "")
    return f"{_name(table, fact.seat)} {verb}{all_in}{cause}"


@_line.register
def _(fact: events.UncalledBetReturned, table: TableView) -> str:
    return f"{_name(table, fact.seat)} takes back {fact.chips:,} that nobody called"


@_line.register
def _(fact: events.HandShown, table: TableView) -> str:
    words = f": {printable(fact.description_en)}" if fact.description_en else ""
    return f"{_name(table, fact.seat)} shows {cards_text(fact.cards)}{words}"


@_line.register
def _(fact: events.HandMucked, table: TableView) -> str:
    return f"{_name(table, fact.seat)} mucks"


@_line.register
def _(fact: events.PotAwarded, table: TableView) -> str:
    pot = "the pot" if fact.award.pot_index == 0 else f"side pot {fact.award.pot_index}"
    winners = " and ".join(f"{_name(table, share.seat)} {share.chips:,}" for share in fact.award.shares)
    return f"{pot} of {fact.award.chips:,} goes to {winners}"


@_line.register
def _(fact: events.HandVoided, table: TableView) -> str:
    del table
    return f"hand {fact.hand_number} is void: {printable(fact.cause)}"


@_line.register
def _(fact: events.PlayerEliminated, table: TableView) -> str:
    del table
    return f"{printable(fact.player_id)} is out in place {fact.place}"


@_line.register
def _(fact: events.StakesChanged, table: TableView) -> str:
    del table
    what = f"level {fact.level}" if fact.level else "new stakes"
    return f"{what}: {stakes_text(fact.stakes)}"


@_line.register
def _(fact: events.SeatFrozen, table: TableView) -> str:
    return f"{_name(table, fact.seat)} is frozen by the clock"


@_line.register
def _(fact: events.TablePaused, table: TableView) -> str:
    del table
    return f"the table is paused: {printable(fact.cause)}"


@_line.register
def _(fact: events.TableResumed, table: TableView) -> str:
    del fact, table
    return "the table goes on"


@_line.register
def _(fact: events.TableStalled, table: TableView) -> str:
    del table
    return f"the table waits for {printable(fact.waiting_for)}"


@_line.register
def _(fact: events.TableClosed, table: TableView) -> str:
    del fact, table
    return "the table is closed"


@_line.register
def _(fact: events.PlayerSeated, table: TableView) -> str:
    del table
    return f"{printable(fact.player_id)} sits down in seat {fact.seat} with {fact.stack_chips:,}"
