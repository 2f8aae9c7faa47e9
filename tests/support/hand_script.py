"""Hands as a poker player writes them down: the notation of ``tests/hands/README.md``, read with clear errors."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

from shared.kernel.cards import FACE_DOWN, Card, parse_card
from shared.kernel.game import Structure
from shared.kernel.rules import ClockRules, HandRules, RuleSet, Stakes
from shared.kernel.rules.presets import PRESETS

RULES_LAST = 208
CARDS_LEAST, CARDS_MOST = 5, 7
THREE_PARTS = 3
UNKNOWN = "??"


class ScriptError(Exception):
    """A line that cannot be read: which file, which line, and what is allowed there."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a script and where it stands."""

    where: str
    text: str

    def wrong(self, problem: str) -> ScriptError:
        """The error for this line."""
        return ScriptError(f"{self.where}: {self.text!r}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptSeat:
    """A seat: its chips and its cards in the order it gets them, 53 where any card will do."""

    seat: int
    chips: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One way the hand is played, under options of its own."""

    heading: Line
    rules: RuleSet
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two hands compared, or one hand named."""

    line: Line
    cards: tuple[Card, ...]
    relation: str
    """beats, ties, loses to, or is."""
    other: tuple[Card, ...] = ()
    name: str = ""


@dataclass(slots=True, kw_only=True)
class HandScript:
    """A script as it was read."""

    title: str = ""
    proves: tuple[str, ...] = ()
    """What it proves, in words: rules, examples, cases."""
    rule_numbers: frozenset[int] = frozenset()
    stakes: Stakes = field(
        default_factory=lambda: Stakes(ante_chips=0, bring_in_chips=1, lower_limit_chips=0, upper_limit_chips=0)
    )
    seats: list[ScriptSeat] = field(default_factory=list)
    common_card: Card | None = None
    first_seat: int = 0
    """The seat that gets the first card; 0 = the lowest."""
    last_two_of_event: bool = False
    protections: dict[int, int] = field(default_factory=dict)
    plays: list[Play] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)


def read_script(path: Path) -> HandScript:
    """The script of a file; ScriptError where it cannot be read."""
    return parse_script(path.read_text(encoding="utf-8"), path.name)


def parse_script(text: str, name: str) -> HandScript:
    """The script of a text; the name stands in errors."""
    return _Reader(name).read(_lines(text, name))


