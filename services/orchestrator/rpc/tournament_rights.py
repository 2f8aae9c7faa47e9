"""Who may call what of the TournamentService."""

from shared.kernel.caller import Role
from shared.rpc.rights import Rights

_EVERYBODY = frozenset(Role)
_HOUSE = frozenset({Role.OPERATOR, Role.BACKEND})
_PLAYERS = frozenset({Role.PLAYER, Role.BACKEND})

TOURNAMENT_RIGHTS: Rights = {
    "StartTournament": _HOUSE,
    "PauseTournament": _HOUSE,
    "ResumeTournament": _HOUSE,
    "SetEntrantConnection": _PLAYERS,
    "GetTournament": _EVERYBODY,
    "WatchTournament": _EVERYBODY,
}
"""Seats, levels and places of a tournament are public; no card is in them."""
