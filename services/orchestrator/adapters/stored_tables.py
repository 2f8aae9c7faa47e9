"""Facts and rows of tables as bytes, and back."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from sevenstud.orchestrator.stored.v1 import table_event_pb2, table_row_pb2

from services.orchestrator.application.table_log import CommandAnswer
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.table import BareTable
from services.orchestrator.domain.views import TableSummary
from shared.rpc.mirror import fill_proto, from_proto, to_proto
from shared.storage.event_log import NewEvent, StoredEvent

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STREAM: Final = "table/"
_ENVELOPE: Final = table_event_pb2.TableFact.DESCRIPTOR
_MEMBERS: Final = {
    field.message_type.name: field.name for field in _ENVELOPE.oneofs_by_name["fact"].fields if field.message_type
}
_CLASSES: Final = {kind.__name__: kind for kind in Fact.__args__}


def micros_of(moment: datetime) -> int:
    """Microseconds since 1970 in UTC."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment_of(micros: int) -> datetime:
    """The moment, aware, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def stream_of(table_id: str) -> str:
    """The stream of a table's log."""
    return _STREAM + table_id


def new_event(recorded: Recorded) -> NewEvent:
    """A fact to be appended."""
    kind = type(recorded.fact).__name__
    message = table_event_pb2.TableFact(hand_id=recorded.hand_id)
    fill_proto(recorded.fact, getattr(message, _MEMBERS[kind]))
    return NewEvent(kind, message.SerializeToString())


def recorded_event(table_id: str, stored: StoredEvent) -> Recorded:
    """A fact as it was appended."""
    message = table_event_pb2.TableFact.FromString(stored.payload)
    fact: Fact = from_proto(getattr(message, _MEMBERS[stored.kind]), _CLASSES[stored.kind])
    return Recorded(
        table_id=table_id,
        version=stored.version,
        at=moment_of(stored.recorded_at_micros),
        hand_id=message.hand_id,
        fact=fact,
    )


@lru_cache(maxsize=4096)
def line_bytes(summary: TableSummary) -> bytes:
    """A table's line in the lobby."""
    return to_proto(summary, table_row_pb2.TableLine).SerializeToString()


def summary_of(line: bytes) -> TableSummary:
    """The line again."""
    return from_proto(table_row_pb2.TableLine.FromString(line), TableSummary)


def kept_bytes(kept: BareTable) -> bytes:
    """A table as it was before a hand began."""
    return to_proto(kept, table_row_pb2.KeptTable).SerializeToString()


def kept_table(content: bytes) -> BareTable:
    """The table again."""
    return from_proto(table_row_pb2.KeptTable.FromString(content), BareTable)


def answer_bytes(answer: CommandAnswer) -> bytes:
    """What was answered to a command."""
    return to_proto(answer, table_row_pb2.CommandAnswer).SerializeToString()


def answer_of(content: bytes) -> CommandAnswer:
    """The answer again."""
    return from_proto(table_row_pb2.CommandAnswer.FromString(content), CommandAnswer)
