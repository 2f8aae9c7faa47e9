"""Reads Poker Hand History files of seven card stud into recorded hands (variant F7S; our fields start with _)."""

from collections.abc import Iterator
from typing import Any, TypeGuard

from services.console.domain.phh_actions import parse_action
from services.console.domain.phh_sections import Section, split_sections
from services.console.domain.recorded_hand import RecordedAction, RecordedHand, RecordError
from shared.kernel.game import Structure

_VARIANT = "F7S"
_LEAST_PLAYERS, _MOST_PLAYERS = 2, 8
_MOST_CHIPS = 10**15
_NEEDED = ("variant", "antes", "bring_in", "small_bet", "big_bet", "starting_stacks", "actions")


def read_hands(file: str, text: str) -> Iterator[RecordedHand | RecordError]:
    """The hands of a file in order; what cannot be read comes as an error with file, hand and line."""
    for section in split_sections(file, text):
        if isinstance(section, RecordError):
            yield section
            continue
        try:
            yield _hand(section)
        except RecordError as error:
            yield error


def _hand(section: Section) -> RecordedHand:
    _check_complete(section)
    variant = section.fields.get("variant")
    if variant != _VARIANT:
        raise _wrong(section, "variant", f"variant is {variant!r}; only {_VARIANT!r}, seven card stud, is played here")
    _check_tellable(section)
    stacks = _chips_list(section, "starting_stacks", least=1)
    if not _LEAST_PLAYERS <= len(stacks) <= _MOST_PLAYERS:
        raise _wrong(section, "starting_stacks", f"{len(stacks)} players: stud is played by 2 to 8")
    return RecordedHand(
        name=str(section.fields.get("_id", section.fields.get("hand", f"{section.file}[{section.name}]"))),
        file=section.file,
        line=section.line,
        structure=_structure(section),
        ante_chips=_ante(section, len(stacks)),
        bring_in_chips=_chips(section, "bring_in", least=1),
        lower_limit_chips=_chips(section, "small_bet", least=1),
        upper_limit_chips=_chips(section, "big_bet", least=1),
        starting_stacks_chips=stacks,
        finishing_stacks_chips=_optional_list(section, "finishing_stacks", len(stacks)),
        winnings_chips=_optional_list(section, "winnings", len(stacks)),
        rake_chips=_optional_chips(section, "_rake") + _optional_chips(section, "_fee"),
        open_pair=_flag(section, "_open_pair"),
        preset=str(section.fields.get("_preset", "")),
        actions=tuple(_actions(section, len(stacks))),
    )


def _check_tellable(section: Section) -> None:
    """What the format has no words for cannot be played again, and is said before anything is played."""
    frozen = section.fields.get("_frozen")
    if frozen:
        names = ", ".join(str(each) for each in _list(frozen) or [frozen])
        problem = (
            f"the clock froze {names} in this hand, and the format has no word for that: it cannot be played again"
        )
        raise _wrong(section, "_frozen", problem)
    if section.fields.get("_voided"):
        raise _wrong(section, "_voided", "the hand was void, chips are as at its start: there is nothing to play again")


def _check_complete(section: Section) -> None:
    """A record that lacks a field was often cut off: say where it ends."""
    missing = [field for field in _NEEDED if field not in section.fields]
    if missing:
        problem = f"{', '.join(missing)} missing; the record ends on line {section.last_line}"
        raise RecordError(section.file, _name(section), section.last_line, problem)


def _actions(section: Section, players_count: int) -> Iterator[RecordedAction]:
    texts = _list(section.fields.get("actions"))
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise _wrong(section, "actions", "actions must be a list of texts")
    line = section.line_of("actions")
    for number, text in enumerate(texts, start=1):
        line = section.line_of(text, line) if text and section.line_of(text, line) != section.line else line
        try:
            action = parse_action(text, number, line, players_count)
        except ValueError as error:
            raise RecordError(section.file, _name(section), line, f"action {number} {text!r}: {error}") from error
        if action is not None:
            yield action


def _ante(section: Section, players_count: int) -> int:
    antes = _chips_list(section, "antes")
    if len(antes) != players_count:
        raise _wrong(section, "antes", f"{len(antes)} antes for {players_count} players")
    if len(set(antes)) != 1:
        raise _wrong(section, "antes", f"antes {list(antes)} differ: every player dealt in pays the same ante")
    return antes[0]


def _structure(section: Section) -> Structure:
    name = str(section.fields.get("_structure", Structure.LIMIT)).upper()
    if name not in Structure.__members__:
        raise _wrong(section, "_structure", f"_structure is {name!r}: limit, pot_limit or no_limit are known")
    return Structure[name]


def _optional_list(section: Section, field: str, players_count: int) -> tuple[int, ...] | None:
    """Chips of every player, where the record has them."""
    if field not in section.fields:
        return None
    values = _chips_list(section, field)
    if len(values) != players_count:
        raise _wrong(section, field, f"{field} has {len(values)} amounts for {players_count} players")
    return values


def _chips(section: Section, field: str, least: int = 0) -> int:
    return _whole(section, field, section.fields[field], least)


def _optional_chips(section: Section, field: str) -> int:
    return _whole(section, field, section.fields.get(field, 0), 0)


def _chips_list(section: Section, field: str, least: int = 0) -> tuple[int, ...]:
    values = _list(section.fields.get(field))
    if not values:
        line = section.line_of(field)
        raise RecordError(section.file, _name(section), line, f"{field} must be a list of whole amounts")
    return tuple(_whole(section, field, value, least) for value in values)


def _whole(section: Section, field: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise _wrong(section, field, f"{field} holds {value!r}: amounts are whole numbers of the smallest unit")
    if not least <= value <= _MOST_CHIPS:
        raise _wrong(section, field, f"{field} holds {value}: at least {least} and at most {_MOST_CHIPS} is allowed")
    return int(value)


def _flag(section: Section, field: str) -> bool | None:
    value = section.fields.get(field)
    if value is None or isinstance(value, bool):
        return value
    raise _wrong(section, field, f"{field} holds {value!r}: true or false is allowed")


def _name(section: Section) -> str:
    return str(section.fields.get("_id", section.name))


def _wrong(section: Section, field: str, problem: str) -> RecordError:
    return RecordError(section.file, _name(section), section.line_of(field), problem)


def _list(value: Any) -> list[Any] | None:
    """The value where it is a list."""
    return value if _is_list(value) else None


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
