"""What a type annotation of a domain dataclass asks of the wire: optional or not, one or many, one class or several."""

import types
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from typing import Annotated, Any, NewType, TypeGuard, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Shape:
    """A resolved annotation: the plain classes that a value may have, and how they occur."""

    classes: tuple[type, ...]
    """One class, or several dataclasses where the annotation is a union."""
    optional: bool = False
    """None is a lawful value."""
    many: bool = False
    """A tuple of any length."""
    mapping: bool = False
    """A mapping; classes are those of its key and its value."""
    when_unset: Any = None
    """What an unset optional scalar means: for fields that came later, so that older stored messages stay readable."""

    @property
    def only(self) -> type:
        """The one class; meaningless for a union."""
        return self.classes[0]


def shapes_of(data_class: type) -> dict[str, Shape]:
    """The shape of every mirrored field; a field with metadata {"mirror": False} stays out and needs a default.

    Metadata {"when_unset": value} says what it means where an optional scalar is not there.
    """
    name = data_class.__name__
    if not is_dataclass(data_class):
        raise TypeError(f"{name} is no dataclass: only dataclasses mirror messages")
    hints = get_type_hints(data_class, include_extras=True)
    return {
        field.name: replace(shape_of(hints[field.name]), when_unset=field.metadata.get("when_unset"))
        for field in fields(data_class)
        if _mirrored(field)
    }


def _mirrored(field: "Field[Any]") -> bool:
    return field.init and field.metadata.get("mirror", True) is not False


def shape_of(hint: Any) -> Shape:  # a type form has no better type
    """Resolve one annotation."""
    hint = _bare(hint)
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        return _union(hint)
    if origin is tuple:
        return _tuple(hint)
    if isinstance(origin, type) and len(get_args(hint)) == _PAIR:
        key, value = (shape_of(argument).only for argument in get_args(hint))
        return Shape((key, value), mapping=True)
    if not isinstance(hint, type):
        raise TypeError(f"{hint} cannot be mirrored")
    return Shape((hint,))


_PAIR = 2


def _bare(hint: Any) -> Any:
    """Without Annotated and NewType: neither changes what is on the wire."""
    while True:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        elif isinstance(hint, NewType):
            hint = hint.__supertype__
        else:
            return hint


def _union(hint: Any) -> Shape:
    arguments = get_args(hint)
    members = [shape_of(argument) for argument in arguments if argument is not types.NoneType]
    optional = len(members) < len(arguments)
    if len(members) == 1:
        inner = members[0]
        if inner.many or inner.mapping:
            raise TypeError(f"{hint}: an empty tuple says it already, None has no place on the wire")
        return Shape(inner.classes, optional=optional or inner.optional)
    classes = tuple(each for member in members for each in member.classes)
    if not all(is_dataclass(each) for each in classes):
        raise TypeError(f"{hint}: only dataclasses may form a union")
    return Shape(classes, optional=optional or any(member.optional for member in members))


def _tuple(hint: Any) -> Shape:
    arguments = get_args(hint)
    if len(arguments) != _PAIR or arguments[1] is not Ellipsis:
        raise TypeError(f"{hint}: only tuple[T, ...] mirrors a repeated field")
    inner = shape_of(arguments[0])
    if inner.optional or inner.many or inner.mapping:
        raise TypeError(f"{hint}: the items of a repeated field are always set and never lists")
    return Shape(inner.classes, many=True)


def is_union(shape: Shape) -> bool:
    """More than one dataclass may stand here."""
    return len(shape.classes) > 1 and not shape.mapping


def is_mirrored_class(kind: type) -> TypeGuard[type[Any]]:
    """Is it a dataclass, and so a message on the wire?"""
    return is_dataclass(kind)
