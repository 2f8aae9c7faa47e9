"""A frozen value with some fields changed, three times as fast as dataclasses.replace; every action needs a few."""

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")

_Layout = tuple[Callable[[Any], tuple[Any, ...]], tuple[Callable[[Any, Any], None], ...], dict[str, int]]
_layouts: dict[type, _Layout] = {}


def evolve(value: T, **changes: object) -> T:
    """The same value but for the fields named; an unknown name is a KeyError, never ignored."""
    kind = type(value)
    layout = _layouts.get(kind)
    if layout is None:
        layout = _layouts[kind] = _layout_of(kind)
    read, writers, places = layout
    content = list(read(value))
    for name, changed in changes.items():
        content[places[name]] = changed
    fresh = object.__new__(kind)
    for write, item in zip(writers, content, strict=True):
        write(fresh, item)
    return fresh


def _layout_of(kind: Any) -> _Layout:
    names = tuple(field.name for field in fields(kind))
    writers = tuple(getattr(kind, name).__set__ for name in names)
    return attrgetter(*names), writers, {name: place for place, name in enumerate(names)}
