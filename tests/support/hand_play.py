"""A hand script played at a table in one process, line by line; what does not fit is a ScriptError with its line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.betting.application.commands import SeatStack
from services.betting.domain.actions import WAGERS, ActionCause, ActionKind
from services.betting.domain.facts import ActionTaken
from services.betting.domain.outcome import BettingOutcome, NextStep
from services.dealer.domain.script import ScriptedSeat
from shared.kernel.errors import DomainError
from shared.kernel.game import Street
from tests.support.hand_script import HandScript, Line, Play
from tests.support.in_process_cards import ScriptedCards
from tests.support.in_process_table import HandSetup, InProcessTable, TableFact, Watcher
from tests.support.table_services import IN_PROCESS, TableServices

_ACTION = r"seat (\d+) (folds|checks|calls|brings in|opens for|completes to|bets|raises to)(?: (\d+))?( all-in)?"
_KINDS = {
    "folds": ActionKind.FOLD,
    "checks": ActionKind.CHECK,
    "calls": ActionKind.CALL,
    "brings in": ActionKind.BRING_IN,
    "opens for": ActionKind.COMPLETE,
    "completes to": ActionKind.COMPLETE,
    "bets": ActionKind.BET,
    "raises to": ActionKind.RAISE,
}
STREETS = {street.lower(): street for street in Street}


@dataclass(slots=True, kw_only=True)
class Running:
    """A play in progress."""

    script: HandScript
    play: Play
    watchers: Sequence[Watcher] = ()
    services: TableServices = IN_PROCESS
    _table: InProcessTable | None = None
    facts: list[TableFact] = field(default_factory=list)
    """What the last line of the script brought."""
    betting: BettingOutcome | None = None
    """The betting before the pots were paid."""

    @property
    def table(self) -> InProcessTable:
        """The table; it is opened by the first line that needs it."""
        if self._table is None:
            self._table = open_table(self.script, self.play, (*self.watchers, self._watch), self.services)
            self._table.protections = dict(self.script.protections)
        return self._table

    def _watch(self, table: InProcessTable, facts: Sequence[TableFact]) -> None:
        self.facts.extend(facts)
        if table.outcome.next is not NextStep.END:
            self.betting = table.outcome

    @property
    def latest(self) -> Sequence[TableFact]:
        """What the last line brought; before the first line, what the antes brought."""
        return self.facts if self._table is not None else self.table.facts

    @property
    def before_paying(self) -> BettingOutcome:
        """The betting as it stands, or stood before the pots were paid."""
        return self.betting or self.table.outcome


def open_table(
    script: HandScript, play: Play, watchers: Sequence[Watcher], services: TableServices = IN_PROCESS
) -> InProcessTable:
    """The table of a play with the antes taken."""
    numbers = sorted(seat.seat for seat in script.seats)
    first = script.first_seat or numbers[0]
    order = [seat for seat in numbers if seat >= first] + [seat for seat in numbers if seat < first]
    chips = {seat.seat: seat.chips for seat in script.seats}
    cards = tuple(ScriptedSeat(seat=seat.seat, cards=seat.cards) for seat in script.seats if seat.cards)
    return InProcessTable(
        HandSetup(
            rules=play.rules.hand,
            clock=play.rules.clock,
            stakes=script.stakes,
            stacks=tuple(SeatStack(seat=seat, stack_chips=chips[seat]) for seat in order),
            seed=script.title.encode(),
            script=ScriptedCards(seats=cards, common_card=script.common_card),
            last_two_of_event=script.last_two_of_event,
        ),
        watchers=watchers,
        services=services,
    )


def perform(running: Running, line: Line) -> None:
    """One line that is no expectation: a street, a player's action, or what befalls a player."""
    running.facts.clear()
    for pattern, does in _EVENTS:
        matched = re.fullmatch(pattern, line.text)
        if matched:
            try:
                does(running, line, matched)
            except DomainError as refused:
                raise line.wrong(f"refused: {refused.reason}: {refused.message}") from refused
            return
    raise line.wrong(f"write one of: {'; '.join(_ALLOWED)}")


_ALLOWED = (
    *STREETS,
    "showdown",
    "end",
    "seat 2 folds|checks|calls 5|brings in 3|opens for 10|completes to 10|bets 10|raises to 20 [all-in]",
    "seats 3 4 check|call|fold",
    "all check|call[, seats 5 6 fold]",
    "clock|connection of seat 2 ends",
    "seat 2 is away|back",
    "expect ...",
)


