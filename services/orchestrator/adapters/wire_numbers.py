"""Words of the game as numbers of the wire, for fields that are set one by one."""

from typing import Final

from sevenstud.common.v1.betting_pb2 import ActionCause as ActionCauseMessage
from sevenstud.common.v1.betting_pb2 import ActionKind as ActionKindMessage
from sevenstud.common.v1.game_pb2 import Street as StreetMessage

from services.orchestrator.domain.wagering import ActionCause, ActionKind
from shared.kernel.game import Street

_STREETS: Final = {street: StreetMessage.Value(f"STREET_{street.name}") for street in Street}
_KINDS: Final = {kind: ActionKindMessage.Value(f"ACTION_KIND_{kind.name}") for kind in ActionKind}
_CAUSES: Final = {cause: ActionCauseMessage.Value(f"ACTION_CAUSE_{cause.name}") for cause in ActionCause}


def street_number(street: Street) -> StreetMessage.ValueType:
    """A street on the wire."""
    return _STREETS[street]


def kind_number(kind: ActionKind) -> ActionKindMessage.ValueType:
    """A kind of action on the wire."""
    return _KINDS[kind]


def cause_number(cause: ActionCause) -> ActionCauseMessage.ValueType:
    """A cause of an action on the wire."""
    return _CAUSES[cause]
