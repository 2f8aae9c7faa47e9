"""The quick look at a request: is everything in it allowed? One function a message type, written out field by field.

It only says yes or "look closer"; what is wrong with a request is said by ``validation.py``, check by check. A
constraint that is not written out here is asked of the same check as there.
"""

from collections.abc import Callable
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from shared.kernel.frozen import compiled
from shared.rpc.validation_rules import constraint_of, item_problem, list_problem, presence_problem

Quick = Callable[[Any], bool]
KEPT_TYPES: Final = frozenset({"HandRules", "ClockRules", "TournamentRules", "CashRules"})
"""Messages of common.v1 that come with every step of a hand: what was found in order once is known by its bytes."""
KEPT_PACKAGE: Final = "sevenstud.common.v1"
KEPT_MAX: Final = 256
_INTEGERS: Final = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    }
)


class QuickLooks:
    """The functions of all message types met so far."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[str, Quick] = {}

    def of(self, descriptor: Descriptor) -> Quick:
        """The function of a message type, made at its first use."""
        found = self._found.get(descriptor.full_name)
        if found is None:
            name = descriptor.full_name

            def later(message: Any) -> bool:  # a type may contain itself
                return self._found[name](message)

            self._found[name] = later
            found = self._found[name] = _kept(descriptor, self._compile(descriptor))
        return found

    def _compile(self, descriptor: Descriptor) -> Quick:
        names: dict[str, Any] = {}
        tests = [test for field in descriptor.fields for test in self._tests(field, names)]
        if not tests:
            return _anything
        body = "".join(f"    if {test}:\n        return False\n" for test in tests)
        made: Quick = compiled(f"def quick(message):\n{body}    return True\n", "quick", names)
        return made

    def _tests(self, field: FieldDescriptor, names: dict[str, Any]) -> list[str]:
        """Conditions under which one must look closer."""
        constraint = constraint_of(field)
        tests = [
            f"{_name(names, problem)}(message) is not None"
            for problem in (presence_problem(field, constraint), list_problem(field, constraint))
            if problem is not None
        ]
        if constraint.text and not field.is_repeated:
            tests.append(f"not message.{field.name}.isascii()")  # the closer look gives it its one form
        item = _item_test(field, names)
        if item is not None:
            tests.append(_placed(field, item))
        nested = self._nested(field)
        if nested is not None:
            look = f"not {_name(names, nested)}({{}})"
            tests.append(_placed(field, look))
        return tests

    def _nested(self, field: FieldDescriptor) -> Quick | None:
        kind = field.message_type
        if kind is None or kind.full_name.startswith("google.protobuf.") or kind.GetOptions().map_entry:
            return None
        look = self.of(kind)
        return None if look is _anything else look


def _placed(field: FieldDescriptor, test: str) -> str:
    """The test of one value, at its place in the message."""
    value = f"message.{field.name}"
    if field.is_repeated:
        return f"{value} and any([{test.replace('{}', 'item')} for item in {value}])"
    if field.has_presence:
        of_value = test.replace("{}", value)
        return f'message.HasField("{field.name}") and ({of_value})'
    return test.replace("{}", value)


def _item_test(field: FieldDescriptor, names: dict[str, Any]) -> str | None:
    constraint = constraint_of(field)
    if field.enum_type is not None:
        known = frozenset(field.enum_type.values_by_number) - ({0} if field.is_repeated else set())
        return f"{{}} not in {_name(names, known)}"
    problem = item_problem(field, constraint)
    if problem is None:
        return None
    if field.cpp_type in _INTEGERS:
        bounds = [f"{{}} < {constraint.min}"] if constraint.HasField("min") else []
        bounds += [f"{{}} > {constraint.max}"] if constraint.HasField("max") else []
        return " or ".join(bounds)
    return f"{_name(names, problem)}({{}}) is not None"


def _anything(_: Any) -> bool:
    """A message without constraints."""
    return True


def _kept(descriptor: Descriptor, quick: Quick) -> Quick:
    if descriptor.name not in KEPT_TYPES or descriptor.file.package != KEPT_PACKAGE:
        return quick
    good: set[bytes] = set()

    def look(message: Any) -> bool:
        content = message.SerializeToString()
        if content in good:
            return True
        if not quick(message):
            return False
        if len(good) >= KEPT_MAX:
            good.clear()
        good.add(content)
        return True

    return look


def _name(names: dict[str, Any], value: Any) -> str:
    made = f"v{len(names)}"
    names[made] = value
    return made
