"""How one value that is not a message crosses the wire: numbers, texts, enums, moments."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Final, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

type_ = FieldDescriptor  # short for the wire type numbers below


Found = tuple[str, str]
"""Path and what is wrong there."""


class MirrorFault(Exception):  # noqa: N818  # never leaves this package: from_proto turns it into a DomainError
    """Values of the wire that have no place in the domain, each with the path to it."""

    def __init__(self, *found: Found) -> None:
        """Keep what is wrong and where."""
        super().__init__("; ".join(problem for _, problem in found))
        self.found = found

    def under(self, step: str) -> "MirrorFault":
        """The same faults seen from one level above."""
        return MirrorFault(*((_joined(step, path), problem) for path, problem in self.found))


def _joined(step: str, path: str) -> str:
    return f"{step}{path}" if not path or path.startswith("[") else f"{step}.{path}"


def together(faults: Iterable[MirrorFault]) -> MirrorFault:
    """All faults of a message as one."""
    return MirrorFault(*(found for fault in faults for found in fault.found))


def fault_of(problem: str) -> MirrorFault:
    """A fault of the value itself; whoever reads the message adds the path."""
    return MirrorFault(("", problem))


Convert = Callable[[Any], Any]
"""One value to the other side; None stands for "as it is"."""

REQUIRED: Final = "is required"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_SECONDS: Final = 86_400
_TIMES: Final = {datetime: "google.protobuf.Timestamp", timedelta: "google.protobuf.Duration"}
_INTEGERS: Final = {
    type_.CPPTYPE_INT32,
    type_.CPPTYPE_INT64,
    type_.CPPTYPE_UINT32,
    type_.CPPTYPE_UINT64,
}


def reader(kind: type, field: FieldDescriptor) -> Convert | None:
    """From the wire to the domain; raises MirrorFault for a value that the domain does not know."""
    _check_kind(kind, field)
    known = members_by_number(kind, field)
    if known is not None:
        return _enum_reader(known, field.enum_type)
    if issubclass(kind, Enum):
        return _by_value(kind)
    if is_plain(kind):
        return None
    return cast("Convert", kind)  # a subclass of int or str made for one purpose


def writer(kind: type, field: FieldDescriptor) -> Convert | None:
    """From the domain to the wire."""
    _check_kind(kind, field)
    numbers = numbers_by_member(kind, field)
    return None if numbers is None else numbers.__getitem__


def is_plain(kind: type) -> bool:
    """The value is the same on both sides."""
    return kind in {int, str, bytes, bool, float}


def numbers_by_member(kind: type, field: FieldDescriptor) -> dict[Any, Any] | None:
    """What an Enum's members are on the wire; None for other kinds, which are written as they are."""
    if not issubclass(kind, Enum):
        return None
    if field.enum_type is None:
        return {member: member.value for member in kind}
    prefix = enum_prefix(field.enum_type)
    numbers = {name: value.number for name, value in field.enum_type.values_by_name.items()}
    return {member: numbers[prefix + member.name] for member in kind}


def members_by_number(kind: type, field: FieldDescriptor) -> dict[int, Any] | None:
    """What the numbers of an enum of the contract mean; None for a field that is no enum."""
    if field.enum_type is None:
        return None
    prefix = enum_prefix(field.enum_type)
    known: dict[int, Any] = {}
    for name, value in field.enum_type.values_by_name.items():
        if issubclass(kind, Enum):
            member = kind.__members__.get(name.removeprefix(prefix))
            if member is not None:
                known[value.number] = member
        elif value.number:
            known[value.number] = value.number
    return known


def enum_prefix(descriptor: EnumDescriptor) -> str:
    """The prefix that every name of a proto enum carries: ErrorReason gives ERROR_REASON_."""
    letters = [("_" + each if each.isupper() and at else each) for at, each in enumerate(descriptor.name)]
    return "".join(letters).upper() + "_"


def _enum_reader(known: dict[int, Any], descriptor: EnumDescriptor) -> Convert:
    """A closed list: an unknown number and UNSPECIFIED are refused."""

    def read(number: int) -> Any:
        try:
            return known[number]
        except KeyError:
            if number == 0:
                raise fault_of(f"{REQUIRED}: name one of {descriptor.name}") from None
            raise fault_of(f"{number} is not in {descriptor.name}") from None

    return read


def _by_value(kind: type[Enum]) -> Convert:
    def read(value: Any) -> Any:
        try:
            return kind(value)
        except ValueError:
            allowed = ", ".join(str(member.value) for member in kind)
            raise fault_of(f"{value!r} is not allowed: one of {allowed}") from None

    return read


def _check_kind(kind: type, field: FieldDescriptor) -> None:
    """A mismatch between dataclass and contract is a programming error and shows at the first use."""
    if field.enum_type is not None:
        _check_enum(kind, field)
        return
    wire = field.cpp_type
    fits = (
        (issubclass(kind, bool) and wire == type_.CPPTYPE_BOOL)
        or (issubclass(kind, int) and not issubclass(kind, bool) and wire in _INTEGERS)
        or (issubclass(kind, str) and field.type == type_.TYPE_STRING)
        or (issubclass(kind, bytes) and field.type == type_.TYPE_BYTES)
        or (issubclass(kind, float) and wire in {type_.CPPTYPE_DOUBLE, type_.CPPTYPE_FLOAT})
    )
    if not fits:
        raise TypeError(f"{kind.__name__} does not mirror the type of {field.full_name}")


def _check_enum(kind: type, field: FieldDescriptor) -> None:
    if issubclass(kind, Enum):
        prefix = enum_prefix(field.enum_type)
        missing = [name for name in kind.__members__ if prefix + name not in field.enum_type.values_by_name]
        if missing:
            raise TypeError(f"{field.enum_type.full_name} lacks {', '.join(missing)} of {kind.__name__}")
    elif not issubclass(kind, int):
        raise TypeError(f"{kind.__name__} does not mirror the enum of {field.full_name}")


def is_time(kind: type, field: FieldDescriptor) -> bool:
    """Is it a moment or a span, held in a message of google.protobuf?"""
    name = _TIMES.get(kind)
    if name is None:
        return False
    if field.message_type is None or field.message_type.full_name != name:
        raise TypeError(f"{field.full_name} is no {name}")
    return True


def read_time(kind: type, message: Any) -> datetime | timedelta:
    """An aware UTC datetime or a timedelta, to the microsecond."""
    try:
        if kind is datetime:
            moment: datetime = message.ToDatetime(tzinfo=UTC)
            return moment
        span: timedelta = message.ToTimedelta()
    except (ValueError, OverflowError) as fault:
        raise fault_of(f"is out of range: {fault}") from None
    return span


def write_time(value: datetime | timedelta, message: Any) -> None:
    """Fill a Timestamp or a Duration in place; a naive datetime is a bug."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone cannot be put on the wire")
        since = value - _EPOCH
        message.seconds = since.days * _DAY_SECONDS + since.seconds
        message.nanos = since.microseconds * 1000
    else:
        message.FromTimedelta(value)
