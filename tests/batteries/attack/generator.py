"""Requests nobody in his right mind would send, made from the contract's own descriptors; the same seed, the same ones.

Five kinds: lawful ones with known names in them, so that something happens; good ones with some fields changed; wild
ones that keep to the types and to nothing else; any of these with bytes changed; and bytes that are nothing.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message

from shared.rpc.validation_rules import constraint_of
from tests.support.contract import message_class

DEPTH_MAX = 9
ITEMS_MAX = 12
CANARY = b"unknown-field-canary-7f3a"
"""Sent in a field that no message has; whoever stores what it does not know stores this."""
UNKNOWN_FIELD = b"\xfa\xff\x7f" + bytes([len(CANARY)]) + CANARY
"""Field 262143, of bytes."""
_TEXTS = (
    "",
    "x",
    "Table 7",
    "a\u0301\u0302",
    "\u202etxet",
    "\u200b",
    "\x00",
    "\x1b[2J",
    "\ufdfa" * 9,
    "'; DROP TABLE events; --",
    "../../etc/passwd",
    "%s%n{0}{{}}",
    "\U0001f0a1" * 40,
    "A" * 5000,
    "null",
    "-1",
    "\u212a",
)
_WIDE = (0, 1, -1, 2**31, 2**53 + 1, 10**15, 10**15 + 1, 2**62, 2**63 - 1, -(2**63))
_NARROW = (0, 1, 2, 7, 8, 9, 53, 2**31 - 1, 2**32 - 1)
_SIGNED = (0, 1, -1, 500, 2**31 - 1, -(2**31))
EDGES: Mapping[int, Sequence[int]] = {
    FieldDescriptor.TYPE_INT64: _WIDE,
    FieldDescriptor.TYPE_UINT32: _NARROW,
    FieldDescriptor.TYPE_INT32: _SIGNED,
    FieldDescriptor.TYPE_UINT64: (0, 1, 2**63, 2**64 - 1),
    FieldDescriptor.TYPE_FIXED64: (0, 1, 2**52 - 1, 2**63, 2**64 - 1),
}


@dataclass
class Known:
    """What the attacked house knows: names by the field that they stand in, good requests by RPC."""

    names: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    requests: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    """By the full name of the request's message."""

    def add_name(self, name: str, value: str) -> None:
        """One more name, a hundred at most."""
        values = self.names.setdefault(name, [])
        if value not in values and len(values) < 100:
            values.append(value)

    def add_request(self, kind: str, content: bytes) -> None:
        """One more good request, forty at most."""
        values = self.requests.setdefault(kind, [])
        if len(values) < 40:
            values.append(content)


