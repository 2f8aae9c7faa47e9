"""The quick way across the wire: for each pair of classes one function each way, written out field by field.

It does what the plan of the pair does, as long as everything is as it should be. Whatever is not raises, and the plan,
which goes field by field and names every fault with its path, is asked instead. So nothing is decided here, and what
a refusal says is said in one place.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from typing import Any, Protocol

from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor

from shared.kernel.frozen import compiled, has_twin, twin_of
from shared.rpc.mirror_fields import FieldPlan
from shared.rpc.mirror_scalars import is_plain, members_by_number, numbers_by_member
from shared.rpc.mirror_types import Shape, is_mirrored_class, is_union

Reader = Callable[[Any], Any]
Writer = Callable[[Any, Any], None]


class Unreadable(Exception):  # noqa: N818  # never leaves this package
    """Something is not as it should be: let the plan say what."""


class Quick(Protocol):
    """The plan of a pair, as far as the quick way asks others."""

    @property
    def quick_read(self) -> Reader:
        """Message to dataclass."""
        ...

    @property
    def write(self) -> Writer:
        """Dataclass into an empty message."""
        ...


QuickFor = Callable[[type, Descriptor], Quick]


class _Source:
    """The lines of a function and the names that it uses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"Unreadable": Unreadable, "unset": _unset}

    def name(self, value: Any) -> str:
        """A name for a value."""
        made = f"v{len(self.names)}"
        self.names[made] = value
        return made

    def function(self, head: str, tail: Iterable[str] = ()) -> Any:
        """Compiled."""
        body = [*self.lines, *tail] or ["pass"]
        return compiled("\n    ".join((f"def quick({head}):", *body)) + "\n", "quick", self.names)


def _unset() -> Any:
    raise Unreadable


# --- from the wire ----------------------------------------------------------------------------


def quick_reader(
    data_class: type, shapes: dict[str, Shape], plans: dict[str, FieldPlan], descriptor: Descriptor, quick_for: QuickFor
) -> Reader:
    """A function from a message to the dataclass."""
    source = _Source()
    values = {
        name: _read_expression(source, name, shape, plans[name], descriptor, quick_for)
        for name, shape in shapes.items()
    }
    if not has_twin(data_class):
        arguments = ", ".join(f"{name}={value}" for name, value in values.items())
        made: Reader = source.function("message", (f"return {source.name(data_class)}({arguments})",))
        return made
    for field in fields(data_class):
        if field.name not in values:
            values[field.name] = _default(source, field)
    source.lines.append(f"fresh = {source.name(twin_of(data_class))}()")
    source.lines += [f"fresh.{name} = {value}" for name, value in values.items()]
    source.lines.append(f"fresh.__class__ = {source.name(data_class)}")
    reader: Reader = source.function("message", ("return fresh",))
    return reader


def _default(source: _Source, field: "Field[Any]") -> str:
    if field.default_factory is not MISSING:
        return f"{source.name(field.default_factory)}()"
    return source.name(field.default)


def _read_expression(
    source: _Source, name: str, shape: Shape, plan: FieldPlan, descriptor: Descriptor, quick_for: QuickFor
) -> str:
    oneof = descriptor.oneofs_by_name.get(name)
    if oneof is not None:
        cases = source.name(_CasesRead(shape, oneof, quick_for))
        return f"{cases}.optional(message)" if shape.optional else f"{cases}.read(message)"
    field = descriptor.fields_by_name[name]
    if shape.mapping:
        return f"{source.name(plan.read)}(message)"
    if field.message_type is not None:
        return _read_message(source, name, shape, plan, field, quick_for)
    return _read_scalar(source, name, shape, plan, field)


def _read_message(
    source: _Source, name: str, shape: Shape, plan: FieldPlan, field: FieldDescriptor, quick_for: QuickFor
) -> str:
    if is_union(shape):
        read = f"{source.name(_CasesRead(shape, field.message_type.oneofs[0], quick_for))}.read"
    elif is_mirrored_class(shape.only):
        read = f"{source.name(quick_for(shape.only, field.message_type))}.quick_read"
    else:
        return f"{source.name(plan.read)}(message)"
    if shape.many:
        return f"tuple([{read}(item) for item in message.{name}])"
    missing = "None" if shape.optional else "unset()"
    return f'{read}(message.{name}) if message.HasField("{name}") else {missing}'


