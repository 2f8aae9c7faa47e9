"""The rule options of the contract, found by walking its messages: every plain field of the four rule messages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from sevenstud.common.v1.rules_pb2 import RuleSet

from services.console.domain.rule_overrides import Override


@dataclass(frozen=True, slots=True)
class RuleField:
    """One plain rule option: its path, and the values it takes (none: a number)."""

    path: str
    values: tuple[str, ...]


def rule_fields() -> tuple[RuleField, ...]:
    """Every option that has one plain value; lists and their messages are not among them."""
    return tuple(_walk(RuleSet.DESCRIPTOR, ""))


def apply_overrides(rules: RuleSet, overrides: Iterable[Override]) -> None:
    """Set every override in the message."""
    for override in overrides:
        *parents, name = override.path.split(".")
        message = rules
        for parent in parents:
            message = getattr(message, parent)
        field = message.DESCRIPTOR.fields_by_name[name]
        setattr(message, name, _value(field, override.value))


def _walk(descriptor: Descriptor, prefix: str) -> Iterator[RuleField]:
    for field in descriptor.fields:
        if field.is_repeated:
            continue
        path = f"{prefix}{field.name}"
        if field.message_type is not None:
            yield from _walk(field.message_type, f"{path}.")
        else:
            yield RuleField(path, _values(field))


def _values(field: FieldDescriptor) -> tuple[str, ...]:
    if field.type == FieldDescriptor.TYPE_BOOL:
        return ("true", "false")
    if field.enum_type is None:
        return ()
    return tuple(name.removeprefix(_prefix(field.enum_type)).lower() for name in field.enum_type.values_by_name)[1:]


def _value(field: FieldDescriptor, text: str) -> int | bool:
    if field.type == FieldDescriptor.TYPE_BOOL:
        return text == "true"
    if field.enum_type is None:
        return int(text)
    number: int = field.enum_type.values_by_name[_prefix(field.enum_type) + text.upper()].number
    return number


def _prefix(enum: EnumDescriptor) -> str:
    unset: str = enum.values[0].name
    return unset.removesuffix("UNSPECIFIED")