def act(running: Running, line: Line, action: re.Match[str]) -> None:
    """A player's action; an amount and 'all-in' are checked against what was really paid."""
    kind, amount = _KINDS[action[2]], int(action[3] or 0)
    seat, table = int(action[1]), running.table
    table.act(seat, kind, amount if kind in WAGERS else 0)
    taken = next(fact for fact in running.facts if isinstance(fact, ActionTaken))
    if kind not in WAGERS and action[3] and taken.paid_chips != amount:
        raise line.wrong(f"the seat paid {taken.paid_chips}")
    if taken.all_in != bool(action[4]):
        raise line.wrong("the seat is all-in: say so" if taken.all_in else "the seat is not all-in")
    _for_the_absent(table)


_PASSIVE = {"check": ActionKind.CHECK, "call": ActionKind.CALL, "fold": ActionKind.FOLD}


def _several(running: Running, line: Line, matched: re.Match[str]) -> None:
    """The seats named act alike, in this order."""
    for seat in map(int, matched[1].split()):
        if running.table.turn is None or running.table.turn.seat != seat:
            raise line.wrong(f"it is not the turn of seat {seat}")
        running.table.act(seat, _PASSIVE[matched[2]])
        _for_the_absent(running.table)


def _everybody(running: Running, _: Line, matched: re.Match[str]) -> None:
    """To the end of the round each seat acts alike, but for those that fold; who owes nothing checks."""
    table, folding = running.table, set(map(int, (matched[2] or "").split()))
    while table.turn is not None:
        legal = {each.kind for each in table.turn.actions}
        kind = _PASSIVE[matched[1]] if table.turn.seat not in folding else ActionKind.FOLD
        if kind is ActionKind.CALL and ActionKind.CALL not in legal:
            kind = ActionKind.CHECK
        table.act(table.turn.seat, kind)
        _for_the_absent(table)


def parse_action(text: str) -> re.Match[str] | None:
    """A player's action in words."""
    return re.fullmatch(_ACTION, text)


def _for_the_absent(table: InProcessTable) -> None:
    while table.turn is not None and not table.waits:
        table.step()


def _street(running: Running, line: Line, matched: re.Match[str]) -> None:
    table, street = running.table, STREETS[matched[0]]
    while table.street is not street:
        _need_no_turn(table, line)
        if table.outcome.next is not NextStep.DEAL_STREET:
            raise line.wrong(f"no street follows: the hand waits for {table.outcome.next}")
        table.step()
    _for_the_absent(table)


def _need_no_turn(table: InProcessTable, line: Line) -> None:
    if table.turn is not None:
        raise line.wrong(f"seat {table.turn.seat} is to act")


def _showdown(running: Running, line: Line, _: re.Match[str]) -> None:
    _finish(running, line)
    if running.table.showdown is None:
        raise line.wrong("the hand ended unshown: write 'end'")


def _end(running: Running, line: Line, _: re.Match[str]) -> None:
    _finish(running, line)
    if running.table.showdown is not None:
        raise line.wrong("hands were compared: write 'showdown'")


def _finish(running: Running, line: Line) -> None:
    _need_no_turn(running.table, line)
    running.table.run()


def _clock(running: Running, _: Line, matched: re.Match[str]) -> None:
    cause = ActionCause.CLOCK if matched[1] == "clock" else ActionCause.DISCONNECTED
    running.table.expire(int(matched[2]), cause)
    _for_the_absent(running.table)


def _away(running: Running, _: Line, matched: re.Match[str]) -> None:
    running.table.absent.add(int(matched[1]))
    _for_the_absent(running.table)


def _back(running: Running, line: Line, matched: re.Match[str]) -> None:
    if int(matched[1]) not in running.table.absent:
        raise line.wrong("the seat is not away")
    running.table.absent.discard(int(matched[1]))


_EVENTS: tuple[tuple[str, Callable[[Running, Line, re.Match[str]], None]], ...] = (
    (_ACTION, act),
    ("|".join(STREETS), _street),
    ("showdown", _showdown),
    ("end", _end),
    (r"(clock|connection) of seat (\d+) ends", _clock),
    (r"seats ([\d ]+) (check|call|fold)", _several),
    (r"all (check|call)(?:, seats? ([\d ]+) folds?)?", _everybody),
    (r"seat (\d+) is away", _away),
    (r"seat (\d+) is back", _back),
)
