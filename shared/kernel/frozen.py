"""Frozen dataclasses with slots, made and changed at the cost of plain objects.

Python sets each field of a frozen dataclass by a call. Here a value is filled while it is still of an open twin class
of the same layout, and frozen by giving it its real class: five to eight times as fast, and frozen all the same for
everybody who holds it. A class with a ``__post_init__`` has no twin: its checks must run.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, replace
from typing import Any, ParamSpec, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")

_Copy = Callable[[Any], Any]
_copies: dict[type, _Copy] = {}


def evolve(value: T, **changes: object) -> T:
    """The same value but for the fields named; an unknown name is an error, never ignored.

    A value of a class without a twin is made by its constructor.
    """
    kind = value.__class__
    copy = _copies.get(kind)
    if copy is None:
        if not has_twin(kind):
            return cast("T", replace(cast("Any", value), **changes))
        copy = _copy_of(kind)
    fresh = copy(value)
    for name, changed in changes.items():
        setattr(fresh, name, changed)
    fresh.__class__ = kind
    return cast("T", fresh)


def evolver(kind: type[T], *names: str) -> Callable[..., T]:
    """A function that changes always the same fields, given by name: for what every action does."""
    parameters = ", ".join(names)
    known = [each.name for each in fields(cast("Any", kind))]
    lines = [f"fresh.{each} = {'' if each in names else 'value.'}{each}" for each in known]
    body = "\n    ".join(("fresh = Twin()", *lines, "fresh.__class__ = Kind", "return fresh"))
    source = f"def evolve(value, *, {parameters}):\n    {body}\n"
    made: Callable[..., T] = compiled(source, "evolve", {"Twin": twin_of(kind), "Kind": kind})
    unknown = set(names) - set(known)
    if unknown:
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    return made


def maker(kind: Callable[P, T]) -> Callable[P, T]:
    """A function that makes values of a class as its constructor does, with the same names and defaults."""
    if not isinstance(kind, type):
        raise TypeError(f"{kind} is no class")
    names = [field.name for field in fields(kind)]
    parameters = ", ".join(_parameter(field) for field in fields(kind))
    body = "\n".join(f"    fresh.{name} = {name}" for name in names)
    source = f"def make(*, {parameters}):\n    fresh = Twin()\n{body}\n    fresh.__class__ = Kind\n    return fresh\n"
    defaults = {f"default_{field.name}": field.default for field in fields(kind)}
    return cast("Callable[P, T]", compiled(source, "make", {"Twin": twin_of(kind), "Kind": kind, **defaults}))


def twin_of(kind: type) -> type:
    """The open class of the same layout; TypeError for a class whose values cannot be made this way."""
    if not has_twin(kind):
        raise TypeError(f"{kind.__name__} is no frozen dataclass with slots and without __post_init__")
    open_again = {
        "__slots__": kind.__dict__["__slots__"],
        "__init__": object.__init__,
        "__setattr__": object.__setattr__,
    }
    return type(f"Open{kind.__name__}", kind.__bases__, open_again)


def compiled(source: str, name: str, names: dict[str, Any]) -> Any:
    """A function out of source that we wrote ourselves from the fields of our own classes, as dataclasses do."""
    exec(source, names)  # noqa: S102  # nothing of it comes from outside
    return names[name]


def has_twin(kind: type) -> bool:
    """Can values of this class be made this way?"""
    params = getattr(kind, "__dataclass_params__", None)
    if params is None or not params.frozen or hasattr(kind, "__post_init__"):
        return False
    line = kind.__mro__[:-1]
    slots = [name for each in reversed(line) for name in each.__dict__.get("__slots__", ("",))]
    return slots == [field.name for field in fields(kind)]


def _copy_of(kind: type) -> _Copy:
    """A function that makes an open copy."""
    body = "\n".join(f"    fresh.{field.name} = value.{field.name}" for field in fields(kind))
    source = f"def copy(value):\n    fresh = Twin()\n{body}\n    return fresh\n"
    made: _Copy = compiled(source, "copy", {"Twin": twin_of(kind)})
    _copies[kind] = made
    return made


def _parameter(field: "Field[Any]") -> str:
    if field.default_factory is not MISSING:
        raise TypeError(f"{field.name} has a default that is made anew each time")
    return field.name if field.default is MISSING else f"{field.name}=default_{field.name}"
