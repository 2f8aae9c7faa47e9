"""How one field of a dataclass and its counterpart in a message are converted, worked out once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor

from shared.rpc.mirror_scalars import (
    REQUIRED,
    MirrorFault,
    fault_of,
    is_time,
    read_time,
    reader,
    together,
    write_time,
    writer,
)
from shared.rpc.mirror_types import Shape, is_mirrored_class, is_union

Read = Callable[[Any], Any]
"""Message to the value of the field."""
Write = Callable[[Any, Any], None]
"""Message and value that is not None: set the field."""


class Codec(Protocol):
    """Conversion of a whole message; recursion goes through it."""

    def read(self, message: Any, /) -> Any:
        """Message to value."""

    @property
    def write(self) -> Callable[[Any, Any], None]:
        """Value into an empty message."""
        ...


PlanFor = Callable[[type, Descriptor], Codec]


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """One field, both ways."""

    name: str
    read: Read
    write: Write


def plan_field(name: str, shape: Shape, descriptor: Descriptor, plan_for: PlanFor) -> FieldPlan:
    """Find the counterpart by name and choose the conversion."""
    oneof = descriptor.oneofs_by_name.get(name)
    if oneof is not None:
        return _oneof_field(name, shape, oneof, plan_for)
    field = descriptor.fields_by_name.get(name)
    if field is None:
        raise TypeError(f"{descriptor.full_name} has no field or oneof named {name}")
    if shape.mapping:
        return _map_field(name, shape, field)
    if shape.many != field.is_repeated:
        raise TypeError(f"{field.full_name} and its mirror differ: a list on one side only")
    if field.message_type is not None:
        codec = _codec(shape, field, plan_for)
        return _messages(name, codec) if shape.many else _message(name, shape, codec)
    if shape.many:
        return _scalars(name, shape.only, field)
    return _scalar(name, shape, field)


# --- values that are not messages -------------------------------------------------------------


def _scalar(name: str, shape: Shape, field: FieldDescriptor) -> FieldPlan:
    convert = reader(shape.only, field)
    return FieldPlan(name, _scalar_read(name, shape, field, convert), _scalar_write(name, writer(shape.only, field)))


def _scalar_write(name: str, convert: Callable[[Any], Any] | None) -> Write:
    if convert is None:
        return lambda message, value: setattr(message, name, value)
    return lambda message, value: setattr(message, name, convert(value))


def _scalar_read(name: str, shape: Shape, field: FieldDescriptor, convert: Callable[[Any], Any] | None) -> Read:
    if field.has_presence:
        return _present_read(name, shape, zero_is_unset=field.enum_type is not None, convert=convert)
    if shape.optional:
        if field.enum_type is None and field.type not in {FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES}:
            raise TypeError(f"{field.full_name} must be `optional` in the contract: its mirror may be None")
        return _empty_is_none(name, convert)
    if convert is None:
        return lambda message: getattr(message, name)
    return lambda message: convert(getattr(message, name))


def _present_read(name: str, shape: Shape, *, zero_is_unset: bool, convert: Callable[[Any], Any] | None) -> Read:
    optional, when_unset = shape.optional, shape.when_unset

    def read(message: Any) -> Any:
        if not message.HasField(name):
            if optional or when_unset is not None:
                return when_unset
            raise fault_of(REQUIRED)
        value = getattr(message, name)
        if optional and zero_is_unset and not value:
            return None
        return value if convert is None else convert(value)

    return read


def _empty_is_none(name: str, convert: Callable[[Any], Any] | None) -> Read:
    def read(message: Any) -> Any:
        value = getattr(message, name) or None
        return value if value is None or convert is None else convert(value)

    return read


def _scalars(name: str, kind: type, field: FieldDescriptor) -> FieldPlan:
    convert, back = reader(kind, field), writer(kind, field)

    def read(message: Any) -> Any:
        return tuple(getattr(message, name))

    def read_converted(message: Any) -> Any:
        made: list[Any] = []
        try:
            for value in getattr(message, name):
                made.append(convert(value))  # type: ignore[misc]  # noqa: PERF401  # the length names the faulty item
        except MirrorFault as fault:
            raise fault.under(f"[{len(made)}]") from None
        return tuple(made)

    def write(message: Any, values: Any) -> None:
        getattr(message, name).extend(values if back is None else map(back, values))

    return FieldPlan(name, read if convert is None else read_converted, write)


def _map_field(name: str, shape: Shape, field: FieldDescriptor) -> FieldPlan:
    entry = field.message_type
    if entry is None or not entry.GetOptions().map_entry or entry.fields_by_name["value"].message_type is not None:
        raise TypeError(f"{field.full_name} is no map of scalars")
    key, value = shape.classes
    if reader(key, entry.fields_by_name["key"]) or reader(value, entry.fields_by_name["value"]):
        raise TypeError(f"{field.full_name}: a map holds plain numbers and texts only")
    return FieldPlan(
        name,
        lambda message: dict(getattr(message, name)),
        lambda message, values: getattr(message, name).update(values),
    )


# --- messages ---------------------------------------------------------------------------------


class _Time:
    """A moment or a span."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def read(self, message: Any) -> Any:
        return read_time(self._kind, message)

    def write(self, value: Any, message: Any) -> None:
        write_time(value, message)


