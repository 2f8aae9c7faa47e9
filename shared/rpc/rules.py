"""Rules as a caller chooses them: a preset, overrides by presence, refused where the whole makes no sense."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import RuleSet as RuleSetMessage

from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.rules import RuleSet
from shared.kernel.rules.presets import PRESETS
from shared.kernel.rules.validation import check_rules, refuse_rules
from shared.rpc.mirror import from_proto, to_proto


@cache
def preset_messages() -> Mapping[str, RuleSetMessage]:
    """The presets as messages, by name; made once. Copy one before changing it."""
    return MappingProxyType({name: to_proto(rules, RuleSetMessage) for name, rules in PRESETS.items()})


def select_rules(selection: RuleSelection, path: str = "rules") -> tuple[RuleSetMessage, RuleSet]:
    """The rules that a selection means: as a message with every field set, and as the dataclass.

    ``path`` is where the selection sits in the request. NOT_FOUND where there is no such preset, RULES_INVALID naming
    every field where preset and overrides make no sense together.
    """
    merged = RuleSetMessage()
    merged.CopyFrom(_preset(selection.preset))
    overlay(selection.overrides, merged)
    rules = from_proto(merged, RuleSet, f"{path}.overrides")
    refuse_rules(tuple(_under(f"{path}.overrides", found) for found in check_rules(rules)))
    return merged, rules


def overlay(overrides: Message, rules: Message) -> None:
    """Let every field that is set in the overrides replace the same field of the rules.

    Nested messages are gone through field by field; a list that is not empty replaces the whole list.
    """
    for field, value in overrides.ListFields():
        _overlay_field(field, value, rules)


def _overlay_field(field: FieldDescriptor, value: object, rules: Message) -> None:
    if field.is_repeated:
        rules.ClearField(field.name)
        getattr(rules, field.name).MergeFrom(value)
    elif field.message_type is not None:
        overlay(cast("Message", value), getattr(rules, field.name))
    else:
        setattr(rules, field.name, value)


def _preset(name: str) -> RuleSetMessage:
    known = preset_messages()
    if name not in known:
        listed = ", ".join(known)
        message = f"there is no preset {name!r}; the presets are {listed}"
        raise DomainError(Reason.NOT_FOUND, message, {"kind": "preset", "id": name, "known": listed})
    return known[name]


def _under(path: str, found: FieldViolation) -> FieldViolation:
    return FieldViolation(f"{path}.{found.field}", found.description)
