"""Every text and every bytes field of every request says in the contract what it may be; none takes anything."""

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from shared.rpc.validation_rules import constraint_of
from tests.support.contract import methods

OPAQUE = frozenset({"page_token"})
"""Texts that are read and never shown, stored or asked of a store as they were sent; they have a length."""
DEPTH_MAX = 10


def fields_of(descriptor: Descriptor, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], FieldDescriptor]]:
    """Every field of a message, by the path that leads to it."""
    for field in descriptor.fields:
        path = (*above, field.name)
        yield path, field
        if field.message_type is not None and len(path) < DEPTH_MAX:
            yield from fields_of(field.message_type, path)


def unlimited() -> Iterator[str]:
    for method in methods():
        for path, field in fields_of(method.input_type):
            constraint = constraint_of(field)
            named = f"{method.full_name} {'.'.join(path)}"
            if field.type == FieldDescriptor.TYPE_STRING:
                known = constraint.uuid or constraint.id or constraint.currency
                shown = constraint.text or field.name in OPAQUE
                if not known and not (shown and constraint.HasField("max_length")):
                    yield named
            elif field.type == FieldDescriptor.TYPE_BYTES and not (
                constraint.HasField("length") or constraint.HasField("max_length")
            ):
                yield named


def test_every_text_of_a_request_is_an_id_or_limited_text_for_people() -> None:
    assert len(list(methods())) > 80
    assert list(unlimited()) == []


def test_every_list_of_a_request_has_a_limit() -> None:
    endless = {
        f"{method.full_name} {'.'.join(path)}"
        for method in methods()
        for path, field in fields_of(method.input_type)
        if field.is_repeated and not constraint_of(field).HasField("max_items")
    }
    assert endless == set()
