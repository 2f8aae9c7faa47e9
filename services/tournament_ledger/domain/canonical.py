"""Facts as text: key=value lines that a person and an independent program can read, the same for the same facts.

A fact begins with ``fact=<name>``. Nested fields are joined by dots, items of a list by their index, and ``key.#``
says how many there are. A value that is not set has no line. Texts escape backslash and line ends.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeGuard, Union, cast, get_args, get_origin, get_type_hints

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r"})


def to_text(facts: tuple[object, ...]) -> str:
    """The lines of some facts, one after the other."""
    lines: list[str] = []
    for fact in facts:
        lines.append(f"fact={type(fact).__name__}")
        lines += (f"{key}={value}" for key, value in _flat("", fact))
    return "\n".join(lines)


def from_text(text: str, known: Mapping[str, type]) -> tuple[Any, ...]:
    """The facts that some lines tell, of the classes known by name; ValueError where the lines are not ours."""
    facts: list[Any] = []
    current: tuple[type, dict[str, str]] | None = None
    for line in text.split("\n") if text else ():
        key, mark, value = line.partition("=")
        if not mark:
            raise ValueError("a line of the subject has no '='")
        if key == "fact":
            facts += _made(current)
            current = (_class_of(value, known), {})
        elif current is None:
            raise ValueError("the subject does not begin with a fact")
        else:
            current[1][key] = value
    return (*facts, *_made(current))


def _class_of(name: str, known: Mapping[str, type]) -> type:
    if name not in known:
        raise ValueError(f"{name} is no fact")
    return known[name]


def _made(current: tuple[type, dict[str, str]] | None) -> tuple[Any, ...]:
    return (_read(current[0], "", current[1]),) if current else ()


def _flat(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if is_dataclass(value):
        for name in _names(cast("Any", type(value))):
            yield from _flat(f"{key}.{name}" if key else name, getattr(value, name))
    elif _is_list(value):
        yield f"{key}.#", str(len(value))
        for index, item in enumerate(value):
            yield from _flat(f"{key}.{index}", item)
    else:
        yield key, _word(value)


@cache
def _names(data_class: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(data_class))


def _is_list(value: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int):
        return str(value)
    return str(value).translate(_ESCAPES)


def _read(hint: Any, key: str, lines: Mapping[str, str]) -> Any:
    hint, optional = _without_none(hint)
    if get_origin(hint) is tuple:
        count = int(lines[f"{key}.#"])
        return tuple(_read(get_args(hint)[0], f"{key}.{index}", lines) for index in range(count))
    if isinstance(hint, type) and is_dataclass(hint):
        if optional and not any(name.startswith(f"{key}.") for name in lines):
            return None
        prefix = f"{key}." if key else ""
        made: Any = hint
        return made(**{name: _read(kind, prefix + name, lines) for name, kind in _hints(made).items()})
    if key not in lines:
        if optional:
            return None
        raise ValueError(f"the subject lacks {key}")
    return _value(hint, lines[key])


@cache
def _hints(data_class: Any) -> dict[str, Any]:
    found = get_type_hints(data_class)
    return {field.name: found[field.name] for field in fields(data_class)}


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) not in {Union, UnionType}:
        return hint, False
    rest = [each for each in get_args(hint) if each is not NoneType]
    return rest[0], len(rest) < len(get_args(hint))


def _value(kind: Any, word: str) -> Any:
    if kind is bool:
        return word == "true"
    if kind is int:
        return int(word)
    if kind is bytes:
        return bytes.fromhex(word)
    if kind is datetime:
        return datetime.strptime(word, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind[word]
    return _unescaped(word)


def _unescaped(word: str) -> str:
    if "\\" not in word:
        return word
    back = {"\\": "\\", "n": "\n", "r": "\r"}
    letters = iter(word)
    return "".join(back[next(letters)] if letter == "\\" else letter for letter in letters)
