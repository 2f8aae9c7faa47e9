"""What a table says when it refuses: what was wrong, what is allowed, how to mend it."""

from services.orchestrator.domain.hand import OpenTurn
from services.orchestrator.domain.table import Table
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode


def not_seated(table: Table, player_id: str, mend: str = "call Sit first") -> DomainError:
    """The player has no seat here; ``mend`` says what to do at a cash table."""
    if table.mode is Mode.TOURNAMENT:
        mend = f"moved, out, or never in it; GetTournament of {table.tournament_id} tells where each player sits"
    message = f"{player_id} has no seat at table {table.table_id}: {mend}"
    return DomainError(Reason.NOT_SEATED, message, {"player_id": player_id})


def table_closed(table: Table) -> DomainError:
    """The table is closed for ever."""
    message = f"the table {table.table_id} is closed: choose another"
    return DomainError(Reason.TABLE_CLOSED, message, {"table_id": table.table_id})


def no_hand(table: Table) -> DomainError:
    """No hand is being played."""
    message = f"no hand is being played at {table.table_id}: wait for the next one"
    return DomainError(Reason.NO_HAND, message, {"table_id": table.table_id})


def hand_in_progress(table: Table) -> DomainError:
    """Not while a hand is being played."""
    hand_id = table.hand.hand_id if table.hand is not None else ""
    message = f"not while hand {hand_id} is being played: ask again, with a new id, when it is over"
    return DomainError(Reason.HAND_IN_PROGRESS, message, {"hand_id": hand_id})


def stale_turn(table: Table, turn_id: int) -> DomainError:
    """The turn that the action answers is over."""
    message = f"turn {turn_id} is not open, the latest is {table.turn_id}: look at the table and decide anew"
    keys = {"turn_id": str(turn_id), "current_turn_id": str(table.turn_id)}
    return DomainError(Reason.STALE_TURN, message, keys)


def not_your_turn(turn: OpenTurn, seat: int) -> DomainError:
    """Another seat is to act."""
    message = f"seat {turn.seat} is to act, not seat {seat}: wait for your turn"
    return DomainError(Reason.NOT_YOUR_TURN, message, {"seat": str(seat), "turn_seat": str(turn.seat)})


def not_legal(action: str, why: str, legal: str) -> DomainError:
    """The rules refuse the action now."""
    return DomainError(Reason.ACTION_NOT_LEGAL, f"{action}: {why}", {"action": action, "legal": legal})


def version_conflict(expected: int, current: int) -> DomainError:
    """The caller saw another table."""
    message = f"the table is at version {current}, not {expected}: read it again and decide anew"
    return DomainError(Reason.VERSION_CONFLICT, message, {"expected": str(expected), "current": str(current)})


def seat_taken(seat: int) -> DomainError:
    """Somebody sits there."""
    return DomainError(Reason.SEAT_TAKEN, f"seat {seat} is taken: choose another, or 0 for any", {"seat": str(seat)})


def table_full(seats_max: int) -> DomainError:
    """No seat is free."""
    message = f"all {seats_max} seats are taken: choose another table"
    return DomainError(Reason.TABLE_FULL, message, {"seats_max": str(seats_max)})


def table_exists(table_id: str) -> DomainError:
    """The id that a new table wants is taken."""
    message = f"there is a table {table_id} already: choose another id, or none"
    return DomainError(Reason.ALREADY_EXISTS, message, {"kind": "table", "id": table_id})


def already_seated(player_id: str, seat: int) -> DomainError:
    """The player sits here, or is about to."""
    return DomainError(Reason.ALREADY_SEATED, f"{player_id} sits in seat {seat} already", {"seat": str(seat)})
