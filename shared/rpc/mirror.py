"""Domain dataclasses and contract messages are mirrors of each other by field name; this converts both ways.

- A field of the dataclass has the field or the oneof of the same name in the message. The message may have more.
- None stands for an unset optional field, an UNSPECIFIED enum, a message or oneof that is not there. Where the
  dataclass does not allow None, such a value is refused with the path of the field, unless the field's metadata say
  what it means where it is unset ("when_unset": a field that came later, in messages stored before).
- An Enum mirrors by member name (``STREET_THIRD`` is ``Street.THIRD``); an int such as a Card by number.
- ``tuple[T, ...]`` is a repeated field, a Mapping of scalars a map, datetime and timedelta Timestamp and Duration.
- A union of dataclasses is a oneof whose member is chosen by its message type's name being the class's name. Where the
  field is itself a message (or a list of them) that holds one oneof, that oneof is meant.

What a pair of classes needs is worked out once and kept: a quick function each way (``mirror_quick.py``), and the plan
that names every fault where the quick way finds any. A mismatch between the two is a TypeError at first use.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.rpc.mirror_fields import FieldPlan, plan_field
from shared.rpc.mirror_kept import kept_reader, kept_writer
from shared.rpc.mirror_quick import quick_reader, quick_writer
from shared.rpc.mirror_scalars import MirrorFault, fault_of, together
from shared.rpc.mirror_types import shapes_of

MessageT = TypeVar("MessageT", bound=Message)
DataT = TypeVar("DataT")
VIOLATIONS_MAX = 20


def to_proto(value: object, message_class: type[MessageT]) -> MessageT:
    """The message that mirrors a dataclass."""
    message = message_class()
    fill_proto(value, message)
    return message


def fill_proto(value: object, message: Message) -> None:
    """Write a dataclass into a message that exists already, such as a field of a response; it should be empty."""
    plan_for(type(value), descriptor_of(message)).write(value, message)
    message.SetInParent()  # an empty dataclass is present all the same


def from_proto(message: Message, data_class: type[DataT], path: str = "") -> DataT:
    """The dataclass that mirrors a message; DomainError REQUEST_INVALID names every field that has no place in it.

    ``path`` is where the message sits in the request, as in ``state``, so that the caller finds the field.
    """
    plan = plan_for(data_class, descriptor_of(message))
    try:
        quick: DataT = plan.quick_read(message)
    except Exception:  # noqa: BLE001  # whatever it is, the plan says it with its path
        quick = _careful(plan, message, path)
    return quick


def _careful(plan: "Plan", message: Message, path: str) -> Any:
    try:
        return plan.read(message)
    except MirrorFault as fault:
        raise _refusal(fault.under(path) if path else fault, message) from None


def unmirrored(data_class: type, message_class: type[Message]) -> frozenset[str]:
    """Fields of a message that the dataclass does not have: for tests that want both to be equally rich."""
    shapes = shapes_of(data_class)
    fields = message_class.DESCRIPTOR.fields
    return frozenset(
        field.name
        for field in fields
        if field.name not in shapes and (field.containing_oneof is None or field.containing_oneof.name not in shapes)
    )


def _refusal(fault: MirrorFault, message: Message) -> DomainError:
    found = [(path or message.DESCRIPTOR.name, problem) for path, problem in fault.found]
    violations = tuple(FieldViolation(path, problem) for path, problem in found[:VIOLATIONS_MAX])
    named = "; ".join(f"{each.field}: {each.description}" for each in violations)
    more = len(found) - len(violations)
    text = f"{named}; and {more} more" if more > 0 else named
    return DomainError(Reason.REQUEST_INVALID, text, {"field": violations[0].field}, violations)


def _unplanned(*_: Any) -> None:
    raise TypeError("a plan is used before it is made")


class Plan:
    """How one dataclass and one message type are converted."""

    __slots__ = ("_data_class", "_fields", "quick_read", "write")

    def __init__(self, data_class: type) -> None:
        """Start empty: a type that contains itself finds this plan while it is being made."""
        self._data_class: Callable[..., Any] = data_class
        self._fields: tuple[FieldPlan, ...] = ()
        self.quick_read: Callable[[Any], Any] = self.read
        """Message to dataclass; raises anything where something is wrong with the message."""
        self.write: Callable[[Any, Any], None] = _unplanned
        """Dataclass into an empty message."""

    def complete(self, data_class: type, descriptor: Descriptor) -> None:
        """Work out every field."""
        shapes = shapes_of(data_class)
        plan_of: Any = plan_for  # a plan is what both sides ask for, though no checker sees it through its slots
        self._fields = tuple(plan_field(name, shape, descriptor, plan_of) for name, shape in shapes.items())
        plans = {field.name: field for field in self._fields}
        read = quick_reader(data_class, shapes, plans, descriptor, plan_of)
        self.quick_read = kept_reader(data_class, read)
        self.write = kept_writer(data_class, quick_writer(shapes, plans, descriptor, plan_of))

    def read(self, message: Any) -> Any:
        """Make the dataclass, or raise MirrorFault with the path of every field that has no place in it."""
        values: dict[str, Any] = {}
        faults: list[MirrorFault] = []
        for field in self._fields:
            try:
                values[field.name] = field.read(message)
            except MirrorFault as fault:
                faults.append(fault.under(field.name))
        if faults:
            raise together(faults)
        try:
            return self._data_class(**values)
        except ValueError as fault:
            raise fault_of(str(fault)) from fault


def descriptor_of(message: Message) -> Descriptor:
    """The message type; its stub allows for two implementations of the same class."""
    return cast("Descriptor", message.DESCRIPTOR)


_plans: dict[tuple[type, str], Plan] = {}


def plan_for(data_class: type, descriptor: Descriptor) -> Plan:
    """The plan of a pair, made at its first use."""
    key = (data_class, descriptor.full_name)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = Plan(data_class)
        try:
            plan.complete(data_class, descriptor)
        except BaseException:
            del _plans[key]
            raise
    return plan
