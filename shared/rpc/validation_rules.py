"""What a constraint of the contract means for one field: the problem in words, or None."""

import re
import sys
from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldOptions
from sevenstud.common.v1.constraint_pb2 import Constraint
from sevenstud.common.v1.constraint_pb2 import constraint as constraint_option

from shared.rpc.printable import characters_of, print_problem

Problem = Callable[[Any], str | None]
"""A value (or a message, for the presence of a field) to what is wrong with it."""

UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
ID = re.compile(r"[A-Za-z0-9._:@-]{1,64}")
CURRENCY = re.compile(r"[A-Z]{3}")
ENUM_VALUES_LISTED = 20
_NUMBERS = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
        FieldDescriptor.CPPTYPE_DOUBLE,
        FieldDescriptor.CPPTYPE_FLOAT,
    }
)


def constraint_of(field: FieldDescriptor) -> Constraint:
    """The constraint of a field; an empty one where the contract states none."""
    options: FieldOptions = field.GetOptions()
    return options.Extensions[constraint_option]


def presence_problem(field: FieldDescriptor, constraint: Constraint) -> Problem | None:
    """A required field that is not there."""
    if not constraint.required:
        return None
    name = field.name
    if field.enum_type is not None and not field.is_repeated:
        missing = f"is required: give {_values_of(field)}"
        return lambda message: None if getattr(message, name) else missing
    if field.has_presence and field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        return lambda message: None if message.HasField(name) else "is required: set it"
    if field.has_presence:
        return lambda message: None if message.HasField(name) and _is_set(message, name) else "is required: set it"
    if field.is_repeated:
        return lambda message: None if len(getattr(message, name)) else "is required: give at least one item"
    return lambda message: None if getattr(message, name) else "is required: set it"


def _is_set(message: Any, name: str) -> bool:
    """An empty text does not count as set; a zero or false that was set does."""
    value = getattr(message, name)
    return bool(value) or not isinstance(value, str | bytes)


def most_of(constraint: Constraint) -> int:
    """How many items of a list are looked at: beyond what it may have nobody looks."""
    return constraint.max_items if constraint.HasField("max_items") else sys.maxsize


def list_problem(field: FieldDescriptor, constraint: Constraint) -> Problem | None:
    """A list of the wrong length."""
    if not field.is_repeated or not (constraint.HasField("max_items") or constraint.HasField("min_items")):
        return None
    name = field.name
    least = constraint.min_items
    most = constraint.max_items if constraint.HasField("max_items") else None

    def check(message: Any) -> str | None:
        count = len(getattr(message, name))
        if count < least:
            return f"has {count} items: give at least {least}"
        if most is not None and count > most:
            return f"has {count} items: give at most {most}"
        return None

    return check


def item_problem(field: FieldDescriptor, constraint: Constraint) -> Problem | None:
    """A single value (of a list, each of them) that is not allowed."""
    if field.enum_type is not None:
        return _enum_problem(field)
    if field.cpp_type in _NUMBERS:
        return _number_problem(constraint)
    if field.type == FieldDescriptor.TYPE_STRING:
        return _text_problem(constraint)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _bytes_problem(constraint)
    return None


def _enum_problem(field: FieldDescriptor) -> Problem:
    known = frozenset(field.enum_type.values_by_number)
    name, values = field.enum_type.name, _values_of(field)
    repeated = field.is_repeated

    def check(number: int) -> str | None:
        if number not in known:
            return f"is no value of {name}: give {values}"
        if repeated and number == 0:
            return f"is unspecified: give {values}"
        return None

    return check


def _values_of(field: FieldDescriptor) -> str:
    """The values of an enum that may be given, as many as fit into a sentence."""
    names = [value.name for value in field.enum_type.values if value.number]
    listed = ", ".join(names[:ENUM_VALUES_LISTED])
    more = len(names) - ENUM_VALUES_LISTED
    return f"one of {listed}, or one of {more} more" if more > 0 else f"one of {listed}"


def _number_problem(constraint: Constraint) -> Problem | None:
    least = constraint.min if constraint.HasField("min") else None
    most = constraint.max if constraint.HasField("max") else None
    if least is None and most is None:
        return None
    if least is None:
        allowed = f"give at most {most}"
    elif most is None:
        allowed = f"give at least {least}"
    else:
        allowed = f"give {least} to {most}"

    def check(number: int) -> str | None:
        if least is not None and number < least:
            return f"is too small: {allowed}"
        if most is not None and number > most:
            return f"is too large: {allowed}"
        return None

    return check


def _text_problem(constraint: Constraint) -> Problem | None:
    problems: list[Problem] = []
    if constraint.HasField("max_length"):
        count = characters_of if constraint.text else len
        problems.append(_at_most(constraint.max_length, "characters", count))
    if constraint.text:
        problems.append(print_problem)
    if constraint.uuid:
        problems.append(_uuid_problem(missing_is_told=constraint.required))
    if constraint.id:
        problems.append(_pattern(ID, "is no id: give 1 to 64 of A-Z a-z 0-9 . _ : @ -"))
    if constraint.currency:
        problems.append(_pattern(CURRENCY, "is no currency: give three capital letters, as in EUR"))
    return _first(problems)


def _uuid_problem(*, missing_is_told: bool) -> Problem:
    """A missing one is told once: as required where it is, else as no UUID."""
    problem = "is no UUID: give its 36-character form"
    return lambda text: None if UUID.fullmatch(text) or (missing_is_told and not text) else problem


def _bytes_problem(constraint: Constraint) -> Problem | None:
    problems: list[Problem] = []
    if constraint.HasField("max_length"):
        problems.append(_at_most(constraint.max_length, "bytes", len))
    if constraint.HasField("length"):
        length = constraint.length
        required = constraint.required
        problems.append(
            lambda value: None if len(value) == length or not (value or required) else f"must have {length} bytes"
        )
    return _first(problems)


def _at_most(most: int, unit: str, count: Callable[[Any], int]) -> Problem:
    return lambda value: None if (found := count(value)) <= most else f"has {found} {unit}: give at most {most}"


def _pattern(pattern: re.Pattern[str], problem: str) -> Problem:
    """Checked where there is a text: a required one is another constraint."""
    return lambda text: None if not text or pattern.fullmatch(text) else problem


def _first(problems: list[Problem]) -> Problem | None:
    if len(problems) <= 1:
        return problems[0] if problems else None

    def check(value: Any) -> str | None:
        for problem in problems:
            found = problem(value)
            if found is not None:
                return found
        return None

    return check
