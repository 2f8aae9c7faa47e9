"""Who may call what of the TableService; whose player it may be about is checked in ``callers.py``."""

from shared.kernel.caller import Role
from shared.rpc.rights import Rights

_EVERYBODY = frozenset(Role)
_HOUSE = frozenset({Role.OPERATOR, Role.BACKEND})
_PLAYERS = frozenset({Role.PLAYER, Role.BACKEND})

TABLE_RIGHTS: Rights = {
    "ListPresets": _EVERYBODY,
    "OpenTable": _HOUSE,
    "PauseTable": _HOUSE,
    "ResumeTable": _HOUSE,
    "CloseTable": _HOUSE,
    "Sit": _PLAYERS,
    "Leave": _PLAYERS,
    "AddChips": _PLAYERS,
    "SitOut": _PLAYERS,
    "Return": _PLAYERS,
    "SetConnection": _PLAYERS,
    "SetAutoAnte": _PLAYERS,
    "RegisterSeatKey": _PLAYERS,
    "Act": _PLAYERS,
    "UseTimeBank": _PLAYERS,
    "ShowOrMuck": _PLAYERS,
    "AskToSee": _PLAYERS,
    "Watch": _EVERYBODY,
    "WatchLobby": _EVERYBODY,
    "GetTable": _EVERYBODY,
    "ListTables": _EVERYBODY,
    "GetHand": _EVERYBODY,
    "ListHands": _EVERYBODY,
}
"""Everybody sees what spectators see; a player sees the own down cards, a back end those of the player it names."""
