"""Every request is checked against the constraints in its contract before anything else sees it.

The checks of a message type are worked out once. All breaches are reported together, each with the path of the field,
what is allowed, and so how to mend it. The values themselves are not repeated: they may be secret. Texts for people
are brought into their one form (NFKC) on the way.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.rpc.printable import normalised, print_problem
from shared.rpc.validation_quick import QuickLooks
from shared.rpc.validation_rules import (
    Problem,
    constraint_of,
    item_problem,
    list_problem,
    most_of,
    presence_problem,
)

BREACHES_MAX = 20
Breach = tuple[str, str]
"""Path and what is wrong there."""
Check = Callable[[Any, list[Breach]], None]


class Validator:
    """Knows the constraints of every message type it has met."""

    def __init__(self) -> None:
        """Start with none; see prepare."""
        self._checks: dict[str, Check | None] = {}
        self._quick = QuickLooks()

    def prepare(self, descriptor: Descriptor) -> None:
        """Work out the checks of a request type ahead of the first call."""
        self._check_of(descriptor)
        self._quick.of(descriptor)

    def check(self, request: Message, descriptor: Descriptor) -> None:
        """Raise DomainError REQUEST_INVALID that names every field in breach."""
        if self._quick.of(descriptor)(request):
            return
        check = self._check_of(descriptor)
        if check is None:
            return
        breaches: list[Breach] = []
        check(request, breaches)
        if breaches:
            raise invalid_request(breaches)

    def _check_of(self, descriptor: Descriptor) -> Check | None:
        name = descriptor.full_name
        if name not in self._checks:
            self._checks[name] = lambda message, out: self._late(name, message, out)  # a type may contain itself
            self._checks[name] = self._compile(descriptor)
        return self._checks[name]

    def _late(self, name: str, message: Any, out: list[Breach]) -> None:
        check = self._checks[name]
        if check is not None:
            check(message, out)

    def _compile(self, descriptor: Descriptor) -> Check | None:
        checks = [check for field in descriptor.fields for check in self._field_checks(field)]
        if not checks:
            return None

        def check_all(message: Any, out: list[Breach]) -> None:
            for check in checks:
                check(message, out)

        return check_all

    def _field_checks(self, field: FieldDescriptor) -> list[Check]:
        constraint = constraint_of(field)
        checks = [
            _whole_field(field, problem)
            for problem in (presence_problem(field, constraint), list_problem(field, constraint))
            if problem is not None
        ]
        if constraint.text and not field.is_repeated:
            checks.append(_normalise(field.name))
        item = item_problem(field, constraint)
        if item is not None:
            checks.append(_items(field, item, most_of(constraint)) if field.is_repeated else _one(field, item))
        nested = self._nested(field, most_of(constraint))
        return checks if nested is None else [*checks, nested]

    def _nested(self, field: FieldDescriptor, most: int) -> Check | None:
        if field.message_type is None or field.message_type.full_name.startswith("google.protobuf."):
            return None
        if field.message_type.GetOptions().map_entry:
            return None
        check = self._check_of(field.message_type)
        if check is None:
            return None
        return _nested_items(field.name, check, most) if field.is_repeated else _nested_one(field.name, check)


@lru_cache(maxsize=1)
def validator() -> Validator:
    """The one of this process: the constraints are the contract's, whoever serves it."""
    return Validator()


def invalid_request(breaches: list[Breach]) -> DomainError:
    """The refusal that names every field in breach."""
    violations = tuple(FieldViolation(path, problem) for path, problem in breaches[:BREACHES_MAX])
    named = "; ".join(f"{each.field} {each.description}" for each in violations)
    more = len(breaches) - len(violations)
    message = f"{named}; and {more} more" if more > 0 else named
    return DomainError(Reason.REQUEST_INVALID, message, {"field": violations[0].field}, violations)


def _normalise(name: str) -> Check:
    """A text for people takes its one form before anything looks at it, stores it or compares it."""

    def take_its_form(message: Any, _: list[Breach]) -> None:
        text = getattr(message, name)
        form = normalised(text)
        if form != text and print_problem(text) is None:  # what cannot be printed is told as it was sent
            setattr(message, name, form)

    return take_its_form


def _whole_field(field: FieldDescriptor, problem: Problem) -> Check:
    name = field.name

    def check(message: Any, out: list[Breach]) -> None:
        found = problem(message)
        if found is not None:
            out.append((name, found))

    return check


def _one(field: FieldDescriptor, problem: Problem) -> Check:
    name = field.name
    has_presence = field.has_presence

    def check(message: Any, out: list[Breach]) -> None:
        if has_presence and not message.HasField(name):
            return
        found = problem(getattr(message, name))
        if found is not None:
            out.append((name, found))

    return check


def _items(field: FieldDescriptor, problem: Problem, most: int) -> Check:
    name = field.name

    def check(message: Any, out: list[Breach]) -> None:
        for index, item in enumerate(getattr(message, name)[:most]):  # that it is too long is told elsewhere
            found = problem(item)
            if found is not None:
                out.append((f"{name}[{index}]", found))
                if len(out) > BREACHES_MAX:
                    return

    return check


def _nested_one(name: str, check: Check) -> Check:
    def check_one(message: Any, out: list[Breach]) -> None:
        if not message.HasField(name):
            return
        inner: list[Breach] = []
        check(getattr(message, name), inner)
        out.extend((f"{name}.{path}", problem) for path, problem in inner)

    return check_one


def _nested_items(name: str, check: Check, most: int) -> Check:
    def check_items(message: Any, out: list[Breach]) -> None:
        for index, item in enumerate(getattr(message, name)[:most]):  # that it is too long is told elsewhere
            inner: list[Breach] = []
            check(item, inner)
            out.extend((f"{name}[{index}].{path}", problem) for path, problem in inner)
            if len(out) > BREACHES_MAX:
                return

    return check_items
