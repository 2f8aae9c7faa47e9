"""From facts to numbered events: which hand a fact belongs to, and the id that a hand has."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Final, get_args

from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.hand_facts import HandFact, HandStarted
from services.orchestrator.domain.table import Table
from shared.kernel.frozen import maker

_recorded = maker(Recorded)
_OF_HANDS: Final = frozenset(get_args(HandFact))
_ID_CHARACTERS_MAX = 64


def hand_id_of(table_id: str, hand_number: int) -> str:
    """The id of a hand, the same whenever it is asked for: a hand that is opened twice is one hand."""
    plain = f"{table_id}.{hand_number}"
    if len(plain) <= _ID_CHARACTERS_MAX:
        return plain
    return f"{hashlib.sha256(table_id.encode()).hexdigest()[:32]}.{hand_number}"


def stamp(table_id: str, table: Table | None, facts: Iterable[Fact], at: datetime) -> tuple[Recorded, ...]:
    """Facts as the next events of the table's log."""
    version = table.version if table is not None else 0
    hand_id = table.hand.hand_id if table is not None and table.hand is not None else ""
    in_hand = table is not None and table.in_hand
    stamped: list[Recorded] = []
    for happened in facts:
        version += 1
        if isinstance(happened, HandStarted):
            hand_id, in_hand = hand_id_of(table_id, happened.hand_number), True
        owner = hand_id if in_hand or type(happened) in _OF_HANDS else ""
        stamped.append(_recorded(table_id=table_id, version=version, at=at, hand_id=owner, fact=happened))
    return tuple(stamped)
