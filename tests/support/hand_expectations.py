"""What a hand script expects: each expectation says how the table answers it in words, and the words must be equal."""

import re
from collections.abc import Callable, Iterable

from services.betting.domain.actions import WAGERS, ActionKind, LegalAction
from services.betting.domain.facts import UncalledBetReturned
from services.betting.domain.outcome import NextStep
from services.dealer.domain.hand import CardSource
from services.evaluator.domain.showdown import Showdown
from shared.kernel.errors import DomainError
from shared.kernel.game import Street
from tests.support.hand_play import Running, act, open_table, parse_action, perform
from tests.support.hand_script import HandScript, Line, Play
from tests.support.in_process_cards import StreetDealt
from tests.support.in_process_table import StreetOpened, Watcher
from tests.support.table_services import IN_PROCESS, TableServices

Words = Callable[[Running, Line, re.Match[str]], str]
NOBODY = "nobody"
_KIND_WORDS = {
    ActionKind.FOLD: "fold",
    ActionKind.CHECK: "check",
    ActionKind.CALL: "call",
    ActionKind.BRING_IN: "bring in",
    ActionKind.COMPLETE: "complete to",
    ActionKind.BET: "bet",
    ActionKind.RAISE: "raise to",
}
_SOURCES = {
    CardSource.STUB: "own cards from stub",
    CardSource.RESHUFFLED_STUB_AND_BURNS: "own cards from stub and burns",
    CardSource.COMMON_FROM_STUB: "shared card from stub",
    CardSource.COMMON_FROM_BURNS: "shared card from burns",
    CardSource.COMMON_FROM_STUB_AND_BURNS: "shared card from stub and burns",
}
_NEXT = {
    NextStep.ACT: "action",
    NextStep.DEAL_STREET: "deal",
    NextStep.SHOWDOWN: "showdown",
    NextStep.UNCONTESTED: "unshown end",
    NextStep.END: "nothing",
}


def run_play(
    script: HandScript, play: Play, watchers: Iterable[Watcher] = (), services: TableServices = IN_PROCESS
) -> Running:
    """A play from its first line to its last; ScriptError at the first line that does not hold."""
    running = Running(script=script, play=play, watchers=tuple(watchers), services=services)
    expected = 0
    for line in play.lines:
        if line.text.startswith("expect "):
            expect(running, line)
            expected += 1
        else:
            perform(running, line)
    if not expected:
        raise play.heading.wrong("nothing is expected of this play")
    return running


def expect(running: Running, line: Line) -> None:
    """An expectation, held against the table."""
    refused = re.fullmatch(r"expect refused: (.+) \((\w+)\)", line.text)
    if refused:
        _expect_refusal(running, line, refused)
        return
    for pattern, words in _EXPECTATIONS:
        matched = re.fullmatch(rf"expect {pattern}: (?P<wanted>.+)", line.text)
        if matched:
            answer = words(running, line, matched)
            if answer != " ".join(matched["wanted"].split()):
                raise line.wrong(f"it is: {answer}")
            return
    known = "; ".join(pattern for pattern, _ in _EXPECTATIONS)
    raise line.wrong(f"expectations are: {known}; refused: seat 2 folds (REASON); refused: the hand (REASON)")


def _expect_refusal(running: Running, line: Line, refused: re.Match[str]) -> None:
    """A refusal names its reason and changes nothing."""
    before = running.table.outcome if refused[1] != "the hand" else None
    try:
        if before is None:
            open_table(running.script, running.play, (), running.services)
        else:
            action = parse_action(refused[1])
            if action is None:
                raise line.wrong("what is refused is a player's action, or 'the hand'")
            act(running, line, action)
    except DomainError as error:
        if str(error.reason) != refused[2]:
            raise line.wrong(f"it was refused with {error.reason}: {error.message}") from error
        if before is not None and running.table.outcome is not before:
            raise line.wrong("the refusal changed the hand") from error
        return
    raise line.wrong("it was accepted")


def _legal(running: Running, line: Line, matched: re.Match[str]) -> str:
    turn = running.table.turn
    if turn is None or turn.seat != int(matched[1]):
        raise line.wrong(f"the turn is that of {_turn(running, line, matched)}")
    return ", ".join(_legal_words(each) for each in turn.actions)


def _legal_words(legal: LegalAction) -> str:
    words = _KIND_WORDS[legal.kind]
    if legal.kind not in WAGERS:
        return f"{words} {legal.pay_chips}" if legal.pay_chips else words
    if legal.to_chips_choices:
        return f"{words} {' or '.join(map(str, legal.to_chips_choices))}"
    least, most = legal.to_chips_min, legal.to_chips_max
    return f"{words} {least}" if least == most else f"{words} {least}-{most}"


def _seat(seat: int) -> str:
    return f"seat {seat}" if seat else NOBODY


def _turn(running: Running, _: Line, __: re.Match[str]) -> str:
    return _seat(running.table.turn.seat if running.table.turn else 0)