def _read_scalar(source: _Source, name: str, shape: Shape, plan: FieldPlan, field: FieldDescriptor) -> str:
    members = members_by_number(shape.only, field)
    if members is None and not is_plain(shape.only):
        return f"{source.name(plan.read)}(message)"
    if shape.many:
        table = "" if members is None else source.name(members)
        return f"tuple(message.{name})" if not table else f"tuple([{table}[item] for item in message.{name}])"
    value = f"message.{name}" if members is None else f"{source.name(members)}[message.{name}]"
    if not field.has_presence:
        return f"({value} if message.{name} else None)" if shape.optional else value
    if shape.optional or shape.when_unset is not None:
        present = f'message.HasField("{name}")' + (f" and message.{name}" if members is not None else "")
        if members is None or shape.when_unset is None:
            return f"({value} if {present} else {source.name(shape.when_unset)})"
        return f"{source.name(plan.read)}(message)"
    return f'({value} if message.HasField("{name}") else unset())'


class _CasesRead:
    """A oneof: the member set chooses the class."""

    def __init__(self, shape: Shape, oneof: OneofDescriptor, quick_for: QuickFor) -> None:
        self._oneof = oneof.name
        by_name = {field.message_type.name: field for field in oneof.fields if field.message_type is not None}
        members = [(by_name[kind.__name__], kind) for kind in shape.classes]
        self._cases = {field.name: quick_for(kind, field.message_type) for field, kind in members}

    def read(self, message: Any) -> Any:
        """The value; Unreadable where none, or another one, is set."""
        member = message.WhichOneof(self._oneof)
        quick = self._cases.get(member)
        if quick is None:
            raise Unreadable
        return quick.quick_read(getattr(message, member))

    def optional(self, message: Any) -> Any:
        """The value, or None where none is set."""
        return None if message.WhichOneof(self._oneof) is None else self.read(message)


# --- to the wire ------------------------------------------------------------------------------


def quick_writer(
    shapes: dict[str, Shape], plans: dict[str, FieldPlan], descriptor: Descriptor, quick_for: QuickFor
) -> Writer:
    """A function that fills an empty message."""
    source = _Source()
    for name, shape in shapes.items():
        source.lines.append(f"item = value.{name}")
        source.lines += _write_lines(source, name, shape, plans[name], descriptor, quick_for)
    writer: Writer = source.function("value, message")
    return writer


def _write_lines(
    source: _Source, name: str, shape: Shape, plan: FieldPlan, descriptor: Descriptor, quick_for: QuickFor
) -> list[str]:
    field = descriptor.fields_by_name.get(name)
    by_plan = ["if item is not None:", f"    {source.name(plan.write)}(message, item)"]
    if field is None or shape.mapping or is_union(shape):
        return by_plan
    if field.message_type is not None:
        if not is_mirrored_class(shape.only):
            return by_plan
        write = f"{source.name(quick_for(shape.only, field.message_type))}.write"
        if shape.many:
            return [
                "if item:",
                f"    add = message.{name}.add",
                "    for each in item:",
                f"        {write}(each, add())",
            ]
        part = [f"    part = message.{name}", "    part.SetInParent()", f"    {write}(item, part)"]
        return ["if item is not None:", *part]
    return _write_scalar(source, name, shape, field) or by_plan


def _write_scalar(source: _Source, name: str, shape: Shape, field: FieldDescriptor) -> list[str]:
    numbers = numbers_by_member(shape.only, field)
    if numbers is None and not is_plain(shape.only):
        return []
    table = "" if numbers is None else source.name(numbers)
    if shape.many:
        items = f"[{table}[each] for each in item]" if table else "item"
        return ["if item:", f"    message.{name}.extend({items})"]
    wanted = "if item is not None:" if field.has_presence or table else "if item:"  # the others' zero is not written
    return [wanted, f"    message.{name} = {table}[item]" if table else f"    message.{name} = item"]