def _lines(text: str, name: str) -> list[Line]:
    stripped = ((number, line.split("#")[0].strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [Line(f"{name}:{number}", line) for number, line in stripped if line]


class _Reader:
    """Reads the head of a script, then its plays or comparisons."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._script = HandScript()
        self._rules: RuleSet | None = None

    def read(self, lines: list[Line]) -> HandScript:
        starts = [at for at, line in enumerate(lines) if re.match(r"(play|ranking)\b", line.text)]
        if not starts:
            raise ScriptError(f"{self._name}: nothing is played: write a line 'play', or 'ranking'")
        for line in lines[: starts[0]]:
            self._head(line)
        self._check_head(lines[starts[0]])
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            self._part(lines[start], lines[start + 1 : end])
        return self._script

    def _check_head(self, line: Line) -> None:
        if not self._script.title or not self._script.rule_numbers:
            raise line.wrong("a script begins with 'title ...' and 'proves rules ...'")

    def _part(self, heading: Line, lines: list[Line]) -> None:
        if heading.text == "ranking":
            self._script.comparisons += [_comparison(line) for line in lines]
            return
        if self._rules is None or not self._script.seats or not self._script.stakes.lower_limit_chips:
            raise heading.wrong("a hand needs 'preset ...', 'limits 10/20' and 'seat 1: 1000, ...' before it is played")
        rules = self._rules
        matched = re.fullmatch(r"play(?: with (.+))?", heading.text)
        if matched is None:
            raise heading.wrong("write 'play', or 'play with option = VALUE, option = VALUE'")
        for option in (matched[1] or "").split(",") if matched[1] else ():
            rules = with_option(rules, option, heading)
        self._script.plays.append(Play(heading=heading, rules=rules, lines=tuple(lines)))

    def _head(self, line: Line) -> None:
        for pattern, read in _HEADS:
            matched = re.fullmatch(pattern, line.text)
            if matched:
                read(self, line, matched)
                return
        known = (
            "title, proves, preset, option = VALUE, limits, ante, bring-in, seat, common, first card to, protections"
        )
        raise line.wrong(f"a script begins with one of: {known}; the hand itself begins with 'play'")

    def _title(self, _: Line, matched: re.Match[str]) -> None:
        self._script.title = matched[1]

    def _proves(self, line: Line, matched: re.Match[str]) -> None:
        self._script.proves = tuple(part.strip() for part in matched[1].split(";"))
        numbers = next((part for part in self._script.proves if part.startswith("rule")), "")
        self._script.rule_numbers = frozenset(_numbers(numbers, line))

    def _preset(self, line: Line, matched: re.Match[str]) -> None:
        if matched[1] not in PRESETS:
            raise line.wrong(f"presets are {', '.join(PRESETS)}")
        chosen = PRESETS[matched[1]]
        self._rules = replace(chosen, hand=replace(chosen.hand, structures_allowed=tuple(Structure)))

    def _option(self, line: Line, _: re.Match[str]) -> None:
        if self._rules is None:
            raise line.wrong("name the preset before its options")
        self._rules = with_option(self._rules, line.text, line)

    def _limits(self, _: Line, matched: re.Match[str]) -> None:
        self._amounts(lower_limit_chips=int(matched[1]), upper_limit_chips=int(matched[2]))

    def _ante(self, _: Line, matched: re.Match[str]) -> None:
        self._amounts(ante_chips=int(matched[1]))

    def _bring_in(self, _: Line, matched: re.Match[str]) -> None:
        self._amounts(bring_in_chips=int(matched[1]))

    def _amounts(self, **changes: int) -> None:
        self._script.stakes = replace(self._script.stakes, **changes)

    def _seat(self, line: Line, matched: re.Match[str]) -> None:
        cards = cards_of(matched[3] or "", line)
        if len(cards) > CARDS_MOST:
            raise line.wrong(f"a seat gets at most {CARDS_MOST} cards")
        self._script.seats.append(ScriptSeat(seat=int(matched[1]), chips=int(matched[2]), cards=cards))

    def _common(self, line: Line, matched: re.Match[str]) -> None:
        self._script.common_card = cards_of(matched[1], line)[0]

    def _first(self, _: Line, matched: re.Match[str]) -> None:
        self._script.first_seat = int(matched[1])

    def _last_two(self, _: Line, __: re.Match[str]) -> None:
        self._script.last_two_of_event = True

    def _protections(self, _: Line, matched: re.Match[str]) -> None:
        self._script.protections[int(matched[1])] = int(matched[2])


_HEADS: tuple[tuple[str, Any], ...] = (
    (r"title (.+)", _Reader._title),
    (r"proves (.+)", _Reader._proves),
    (r"preset (\w+)", _Reader._preset),
    (r"limits (\d+)/(\d+)", _Reader._limits),
    (r"ante (\d+)", _Reader._ante),
    (r"bring-in (\d+)", _Reader._bring_in),
    (r"seat (\d+): (\d+)(?:, (.+))?", _Reader._seat),
    (r"common (\S\S)", _Reader._common),
    (r"first card to seat (\d+)", _Reader._first),
    (r"last two of the event", _Reader._last_two),
    (r"protections of seat (\d+): (\d+)", _Reader._protections),
    (r"\w+ = .+", _Reader._option),
)


def _numbers(text: str, line: Line) -> Iterable[int]:
    for part in re.findall(r"\d+(?:-\d+)?", text):
        first, last = (int(end) for end in (part.split("-") * 2)[:2])
        if not 1 <= first <= last <= RULES_LAST:
            raise line.wrong(f"rules are numbered 1 to {RULES_LAST}")
        yield from range(first, last + 1)


def cards_of(text: str, line: Line) -> tuple[Card, ...]:
    """Cards in a row, ``??`` where any will do."""
    try:
        return tuple(FACE_DOWN if card == UNKNOWN else parse_card(card) for card in text.split())
    except ValueError as wrong:
        raise line.wrong(str(wrong)) from None


def _comparison(line: Line) -> Comparison:
    matched = re.fullmatch(r"(.+?) (beats|ties|loses to) (.+)|(.+?) (is) (.+)", line.text)
    words = tuple(filter(None, matched.groups())) if matched else ()
    if len(words) != THREE_PARTS:
        raise line.wrong("write '5 to 7 cards beats|ties|loses to 5 to 7 cards', or 'cards is name of the hand'")
    hand, relation, other = words
    if relation == "is":
        return Comparison(line=line, cards=_whole_hand(hand, line), relation="is", name=other)
    return Comparison(line=line, cards=_whole_hand(hand, line), relation=relation, other=_whole_hand(other, line))


def _whole_hand(text: str, line: Line) -> tuple[Card, ...]:
    cards = cards_of(text, line)
    if FACE_DOWN in cards or not CARDS_LEAST <= len(cards) <= CARDS_MOST or len(set(cards)) < len(cards):
        raise line.wrong("a hand to compare has 5 to 7 different cards, none of them ??")
    return cards


def with_option(rules: RuleSet, text: str, line: Line) -> RuleSet:
    """The rules with one hand or clock option changed, as in ``heads_up_cap = ALWAYS``."""
    name, _, value = (part.strip() for part in text.partition("="))
    for part, data_class in (("hand", HandRules), ("clock", ClockRules)):
        if name in {each.name for each in fields(data_class)}:
            changed = {name: _value(get_type_hints(data_class)[name], value, line)}
            return replace(rules, **{part: replace(getattr(rules, part), **changed)})
    raise line.wrong(f"{name} is no option of the hand or clock rules")


def _value(kind: Any, value: str, line: Line) -> object:
    if kind is bool:
        if value not in {"true", "false"}:
            raise line.wrong("write true or false")
        return value == "true"
    if kind is int:
        return int(value)
    if get_args(kind):
        return tuple(_value(get_args(kind)[0], each, line) for each in value.split())
    if issubclass(kind, Enum) and value in kind.__members__:
        return kind[value]
    raise line.wrong(f"allowed are {', '.join(kind.__members__)}")