class _Cases:
    """A oneof: the class of the value chooses the member, the member set chooses the class."""

    def __init__(self, classes: tuple[type, ...], oneof: OneofDescriptor, plan_for: PlanFor) -> None:
        self._oneof = oneof.name
        self._by_class: dict[type, tuple[str, Codec]] = {}
        self._by_member: dict[str, Codec] = {}
        for kind in classes:
            member = _member(oneof, kind)
            codec = plan_for(kind, member.message_type)
            self._by_class[kind] = (member.name, codec)
            self._by_member[member.name] = codec

    def read(self, message: Any) -> Any:
        member = message.WhichOneof(self._oneof)
        if member is None:
            raise fault_of(f"{REQUIRED}: set one of {', '.join(self._by_member)}")
        codec = self._by_member.get(member)
        if codec is None:
            raise fault_of(f"{member} is not allowed here: set one of {', '.join(self._by_member)}")
        try:
            return codec.read(getattr(message, member))
        except MirrorFault as fault:
            raise fault.under(member) from None

    def write(self, value: Any, message: Any) -> None:
        member, codec = self._by_class[type(value)]
        part = getattr(message, member)
        part.SetInParent()
        codec.write(value, part)


def _member(oneof: OneofDescriptor, kind: type) -> FieldDescriptor:
    members: list[FieldDescriptor] = [
        field for field in oneof.fields if field.message_type is not None and field.message_type.name == kind.__name__
    ]
    if len(members) != 1:
        raise TypeError(f"{oneof.full_name} has {len(members)} members of the message type {kind.__name__}, not one")
    return members[0]


def _codec(shape: Shape, field: FieldDescriptor, plan_for: PlanFor) -> Codec:
    if is_union(shape):
        oneofs = field.message_type.oneofs
        if len(oneofs) != 1:
            raise TypeError(f"{field.message_type.full_name} must hold exactly one oneof to mirror a union")
        return _Cases(shape.classes, oneofs[0], plan_for)
    if is_time(shape.only, field):
        return _Time(shape.only)
    if not is_mirrored_class(shape.only):
        raise TypeError(f"{field.full_name} is a message, its mirror {shape.only.__name__} is no dataclass")
    return plan_for(shape.only, field.message_type)


def _message(name: str, shape: Shape, codec: Codec) -> FieldPlan:
    optional = shape.optional

    def read(message: Any) -> Any:
        if message.HasField(name):
            return codec.read(getattr(message, name))
        if optional:
            return None
        raise fault_of(REQUIRED)

    def write(message: Any, value: Any) -> None:
        part = getattr(message, name)
        part.SetInParent()
        codec.write(value, part)

    return FieldPlan(name, read, write)


def _messages(name: str, codec: Codec) -> FieldPlan:
    def read(message: Any) -> Any:
        made: list[Any] = []
        faults: list[MirrorFault] = []
        for index, item in enumerate(getattr(message, name)):
            try:
                made.append(codec.read(item))
            except MirrorFault as fault:
                faults.append(fault.under(f"[{index}]"))
        if faults:
            raise together(faults)
        return tuple(made)

    def write(message: Any, values: Any) -> None:
        add = getattr(message, name).add
        for value in values:
            codec.write(value, add())

    return FieldPlan(name, read, write)


def _oneof_field(name: str, shape: Shape, oneof: OneofDescriptor, plan_for: PlanFor) -> FieldPlan:
    cases = _Cases(shape.classes, oneof, plan_for)
    optional = shape.optional

    def read(message: Any) -> Any:
        if optional and message.WhichOneof(name) is None:
            return None
        return cases.read(message)

    return FieldPlan(name, read, lambda message, value: cases.write(value, message))