def _opener(running: Running, line: Line, _: re.Match[str]) -> str:
    opened = [fact for fact in running.table.facts if isinstance(fact, StreetOpened)]
    if not opened:
        raise line.wrong("no street was opened")
    return _seat(opened[-1].first_to_act_seat)


def _pots(running: Running, _: Line, __: re.Match[str]) -> str:
    pots = running.before_paying.pots
    return "; ".join(f"{pot.chips} for {_listed(pot.eligible_seats)}" for pot in pots)


def _listed(seats: Iterable[int]) -> str:
    return " ".join(map(str, seats)) or NOBODY


def _stacks(running: Running, line: Line, matched: re.Match[str]) -> str:
    stacks = running.table.stacks
    return ", ".join(f"{seat} has {stacks[seat]}" for seat in _named(line, matched))


def _named(line: Line, matched: re.Match[str]) -> list[int]:
    """The seats that an expectation names; the others are not asked for."""
    parts = [part.split() for part in matched["wanted"].split(",")]
    if not all(part and part[0].isdigit() for part in parts):
        raise line.wrong("name each seat with its amount, as in '1 has 990, 2 has 1010'")
    return [int(part[0]) for part in parts]


def _won(running: Running, line: Line, matched: re.Match[str]) -> str:
    won: dict[int, int] = {}
    for award in running.table.awards:
        for share in award.shares:
            won[share.seat] = won.get(share.seat, 0) + share.chips
    return ", ".join(f"{seat} gets {won.get(seat, 0)}" for seat in _named(line, matched))


def _winners(running: Running, _: Line, __: re.Match[str]) -> str:
    awards = running.table.awards
    return "; ".join(f"{award.chips} to {_listed(share.seat for share in award.shares)}" for award in awards)


def _returned(running: Running, _: Line, __: re.Match[str]) -> str:
    latest = running.latest
    back = [fact for fact in latest if isinstance(fact, UncalledBetReturned)]
    return ", ".join(f"{fact.chips} to seat {fact.seat}" for fact in back) or "nothing"


def _last_deal(running: Running, line: Line) -> StreetDealt:
    dealt = [fact for fact in running.table.facts if isinstance(fact, StreetDealt)]
    if not dealt:
        raise line.wrong("no street was dealt")
    return dealt[-1]


def _river(running: Running, line: Line, _: re.Match[str]) -> str:
    dealt = _last_deal(running, line)
    if dealt.street is not Street.SEVENTH:
        raise line.wrong("the river was not dealt")
    return _SOURCES[dealt.source]


def _burned(running: Running, line: Line, _: re.Match[str]) -> str:
    return str(_last_deal(running, line).burned_count)


def _stub(running: Running, line: Line, _: re.Match[str]) -> str:
    return str(_last_deal(running, line).stub_count)


def _card_count(running: Running, _: Line, matched: re.Match[str]) -> str:
    return str(len(running.table.cards.of(int(matched[1]))))


def _show_order(running: Running, line: Line, _: re.Match[str]) -> str:
    return _listed(step.seat for step in _showdown(running, line).show_order)


def _must_show(running: Running, line: Line, _: re.Match[str]) -> str:
    return _listed(step.seat for step in _showdown(running, line).show_order if step.must_show)


def _may_muck(running: Running, line: Line, _: re.Match[str]) -> str:
    return _listed(step.seat for step in _showdown(running, line).show_order if not step.must_show)


def _showdown(running: Running, line: Line) -> Showdown:
    if running.table.showdown is None:
        raise line.wrong("no hands were compared")
    return running.table.showdown


def _hand(running: Running, line: Line, matched: re.Match[str]) -> str:
    values = {each.seat: each.value for each in _showdown(running, line).values}
    if int(matched[1]) not in values:
        raise line.wrong("the seat was not in the showdown")
    return values[int(matched[1])].description_en


def _status(running: Running, _: Line, matched: re.Match[str]) -> str:
    states = {seat.seat: seat.status for seat in running.before_paying.state.seats}
    return str(states[int(matched[1])]).lower().replace("_", "-")


def _raises(running: Running, _: Line, __: re.Match[str]) -> str:
    return str(running.table.outcome.state.raises_made)


def _next(running: Running, _: Line, __: re.Match[str]) -> str:
    return _NEXT[running.table.outcome.next]


def _sits_out(running: Running, _: Line, __: re.Match[str]) -> str:
    return _listed(sorted(running.table.absent))


_EXPECTATIONS: tuple[tuple[str, Words], ...] = (
    (r"seat (\d+)", _legal),
    ("turn", _turn),
    ("opener", _opener),
    ("pots", _pots),
    ("stacks", _stacks),
    ("won", _won),
    ("winners", _winners),
    ("returned", _returned),
    ("river", _river),
    ("burned", _burned),
    ("stub", _stub),
    (r"cards of seat (\d+)", _card_count),
    ("show order", _show_order),
    ("must show", _must_show),
    ("may muck", _may_muck),
    (r"hand of seat (\d+)", _hand),
    (r"status of seat (\d+)", _status),
    ("raises", _raises),
    ("next", _next),
    ("sitting out", _sits_out),
)
