"""Who may call what of the TournamentService."""

from shared.kernel.caller import Role
from shared.rpc.rights import About, Rights, anybody

_EVERYBODY = anybody(*Role)
_HOUSE = anybody(Role.OPERATOR, Role.BACKEND)
_PLAYERS = {Role.PLAYER: About.ITSELF, Role.BACKEND: About.ITS_PLAYERS}

TOURNAMENT_RIGHTS: Rights = {
    "StartTournament": _HOUSE,
    "PauseTournament": _HOUSE,
    "ResumeTournament": _HOUSE,
    "SetEntrantConnection": _PLAYERS,
    "GetTournament": _EVERYBODY,
    "WatchTournament": _EVERYBODY,
}
"""Seats, levels and places of a tournament are public; no card is in them."""
