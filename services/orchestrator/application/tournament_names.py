"""What tables are called: those of a tournament after it, all so that the ids of their hands are theirs alone."""

from typing import Final
from uuid import UUID, uuid5

TABLE_ID_MAX: Final = 53
"""Characters of a table's id, so that the number of a hand has room behind it in the hand's id: of a longer one a
digest stands there (``hand_id_of``), which is an id that somebody can give a table, whose hands then come first."""
_LONG: Final = UUID("0b1d8a4e-3f4c-5a8e-8f0a-6b2f0f6f7c11")
_FINAL: Final = "final"


def table_id_of(tournament_id: str, number: int) -> str:
    """The id of a table by its number, from 1."""
    return _id(tournament_id, str(number))


def final_table_id(tournament_id: str) -> str:
    """The id of the final table of a tournament of several tables."""
    return _id(tournament_id, _FINAL)


def names_a_tournaments_table(table_id: str) -> bool:
    """Whether an id has the form of a tournament's tables, which no cash table may have."""
    tournament_id, _, label = table_id.rpartition(".")
    return bool(tournament_id) and (label == _FINAL or (label.isascii() and label.isdigit()))


def table_name(name: str, table_id: str) -> str:
    """What people call a table."""
    label = table_id.rpartition(".")[2]
    return f"{name}, final table" if label == _FINAL else f"{name}, table {label}"


def _id(tournament_id: str, label: str) -> str:
    """Tournament and label; a tournament id that leaves no room for the label is replaced by a digest of it."""
    wanted = f"{tournament_id}.{label}"
    return wanted if len(wanted) <= TABLE_ID_MAX else f"{uuid5(_LONG, tournament_id)}.{label}"
