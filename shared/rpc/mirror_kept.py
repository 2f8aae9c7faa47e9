"""Rules cross the wire with every step of a hand and hardly ever change: what was converted once is kept."""

from typing import Any, Final

from shared.kernel.rules import CashRules, ClockRules, HandRules, TournamentRules
from shared.rpc.mirror_quick import Reader, Writer

KEPT_CLASSES: Final = (HandRules, ClockRules, CashRules, TournamentRules)
KEPT_MAX: Final = 256
"""Different values of a class; more of them, and all are forgotten."""


def kept_reader(data_class: type, read: Reader) -> Reader:
    """The same values out of the same bytes, as one object, for a class that is kept; other readers as they are."""
    if data_class not in KEPT_CLASSES:
        return read
    known: dict[bytes, Any] = {}

    def read_kept(message: Any) -> Any:
        content = message.SerializeToString()
        value = known.get(content)
        if value is None:
            value = read(message)
            _keep(known, content, value)
        return value

    return read_kept


def kept_writer(data_class: type, write: Writer) -> Writer:
    """The bytes of an object that was written before; known by its identity, for which it is held."""
    if data_class not in KEPT_CLASSES:
        return write
    known: dict[int, tuple[Any, bytes]] = {}

    def write_kept(value: Any, message: Any) -> None:
        found = known.get(id(value))
        if found is not None:
            message.MergeFromString(found[1])
            return
        write(value, message)
        _keep(known, id(value), (value, message.SerializeToString()))

    return write_kept


def _keep(known: dict[Any, Any], key: Any, value: Any) -> None:
    if len(known) >= KEPT_MAX:
        known.clear()
    known[key] = value