class Generator:
    """Makes the requests of one RPC after the other."""

    def __init__(self, known: Known, seed: str) -> None:
        self._known = known
        self._rng = Random(seed)

    def request(self, method: MethodDescriptor) -> bytes:
        """The next one for this RPC."""
        rng, roll = self._rng, self._rng.random()
        if roll < 0.05:
            return rng.randbytes(rng.choice((0, 1, 5, 40, 400)))
        made = self._message(method, roll)
        content = made.SerializeToString()
        if rng.random() < 0.1:
            content += UNKNOWN_FIELD
        return self._bent(content) if rng.random() < 0.2 else content

    def lawful(self, method: MethodDescriptor) -> Message:
        """One that keeps to the contract, with names that the house knows."""
        return self._message(method, 0.6)

    def _message(self, method: MethodDescriptor, roll: float) -> Message:
        good = self._known.requests.get(method.input_type.full_name, [])
        made: Any = message_class(method.input_type.full_name)()
        if roll < 0.5 and good:
            made.ParseFromString(self._rng.choice(good))
            for _ in range(self._rng.choice((0, 1, 1, 2, 3, 8))):
                self._change(made)
        else:
            self._fill(made, 0, wild=0.0 if roll < 0.75 else 0.3)
        if "request_id" in method.input_type.fields_by_name and self._rng.random() < 0.9:
            made.request_id = str(uuid.UUID(bytes=self._rng.randbytes(16)))
        for name in method.input_type.fields_by_name:
            if name in self._known.names and self._rng.random() < 0.6:
                self._put(made, method.input_type.fields_by_name[name])
        return made  # type: ignore[no-any-return]  # a message of a class found by name

    # --- bytes ------------------------------------------------------------------------------

    def _bent(self, content: bytes) -> bytes:
        """Some bytes changed, taken out, doubled, or cut off."""
        rng, bent = self._rng, bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 4, 16))):
            at = rng.randrange(len(bent) + 1)
            to = min(len(bent), at + rng.choice((1, 1, 2, 8)))
            way: Callable[[], None] = rng.choice(
                (
                    lambda at=at, to=to: bent.__setitem__(slice(at, to), rng.randbytes(to - at)),
                    lambda at=at, to=to: bent.__delitem__(slice(at, to)),
                    lambda at=at, to=to: bent.__setitem__(slice(at, at), bent[at:to]),
                    lambda at=at: bent.__delitem__(slice(at, len(bent))) if rng.random() < 0.2 else None,
                    lambda at=at: bent.__setitem__(slice(at, at), rng.choice((b"\xff", b"\x80" * 10, UNKNOWN_FIELD))),
                )
            )
            way()
        return bytes(bent)

    # --- fields -----------------------------------------------------------------------------

    def _change(self, message: Any) -> None:
        """One field anywhere in a message becomes something else, or goes away."""
        rng, inner = self._rng, message
        while True:
            below = [
                each
                for each, value in inner.ListFields()
                if each.message_type is not None and (not each.is_repeated or len(value))
            ]
            if not below or rng.random() < 0.4:
                break
            chosen = rng.choice(below)
            inner = getattr(inner, chosen.name)
            inner = rng.choice(list(inner)) if chosen.is_repeated else inner
        fields: list[FieldDescriptor] = list(inner.DESCRIPTOR.fields)
        if not fields:
            return
        changed = rng.choice(fields)
        if rng.random() < 0.15:
            inner.ClearField(changed.name)
        else:
            self._set(inner, changed, DEPTH_MAX - 3, wild=0.5)

    def _fill(self, message: Any, depth: int, wild: float) -> None:
        descriptor: Descriptor = message.DESCRIPTOR
        for each in descriptor.fields:
            likely = 0.95 if constraint_of(each).required else 0.55 if depth < 3 else 0.2
            if depth < DEPTH_MAX and self._rng.random() < likely:
                self._set(message, each, depth, wild)

    def _put(self, message: Any, name: FieldDescriptor) -> None:
        """A name that the house knows."""
        if name.type == FieldDescriptor.TYPE_STRING and not name.is_repeated:
            setattr(message, name.name, self._rng.choice(self._known.names[name.name]))

    def _set(self, message: Any, each: FieldDescriptor, depth: int, wild: float) -> None:
        if not each.is_repeated:
            if each.message_type is None:
                setattr(message, each.name, self._value(each, wild))
            else:
                inner = getattr(message, each.name)
                inner.SetInParent()
                self._fill(inner, depth + 1, wild)
            return
        constraint = constraint_of(each)
        most = min(constraint.max_items or ITEMS_MAX, ITEMS_MAX)
        count = self._rng.randint(min(constraint.min_items, most), most)
        if self._rng.random() < wild:
            count = self._rng.choice((0, 1, most + 1, 3 * ITEMS_MAX))
        values = getattr(message, each.name)
        del values[:]
        for _ in range(count):
            if each.message_type is None:
                values.append(self._value(each, wild))
            else:
                self._fill(values.add(), depth + 1, wild)

    def _value(self, each: FieldDescriptor, wild: float) -> Any:
        bad = self._rng.random() < wild
        if each.enum_type is not None:
            numbers = list(each.enum_type.values_by_number)
            return self._rng.choice((-1, 99, 2**31 - 1)) if bad else self._rng.choice(numbers)
        if each.type == FieldDescriptor.TYPE_STRING:
            return self._text(each, bad=bad)
        if each.type == FieldDescriptor.TYPE_BYTES:
            constraint = constraint_of(each)
            length = constraint.length or min(constraint.max_length, 64)
            return self._rng.randbytes(self._rng.choice((0, 1, length + 1, 3000)) if bad else length)
        if each.type == FieldDescriptor.TYPE_BOOL:
            return self._rng.random() < 0.5
        return self._number(each, bad=bad)

    def _text(self, each: FieldDescriptor, *, bad: bool) -> str:
        constraint = constraint_of(each)
        if bad:
            return self._rng.choice(_TEXTS)
        if constraint.uuid:
            return str(uuid.UUID(bytes=self._rng.randbytes(16)))
        if constraint.currency:
            return self._rng.choice(("EUR", "EUR", "USD", "GBP"))
        known = self._known.names.get(each.name) or self._known.names.get("player_id", [])
        return self._rng.choice([*known, f"n{self._rng.randrange(1000)}"])

    def _number(self, each: FieldDescriptor, *, bad: bool) -> int:
        constraint = constraint_of(each)
        edges = EDGES[each.type]
        if bad:
            return self._rng.choice(edges)
        least = constraint.min if constraint.HasField("min") else 0
        most = constraint.max if constraint.HasField("max") else 2**31 - 1
        return self._rng.choice(
            (least, most, self._rng.randint(least, most), self._rng.randint(least, min(most, least + 9)))
        )
